"""A real `threadline serve` with its demo agent, and a headless Chromium in front of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.browser.screen import Screen
from tests.peers import path_of
from tests.pipeline.serving import Served, serving

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP rebound.example 127.0.0.1",
)  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Start `serve` as a person does, once for every test of a file that does not end it."""
    with serving(tmp_path_factory.mktemp("serve")) as running:
        running.says("Agent demo at", "answers")
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium once for each file; its event loop would be in the way of other tests."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=str(path_of("browser")), args=list(FLAGS)
        )
        yield chromium
        chromium.close()


@pytest.fixture
def screen(browser: Browser, served: Served) -> Iterator[Screen]:
    """Open the page in a window of its own; a fault of its scripts fails the test."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        faults = faults_of(page)
        page.goto(f"{served.url}/playground")
        yield Screen(page)
        assert faults == []


def faults_of(page: Page) -> list[str]:
    """Collect what the page's scripts or its own policy complain about."""
    faults: list[str] = []

    def heard(line: ConsoleMessage) -> None:
        if line.type == "error":
            faults.append(line.text)

    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", heard)
    return faults


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands here with the peers it needs."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.langgraph)
