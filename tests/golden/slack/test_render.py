"""What people see in Slack of what an agent wrote.

After a wanted change, `python -m tests.golden.slack.test_render` writes the files anew: read the
difference before committing it.
"""

from pathlib import Path

import pytest

from threadline.core.posting import Reply, Tone
from threadline.core.split import length
from threadline.platforms.slack import PLATFORM
from threadline.platforms.slack.mrkdwn import INVISIBLE
from threadline.platforms.slack.render import linkable

ANSWERS = sorted((Path(__file__).parent / "answers").glob("*.md"))
LIMIT = PLATFORM.traits.max_text
NEXT = "\n════ next post ════\n"


def shown(markdown: str) -> str:
    """Render an answer; where an invisible space stands, a middle dot is written for it."""
    posts = [draft.text for draft in PLATFORM.render(Reply(markdown))]
    return NEXT.join(posts).replace(INVISIBLE, "·") + "\n"


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_an_answer_looks_as_agreed(path: Path) -> None:
    """Each sample answer becomes the posts written down beside it."""
    expected = path.with_suffix(".mrkdwn").read_text(encoding="utf-8")
    assert shown(path.read_text(encoding="utf-8")) == expected


@pytest.mark.parametrize(
    ("markdown", "written"),
    [
        ("`__init__ *x* <a>`", "`__init__ *x* &lt;a&gt;`"),
        ("__init__ is a name", "__init__ is a name"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name and a_b", "snake_case_name and a_b"),
        ("# **T**", "*T*"),
        ("**bold\nover two**", "*bold*\n*over two*"),
        ("[t](https://e.com/a_(b)?c=1&d=2)", "<https://e.com/a_(b)?c=1&amp;d=2|t>"),
        ("* item\n* **two**", "• item\n• *two*"),
        ("<https://x.example>", "<https://x.example>"),
        ("see https://x.example/a_b_c.", "see <https://x.example/a_b_c>."),
        ("(https://x.example/y)", "(<https://x.example/y>)"),
        ("> q\n> a < b & c > d", "> q\n> a &lt; b &amp; c &gt; d"),
        ("- a\n\n  > inside", "• a\n>   inside"),
        ("  leading", "leading"),
        ("a < b && b > c", "a &lt; b &amp;&amp; b &gt; c"),
        ("<@U1> <!channel> <#C1|x>", "&lt;@U1&gt; &lt;!channel&gt; &lt;#C1|x&gt;"),
        ("[<!channel>](https://x.example)", "<https://x.example|&lt;!channel&gt;>"),
        ("[x](https://x.example/|<!here>)", "<https://x.example/%7C%3C!here%3E|x>"),
        ("***both*** and ~~gone~~", "_*both*_ and ~gone~"),
        ("**粗体**文字", "*粗体*·文字"),
        ("**a**_b_", "*a*·_b_"),
        ("\\*not bold\\*", "·*·not bold*"),
        ("\\_a \\*b\\_ c\\*", "·_·a ·*·b_ c*"),
        ("~/.config is a path", "~/.config is a path"),
        ("\\> no quote", "·&gt; no quote"),
        ("- [ ] open\n- [x] done", "☐ open\n☑ done"),
        ("![alt text](https://x.example/a.png)", "<https://x.example/a.png|alt text>"),
        ("[mail](mailto:a@b.example)", "<mailto:a@b.example|mail>"),
        ("[local](/docs)", "local (/docs)"),
        ("```py\na < b\n```", "```\na &lt; b\n```"),
        ("    ```\n    x", "```\n`·``\nx\n```"),
        ("\\`\\`\\`", "·`··`··`·"),
        ("1. one\n2. two", "1. one\n2. two"),
        ("---", "———"),
    ],
)
def test_markup_of_slack(markdown: str, written: str) -> None:
    """Markdown becomes Slack's markup, and what is not markup stays as it was written."""
    assert shown(markdown) == written + "\n"


def test_a_code_block_over_a_cut_is_a_code_block_on_both_sides() -> None:
    """A long block is cut at a line and goes on as code; no line is lost or broken."""
    code = [f"    line_{number} = {number} < 7" for number in range(600)]
    drafts = PLATFORM.render(Reply("intro\n\n```python\n" + "\n".join(code) + "\n```\n\nend"))
    assert len(drafts) > 3
    inside = [line for draft in drafts for line in draft.text.split("\n")]
    assert [line.replace("&lt;", "<") for line in inside if "line_" in line] == code
    assert all(draft.text.count("```") == 2 for draft in drafts)


def test_a_quote_and_a_style_go_on_in_the_next_post() -> None:
    """What is cut in two is quoted, and bold, on both sides."""
    drafts = PLATFORM.render(Reply("> **" + "word " * 1500 + "end**"))
    assert len(drafts) > 1
    assert all(draft.text.startswith("> *") and draft.text.endswith("*") for draft in drafts)


def test_parts_are_cut_between_words() -> None:
    """No part ends inside a word where there is a better place, and parts are nearly full."""
    drafts = PLATFORM.render(Reply("word " * 3000))
    assert all(draft.text.endswith("word") and draft.text.startswith("word") for draft in drafts)
    assert all(length(draft.text, "utf8") > LIMIT // 2 for draft in drafts[:-1])


def test_the_limit_is_counted_as_slack_counts() -> None:
    """Bytes after escaping: an ampersand takes five, an emoji four, markup its own."""
    assert len(PLATFORM.render(Reply("x" * 4000))) == 1
    assert len(PLATFORM.render(Reply("x" * 4001))) == 2
    assert len(PLATFORM.render(Reply("&" * 800))) == 1
    assert len(PLATFORM.render(Reply("&" * 801))) == 2
    assert len(PLATFORM.render(Reply("😀" * 1000))) == 1
    assert len(PLATFORM.render(Reply("😀" * 1001))) == 2
    assert len(PLATFORM.render(Reply("**" + "x" * 3999 + "**"))) == 2


def test_progress_shows_the_beginning() -> None:
    """While an answer grows beyond one post its beginning is shown, with a sign for the rest."""
    (draft,) = PLATFORM.render(Reply("**start** " + "more & " * 5000, Tone.PROGRESS))
    assert draft.text.startswith("*start* more")
    assert draft.text.endswith("…")
    assert LIMIT // 2 < length(draft.text, "utf8") <= LIMIT


def test_the_last_post_offers_the_options() -> None:
    """Of a long question only the last post has buttons."""
    drafts = PLATFORM.render(Reply("word " * 1500, Tone.QUESTION, ("yes", "no")))
    assert [draft.facts for draft in drafts] == [{}, {"options": '["yes", "no"]'}]


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("https://example.com/a?b=c#d", True),
        ("http://localhost:8000/", True),
        ("HTTPS://EXAMPLE.COM", True),
        ("mailto:ada@example.com", True),
        ("https://" + "x" * 1600, False),
        ("https://[::1", False),
        ("https://", False),
        ("/docs", False),
        ("#top", False),
        ("ftp://example.com/", False),
        ("javascript:alert(1)", False),
        ("slack://channel", False),
        ("", False),
    ],
)
def test_only_addresses_of_web_and_mail_become_links(address: str, *, taken: bool) -> None:
    """Any other address is written out behind its words."""
    assert linkable(address) is taken


if __name__ == "__main__":
    for answer in ANSWERS:
        written = shown(answer.read_text(encoding="utf-8"))
        answer.with_suffix(".mrkdwn").write_text(written, encoding="utf-8")
