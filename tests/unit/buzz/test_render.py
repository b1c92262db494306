import pytest
from hypothesis import given, settings

from tests.contract.platforms.answers import ANSWERS, MARKDOWN, squeezed, words
from tests.unit.buzz.relay import US
from threadline.core.posting import Draft, Reply, Tone
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.event import CHAT
from threadline.platforms.buzz.render import MAX_BYTES

FENCE = "```"


def check(drafts: tuple[Draft, ...], markdown: str) -> None:
    """Check that drafts are within the limit, whole, and can be signed."""
    for draft in drafts:
        assert 0 < len(draft.text.encode()) <= MAX_BYTES
        assert US.sign(1, CHAT, (), draft.text).content == draft.text
    shown = squeezed("".join(draft.text for draft in drafts))
    assert not [word for word in words(markdown) if word not in shown]


@pytest.mark.parametrize("markdown", ANSWERS.values(), ids=ANSWERS.keys())
def test_an_answer_fits_and_is_whole(markdown: str) -> None:
    """Every draft is within the limit and no word is lost, whatever the agent wrote."""
    check(PLATFORM.render(Reply(markdown)), markdown)


@given(MARKDOWN)
@settings(deadline=None, max_examples=30)
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


def test_work_in_progress_is_one_draft() -> None:
    """A growing text is one draft, however long it has become."""
    (draft,) = PLATFORM.render(Reply("word " * 30_000, Tone.PROGRESS))
    assert draft.facts == {"growing": "1"}
