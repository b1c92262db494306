import pytest
from hypothesis import given, settings

from tests.contract.platforms.answers import ANSWERS, MARKDOWN, squeezed, words
from tests.unit.buzz.relay import NOW, US
from threadline.core.posting import Draft, Reply, Tone
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.event import CHAT
from threadline.platforms.buzz.frames import publish

FENCE = "```"
FRAME = 65_536
TAGS = (("h", "1" * 51), ("e", "2" * 64, "", "reply"), ("p", "3" * 64))


def check(drafts: tuple[Draft, ...], markdown: str) -> None:
    """Check that drafts are within the limit, whole, and can be signed."""
    for draft in drafts:
        event = US.sign(int(NOW), CHAT, TAGS, draft.text)
        assert event.content == draft.text
        assert 0 < len(publish(event).encode()) <= FRAME
    shown = squeezed("".join(draft.text for draft in drafts))
    assert not [word for word in words(markdown) if word not in shown]


@pytest.mark.parametrize("markdown", ANSWERS.values(), ids=ANSWERS.keys())
def test_an_answer_fits_and_is_whole(markdown: str) -> None:
    """Every draft is within the limit and no word is lost, whatever the agent wrote."""
    check(PLATFORM.render(Reply(markdown)), markdown)


@given(MARKDOWN)
@settings(max_examples=30)
def test_any_markdown_fits_and_is_whole(markdown: str) -> None:
    """Markdown is posted as it is: the clients read it."""
    check(PLATFORM.render(Reply(markdown)), markdown)
    assert "".join(draft.text for draft in PLATFORM.render(Reply(markdown))) == markdown


@pytest.mark.parametrize("markdown", ["", " ", "\n\n"])
def test_nothing_is_not_posted(markdown: str) -> None:
    """An empty reply gives no draft."""
    assert PLATFORM.render(Reply(markdown)) == ()


def test_a_code_block_is_closed_in_every_chunk() -> None:
    """A block that is cut is closed and opened again."""
    code = f"{FENCE}python\n" + "\n".join(f"value_{n} = {n}" for n in range(9000)) + f"\n{FENCE}"
    drafts = PLATFORM.render(Reply(code))
    assert len(drafts) > 1
    assert all(draft.text.count(FENCE) == 2 for draft in drafts)


def test_a_frame_is_within_the_limit_whatever_is_written() -> None:
    """What JSON writes with two characters, or six, counts as such."""
    for text in ('"quoted"\\ and\n' * 9_000, "\t\x01" * 20_000, "你好😀" * 9_000):
        drafts = PLATFORM.render(Reply(text))
        check(drafts, text)
        assert "".join(draft.text for draft in drafts) == text


def test_work_in_progress_is_one_draft() -> None:
    """A growing text is one draft, however long it has become."""
    (draft,) = PLATFORM.render(Reply("word " * 30_000, Tone.PROGRESS))
    assert draft.facts == {"growing": "1"}
