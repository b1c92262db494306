import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.platforms.answers import ANSWERS, MARKDOWN, words
from threadline.local.playground.markdown import TAGS, linkable, tree


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a **b** _c_", [["p", {}, "a ", ["strong", {}, "b"], " ", ["em", {}, "c"]]]),
        ("one\ntwo", [["p", {}, "one", ["br", {}], "two"]]),
        ("- a\n- b", [["ul", {}, ["li", {}, "a"], ["li", {}, "b"]]]),
        ("7. a", [["ol", {"start": "7"}, ["li", {}, "a"]]]),
        ("```py\nx < y\n```", [["pre", {"language": "py"}, "x < y"]]),
        ("```\nopen", [["pre", {}, "open"]]),
        ("<b>hi</b>", [["p", {}, "<b>hi</b>"]]),
        ("[a](https://x.y/)", [["p", {}, ["a", {"href": "https://x.y/"}, "a"]]]),
        ("![a](https://x.y/z.png)", [["p", {}, ["a", {"href": "https://x.y/z.png"}, "a"]]]),
        ("[a](ftp://x.y/)", [["p", {}, "a", " (ftp://x.y/)"]]),
        ("", []),
    ],
)
def test_markdown_becomes_a_tree(markdown: str, expected: object) -> None:
    """Text, styles, lists, code, links and tables become nodes; images are links; HTML is text."""
    assert tree(markdown) == expected


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "//x.y", "/a",
     "file:///etc/passwd", "http://", "", " javascript:alert(1)", "\x01javascript:x"],
)  # fmt: skip
def test_only_web_and_mail_addresses_are_followed(address: str) -> None:
    """Nothing that could run, and nothing on this machine, is ever a link."""
    assert not linkable(address)
    assert '"href"' not in json.dumps(tree(f"[a]({address})"))


def test_an_address_that_is_none_is_no_link() -> None:
    """What no parser of addresses can read is refused rather than raised."""
    assert not linkable("http://[")


@pytest.mark.parametrize("markdown", ANSWERS.values(), ids=ANSWERS.keys())
def test_no_word_of_an_answer_is_lost(markdown: str) -> None:
    """Every word a reader would see stands in the tree, in order, however odd the answer."""
    check(markdown)


@given(MARKDOWN)
@settings(max_examples=60)
def test_no_word_of_any_markdown_is_lost(markdown: str) -> None:
    """The same for anything an agent may write."""
    check(markdown)


@given(st.text(max_size=300))
@settings(max_examples=150)
def test_any_text_becomes_a_tree(text: str) -> None:
    """Whatever the characters, there are only known tags and texts, and it can be sent."""
    nodes = tree(text)
    assert set(tags(nodes)) <= TAGS
    json.dumps(nodes)


def check(markdown: str) -> None:
    """Check tags and words of one answer."""
    nodes = tree(markdown)
    assert set(tags(nodes)) <= TAGS
    shown, at = "".join(texts(nodes)), 0
    for word in words(markdown, source=True):
        found = shown.find(word, at)
        assert found >= 0, word
        at = found


def tags(nodes: Any) -> Iterator[str]:
    """Give every tag."""
    for node in nodes:
        if isinstance(node, list):
            yield node[0]
            yield from tags(node[2:])


def texts(nodes: Any) -> Iterator[str]:
    """Give every text and every address."""
    for node in nodes:
        if isinstance(node, str):
            yield node
        else:
            yield from node[1].values()
            yield from texts(node[2:])
            yield " "
