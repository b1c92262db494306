"""Pinned sets of packages."""

import json
import re
import tomllib

import pytest

from tests.architecture.source import ROOT, files, short

REQUIREMENTS = ROOT / "requirements"
SETS = sorted(path.stem for path in REQUIREMENTS.glob("*.in"))
NAME = re.compile(r"^([A-Za-z0-9._-]+)", re.MULTILINE)


def normal(name: str) -> str:
    """Return a package's name as the packaging standard compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("name", SETS)
def test_every_package_is_pinned_and_hashed(name: str) -> None:
    """Each package of a set has one exact version and at least one hash."""
    lines = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    code = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    entries = re.split(r"\n(?=\S)", code.strip())
    loose = [entry for entry in entries if not re.match(r"[^=\s]+==\S+[^\n]*\\\n +--hash=", entry)]
    assert entries
    assert not loose


@pytest.mark.parametrize("name", SETS)
def test_a_set_holds_all_that_was_asked_of_it(name: str) -> None:
    """Nothing stands in a set's .in file that its lock does not have: `make lock` was run."""
    asked = set(map(normal, NAME.findall((REQUIREMENTS / f"{name}.in").read_text("utf-8"))))
    locked = set(map(normal, NAME.findall((REQUIREMENTS / f"{name}.txt").read_text("utf-8"))))
    assert {package for package in asked if not package.startswith("-")} <= locked


def test_the_sets_of_one_environment_agree() -> None:
    """What ingest, runtime, vendor, task and dev have in common has the same version in each."""
    ingest, runtime, vendor, dev = map(pins, ("ingest", "runtime", "vendor", "dev"))
    assert ingest.items() <= runtime.items() <= dev.items()
    assert vendor.items() <= runtime.items()
    assert pins("task").items() <= runtime.items()


def pins(name: str) -> dict[str, str]:
    """Return the versions of a set by package."""
    text = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s;]+)", text, re.MULTILINE))


def test_no_lock_says_where_it_was_resolved() -> None:
    """A lock has no address in it: which index serves a package is the reader's setting."""
    locks = [*files(".txt"), *(path for path in files(".json") if path.stem.endswith("-lock"))]
    named = {short(path) for path in locks if re.search(r"https?://", path.read_text("utf-8"))}
    assert len(locks) > len(SETS)
    assert not named


def test_npm_packages_are_pinned_by_content() -> None:
    """Each npm package has an exact version and an integrity hash."""
    lock = json.loads((REQUIREMENTS / "node" / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    assert all({"version", "integrity"} <= entry.keys() for entry in packages.values())


def test_one_python_is_meant_everywhere() -> None:
    """.python-version, the package and the checks name the same Python."""
    version = (ROOT / ".python-version").read_text(encoding="utf-8").strip()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["requires-python"] == f">={version}"
    assert project["tool"]["mypy"]["python_version"] == version
    assert project["tool"]["ruff"]["target-version"] == f"py{version.replace('.', '')}"
