"""Markdown as text with styles."""

import pytest

from threadline.text.flatten import flatten
from threadline.text.styled import Style, Styled


def flat(markdown: str) -> Styled:
    """Flatten, with every address fit for a link."""
    return flatten(markdown, lambda _: True)


def styles(markdown: str) -> list[tuple[str, str, str]]:
    """Give each style with its text and value."""
    styled = flat(markdown)
    return [(s.style, styled.text[s.start : s.end], s.value) for s in styled.spans]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("plain", "plain"),
        ("two\nlines", "two\nlines"),
        ("two  \nlines", "two\nlines"),
        ("one\n\n\n\ntwo", "one\n\ntwo"),
        ("# A\n## B\ntext", "A\n\nB\n\ntext"),
        ("- a\n- b", "• a\n• b"),
        ("* a\n\n* b", "• a\n• b"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("- a\n  - b\n    - c\n- d", "• a\n  • b\n    • c\n• d"),
        ("- a\n\n  more\n- b", "• a\n  more\n• b"),
        ("1. a\n   - b", "1. a\n  • b"),
        ("- [ ] a\n- [x] b\n- [X] c\n- [y] d", "☐ a\n☑ b\n☑ c\n• [y] d"),
        ("- [ ] **a** b", "☐ a b"),
        ("1. [x] a", "☑ a"),
        ("> a\n> b", "a\nb"),
        ("> a\n>\n> > b\n> > c", "a\n\n› b\n› c"),
        ("> - a\n> - b", "• a\n• b"),
        ("```\na\n\nb\n```", "a\n\nb"),
        ("    indented", "indented"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb"),
        ("a &lt; b &amp; c", "a < b & c"),
        ("\\*not\\* \\_it\\_", "*not* _it_"),
        ("<b>x</b> <!-- y -->", "<b>x</b> <!-- y -->"),
        ("__init__ and __all__", "__init__ and __all__"),
        ("__really bold__", "really bold"),
        ("<https://a.example/b_c>", "https://a.example/b_c"),
        ("<ada@example.com>", "ada@example.com"),
        ("[](https://a.example)", "https://a.example"),
        ("![](https://a.example/i.png)", "https://a.example/i.png"),
        ("[a](https://a.example 'title')", "a"),
        ("[x]: https://a.example", "[x]: https://a.example"),
        ("see [x]\n\n[x]: https://a.example\n[y]: https://b.example",
         "see x\n[y]: https://b.example"),
        ("| a | b |\n|---|---|", "a | b\n--+--"),
        ("| a |\n|---|\n| [x](https://a.example) |", "• a: x"),
        ("|  |  |\n|---|---|\n| x | y |", "  |\n--+--\nx | y"),
    ],
)  # fmt: skip
def test_what_is_read(markdown: str, text: str) -> None:
    """Markup turns into signs that read well as plain text, and nothing is lost."""
    assert flat(markdown).text == text


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("**a** *b* ~~c~~ `d`", [
            (Style.BOLD, "a", ""), (Style.ITALIC, "b", ""), (Style.STRIKE, "c", ""),
            (Style.CODE, "d", ""),
        ]),
        ("***a***", [(Style.ITALIC, "a", ""), (Style.BOLD, "a", "")]),
        ("# a *b*", [(Style.BOLD, "a b", ""), (Style.ITALIC, "b", "")]),
        ("[a **b**](https://x.example)", [
            (Style.LINK, "a b", "https://x.example"), (Style.BOLD, "b", ""),
        ]),
        ("[`a`](https://x.example)", [(Style.LINK, "a", "https://x.example")]),
        ("```python title=x\na\n```", [(Style.BLOCK, "a", "python")]),
        ("```\n```", []),
        ("> a\n> > b", [(Style.QUOTE, "a\n\n› b", "")]),
        ("- a\n\n  ```\n  b\n  ```", [(Style.BLOCK, "b", "")]),
        ("![a](https://x.example/i.png)", [(Style.LINK, "a", "https://x.example/i.png")]),
        ("- [x] **a** b", [(Style.BOLD, "a", "")]),
    ],
)  # fmt: skip
def test_what_is_set_apart(markdown: str, expected: list[tuple[str, str, str]]) -> None:
    """Each style covers its own words, outer ones first."""
    assert styles(markdown) == expected


def test_an_address_that_is_no_link_is_written_out() -> None:
    """Where the platform takes no link the address stands behind its words."""
    styled = flatten("[docs](/docs) [b](#b)", lambda _: False)
    assert styled == Styled("docs (/docs) b (#b)")


@pytest.mark.parametrize(
    "markdown",
    [">" * 200 + " down", "- " * 200 + "down", "*a " * 3000 + "a* " * 3000, "[" * 3000],
    ids=["quotes", "lists", "emphasis", "brackets"],
)
def test_what_is_nested_too_deep_is_given_as_written(markdown: str) -> None:
    """No depth of markup loses words or fails."""
    words = markdown.replace(">", " ").replace("*", " ").split()
    text = flat(markdown).text
    assert all(word in text for word in words)
