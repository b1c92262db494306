"""What stands in the cards that Feishu shows of what an agent wrote.

After a wanted change, `python -m tests.golden.feishu.test_render` writes the files anew: read the
difference before committing it.
"""

import json
from pathlib import Path

import pytest

from threadline.core.posting import Reply, Tone
from threadline.core.split import length
from threadline.platforms.feishu import PLATFORM
from threadline.platforms.feishu.card import LARGEST, MOST_TABLES, card, written

HERE = Path(__file__).parent
ANSWERS = sorted(
    [*(HERE / "answers").glob("*.md"), *(HERE.parent / "telegram/answers").glob("*.md")]
)
NEXT = "\n════ next card ════\n"
LIMIT = PLATFORM.traits.max_text
TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |"


def shown(markdown: str) -> str:
    """Render an answer."""
    return NEXT.join(draft.text for draft in PLATFORM.render(Reply(markdown))) + "\n"


def request(text: str) -> str:
    """Give the body of the request that a card goes out in."""
    content = written(card(text, "t" + "0" * 19))
    uuid, chat = "0" * 50, "oc_" + "0" * 32
    body = {"receive_id": chat, "msg_type": "interactive", "content": content, "uuid": uuid}
    return json.dumps(body, ensure_ascii=False)


def golden(path: Path) -> Path:
    """Name the file with the cards of an answer."""
    return HERE / "cards" / path.name


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_an_answer_looks_as_agreed(path: Path) -> None:
    """Each sample answer becomes the cards written down beside it."""
    expected = golden(path).read_text(encoding="utf-8")
    assert shown(path.read_text(encoding="utf-8")) == expected


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**bold** _it_ ~~gone~~ `code`", "**bold** *it* ~~gone~~ `code`"),
        ("# One\n\n## Two", "# One\n\n## Two"),
        ("a < b && b > c", "a &#60; b && b > c"),
        ("<at id=all></at>", "&#60;at id=all>&#60;/at>"),
        ("&lt;at id=all&gt;", "&#60;at id=all>"),
        ("[a](https://a.example/x_(y))", "[a](https://a.example/x_%28y%29)"),
        ("[a](/docs) [b](javascript:x)", "a (/docs) &#91;b&#93;(javascript:x)"),
        ("![pic](https://a.example/p.png)", "[pic](https://a.example/p.png)"),
        ("- one\n- two\n  - three", "- one\n- two\n    - three"),
        ("1. one\n2. two", "1. one\n2. two"),
        ("> quoted\n> too", "> quoted\n> too"),
        ("---", "---"),
        (TABLE, "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("```py\nx = 1\n```", "```python\nx = 1\n```"),
        ("    indented", "```\nindented\n```"),
        ("2 * 3 * 4 and a_b_c", "2 &#42; 3 &#42; 4 and a_b_c"),
    ],
)
def test_markup_of_feishu(markdown: str, text: str) -> None:
    """Markdown becomes Feishu's, and what looks like a tag of Feishu's is only text."""
    assert shown(markdown) == text + "\n"


@pytest.mark.parametrize(
    "markdown",
    [
        "word " * 20_000,
        "x" * 60_000,
        "字" * 30_000,
        "😀" * 20_000,
        '"\\' * 20_000,
        "\n".join(f'    "line_{number}": "\\u0000 <{number}>",' for number in range(3000)),
        "```json\n" + '{"a": "\\\\"}\n' * 4000 + "```",
        "| a | b |\n|---|---|\n" + "| one | two |\n" * 4000,
        "- item with **bold**\n" * 4000,
        "> quoted\n" * 4000,
        f"{TABLE}\n\n" * 30,
    ],
    ids=["words", "letters", "chinese", "emoji", "escapes", "code", "fence", "table", "list",
         "quote", "tables"],
)  # fmt: skip
def test_no_card_is_too_large(markdown: str) -> None:
    """Whatever it holds: the request, the text and its tables stay within what Feishu takes."""
    drafts = PLATFORM.render(Reply(markdown))
    assert len(drafts) > 1
    for draft in drafts:
        assert len(request(draft.text).encode()) <= LARGEST
        assert length(draft.text, "utf8") <= LIMIT
        assert draft.text.count("| --- |") <= MOST_TABLES
    assert all(len(request(one.text)) > LIMIT // 4 for one in drafts[:-1] if TABLE not in markdown)


def test_a_long_table_has_its_header_in_every_card() -> None:
    """Rows are kept whole, and each card says what its columns are."""
    rows = [f"| row {number} | {'x' * 40} |" for number in range(1500)]
    drafts = PLATFORM.render(Reply("| Name | Value |\n|---|---|\n" + "\n".join(rows)))
    assert len(drafts) > 2
    assert all(draft.text.startswith("| Name | Value |\n| --- | --- |\n") for draft in drafts)
    inside = [line for draft in drafts for line in draft.text.split("\n")[2:]]
    assert inside == rows


def test_a_long_code_block_is_a_code_block_in_every_card() -> None:
    """Lines are kept whole, and the language is said again."""
    code = [f"line_{number} = {number} < 7" for number in range(3000)]
    drafts = PLATFORM.render(Reply("```python\n" + "\n".join(code) + "\n```"))
    assert len(drafts) > 1
    assert all(draft.text.startswith("```python\n") for draft in drafts)
    inside = [line for draft in drafts for line in draft.text.split("\n")[1:-1]]
    assert inside == code


def test_progress_shows_the_beginning() -> None:
    """While an answer grows beyond one card its beginning is shown, with a sign for the rest."""
    (draft,) = PLATFORM.render(Reply("**start** " + "more & " * 9000, Tone.PROGRESS))
    assert draft.text.startswith("**start** more")
    assert draft.text.endswith("…")
    assert draft.facts == {"progress": "yes"}
    assert len(request(draft.text).encode()) <= LARGEST


if __name__ == "__main__":
    for answer in ANSWERS:
        golden(answer).write_text(shown(answer.read_text(encoding="utf-8")), encoding="utf-8")
