import re
from pathlib import Path

import pytest

from tests.unit.playground.page import Page, visit
from threadline.local.playground import answers
from threadline.local.playground.guard import PAGE

ASSETS = sorted(path.name for path in answers.FOLDER.iterdir() if path.suffix != ".html")
OUTSIDE = re.compile(r"https?://(?!www\.w3\.org/2000/svg)|//[a-z]+\.[a-z]+/", re.IGNORECASE)


def test_the_page_allows_itself_nothing_from_elsewhere(tmp_path: Path) -> None:
    """The page comes with a policy that lets in only its own files, no inline script or style."""

    async def visitor(page: Page) -> None:
        answer = await page.get(PAGE)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert answer.headers["cache-control"] == "no-store"
        html = await answer.text()
        assert "{{" not in html
        assert not re.search(r"<script>|<style>| style=| on[a-z]+=", html)

    visit(tmp_path, visitor)


def test_every_file_of_the_page_is_there(tmp_path: Path) -> None:
    """What the page and its modules name is served with its type; nothing else of the folder is."""

    async def visitor(page: Page) -> None:
        named = set(re.findall(r"/playground/page/([\w.]+)", await (await page.get(PAGE)).text()))
        for name in ASSETS:
            answer = await page.get(f"{PAGE}/page/{name}")
            assert answer.status == 200
            assert answer.content_type == answers.KINDS[Path(name).suffix]
            named |= set(re.findall(r'from "\./([\w.]+)"', await answer.text()))
        assert named == set(ASSETS)
        for name in ("playground.html", "none.js", "..%2Fserving.py", "%2e%2e", "app.js%00"):
            assert (await page.get(f"{PAGE}/page/{name}")).status == 404

    visit(tmp_path, visitor)


@pytest.mark.parametrize("path", sorted(answers.FOLDER.iterdir()), ids=lambda path: path.name)
def test_nothing_is_loaded_from_elsewhere(path: Path) -> None:
    """No file of the page names an address outside, and none writes HTML."""
    text = path.read_text(encoding="utf-8")
    assert not OUTSIDE.findall(text.replace("https?:", ""))
    for writer in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert writer not in text


def test_values_in_the_page_are_escaped(tmp_path: Path) -> None:
    """What is put into the page cannot end the attribute it stands in."""

    async def visitor(page: Page) -> None:
        page.playground._program = '"><script>'
        assert "<script>" not in await (await page.get(PAGE)).text()

    visit(tmp_path, visitor)


def test_examples_are_for_the_demo_agent(tmp_path: Path) -> None:
    """The page knows whether the demo agent answers, and how the command is called."""

    async def visitor(page: Page) -> None:
        html = await (await page.get(PAGE)).text()
        assert 'data-demo="yes"' in html
        assert 'data-program="threadline"' in html

    visit(tmp_path, visitor)
