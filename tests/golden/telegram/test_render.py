"""What people see in Telegram of what an agent wrote.

After a wanted change, `python -m tests.golden.telegram.test_render` writes the files anew: read
the difference before committing it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import length
from threadline.platforms.telegram import PLATFORM
from threadline.platforms.telegram.render import MOST_ENTITIES, linkable

ANSWERS = sorted((Path(__file__).parent / "answers").glob("*.md"))
LIMIT = PLATFORM.traits.max_text


def shown(markdown: str) -> list[dict[str, Any]]:
    """Render an answer and give each draft with the text under each entity."""
    return [
        {"lines": draft.text.split("\n"), "entities": [_entity(draft, e) for e in entities(draft)]}
        for draft in PLATFORM.render(Reply(markdown))
    ]


def entities(draft: Draft) -> list[dict[str, Any]]:
    """Decode the entities of a draft."""
    decoded: list[dict[str, Any]] = json.loads(draft.facts.get("entities", "[]"))
    return decoded


def under(draft: Draft, entity: dict[str, Any]) -> str:
    """Give the text that an entity covers, counted as Telegram counts."""
    raw = draft.text.encode("utf-16-le")
    start = entity["offset"] * 2
    return raw[start : start + entity["length"] * 2].decode("utf-16-le")


def _entity(draft: Draft, entity: dict[str, Any]) -> list[str]:
    more = [str(entity[name]) for name in ("url", "language") if name in entity]
    return [entity["type"], under(draft, entity), *more]


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_an_answer_looks_as_agreed(path: Path) -> None:
    """Each sample answer becomes the text and entities written down beside it."""
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert shown(path.read_text(encoding="utf-8")) == expected


def test_a_code_block_over_a_cut_is_a_code_block_on_both_sides() -> None:
    """A long block is cut at a line and goes on as code of the same language."""
    code = "\n".join(f"    line_{number} = {number}" for number in range(600))
    drafts = PLATFORM.render(Reply(f"intro\n\n```python\n{code}\n```\n\nend"))
    assert len(drafts) > 2
    blocks = [(entity, under(draft, entity)) for draft in drafts for entity in entities(draft)]
    assert {(e["type"], e["language"]) for e, _ in blocks} == {("pre", "python")}
    assert "\n".join(text for _, text in blocks).split("\n") == code.split("\n")


def test_parts_are_cut_between_words() -> None:
    """No part ends inside a word where there is a better place, and parts are nearly full."""
    drafts = PLATFORM.render(Reply("word " * 3000))
    assert all(draft.text.endswith("word") and draft.text.startswith("word") for draft in drafts)
    assert all(length(draft.text, "utf16") > LIMIT // 2 for draft in drafts[:-1])


def test_the_limit_is_counted_as_telegram_counts() -> None:
    """Emoji count twice, and formatting does not count: 4096 units are one message."""
    assert len(PLATFORM.render(Reply("😀" * 2048))) == 1
    assert len(PLATFORM.render(Reply("😀" * 2049))) == 2
    assert len(PLATFORM.render(Reply("**" + "x" * 4096 + "**"))) == 1
    assert len(PLATFORM.render(Reply("x" * 4097))) == 2


def test_progress_shows_the_beginning() -> None:
    """While an answer grows beyond one message its beginning is shown, with a sign for the rest."""
    (draft,) = PLATFORM.render(Reply("**start** " + "more " * 5000, Tone.PROGRESS))
    assert draft.text.startswith("start more")
    assert draft.text.endswith("…")
    assert length(draft.text, "utf16") <= LIMIT
    assert [under(draft, entity) for entity in entities(draft)] == ["start"]


def test_no_more_entities_than_telegram_keeps() -> None:
    """Of too many styles the code blocks and links stay, and letters go plain."""
    many = " ".join(f"**b{number}**" for number in range(150))
    (draft,) = PLATFORM.render(Reply(f"{many} [link](https://example.com)\n\n```\ncode\n```"))
    kept = entities(draft)
    assert len(kept) == MOST_ENTITIES
    assert {"pre", "text_link", "bold"} == {entity["type"] for entity in kept}
    assert [entity["offset"] for entity in kept] == sorted(entity["offset"] for entity in kept)


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("https://example.com/a?b=c#d", True),
        ("http://192.0.2.7:8080/x", True),
        ("HTTPS://EXAMPLE.COM", True),
        ("https://xn--fsqu00a.xn--0zwm56d/", True),
        ("http://localhost:8000/", False),
        ("https://[::1]/", False),
        ("https://[::1", False),
        ("https://example.com:port/", False),
        ("https://.", False),
        ("/docs", False),
        ("#top", False),
        ("mailto:ada@example.com", False),
        ("ftp://example.com/", False),
        ("javascript:alert(1)", False),
        ("", False),
    ],
)
def test_only_web_addresses_become_links(address: str, *, taken: bool) -> None:
    """What Telegram refuses as a link is written out instead."""
    assert linkable(address) is taken


def test_styles_of_letters_stop_at_code() -> None:
    """Bold round code is bold on both sides of it: Telegram takes neither inside the other."""
    (draft,) = PLATFORM.render(Reply("**a `b` c**"))
    assert [(e["type"], under(draft, e)) for e in entities(draft)] == [
        ("bold", "a "), ("code", "b"), ("bold", " c"),
    ]  # fmt: skip


if __name__ == "__main__":
    for answer in ANSWERS:
        written = json.dumps(
            shown(answer.read_text(encoding="utf-8")), indent=2, ensure_ascii=False
        )
        answer.with_suffix(".json").write_text(written + "\n", encoding="utf-8")
