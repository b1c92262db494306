"""Skips what lacks a peer, saying which, and makes a skip a failure where CI=true.

A property is held whatever else the machine does meanwhile: none has a deadline.
"""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.peers import PEERS, missing

IN_CI = os.environ.get("CI") == "true"

settings.register_profile("whatever the load", deadline=None)
settings.load_profile("whatever the load")


def pytest_configure(config: pytest.Config) -> None:
    """Make a marker of every peer."""
    for name, peer in PEERS.items():
        config.addinivalue_line("markers", f"{name}: needs {peer.what}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose peer is not on this machine."""
    for name, peer in PEERS.items():
        if item.get_closest_marker(name) and peer.find() is None:
            pytest.skip(missing(peer))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let no test be skipped in CI."""
    return refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let no file be skipped in CI."""
    return refuse_skip((yield))


def refuse_skip[R: (pytest.TestReport, pytest.CollectReport)](report: R) -> R:
    """Turn a skip into a failure in CI; an expected failure is none."""
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longreprtext}"
    return report
