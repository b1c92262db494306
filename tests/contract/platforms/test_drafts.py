"""What goes out: within the limit in the platform's own unit, whole, with code blocks closed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.platforms.answers import ANSWERS, MARKDOWN, squeezed, words
from tests.contract.platforms.enrolled import ENROLLED, EVERY_PLATFORM
from tests.contract.platforms.enrolment import Enrolment
from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import length

EVERY_ANSWER = pytest.mark.parametrize("markdown", ANSWERS.values(), ids=ANSWERS.keys())


@EVERY_PLATFORM
@EVERY_ANSWER
def test_an_answer_fits(one: Enrolment, markdown: str) -> None:
    """Every draft is within the limit, says something, and closes the code blocks it opens."""
    check(one, one.platform.render(Reply(markdown)))


@EVERY_PLATFORM
@EVERY_ANSWER
def test_no_word_is_lost(one: Enrolment, markdown: str) -> None:
    """Every word a reader would see of the Markdown stands in the drafts."""
    drafts = one.platform.render(Reply(markdown))
    shown = squeezed("".join(one.visible(draft) for draft in drafts))
    missing = [word for word in words(markdown, source=True) if word not in shown]
    assert not missing


@EVERY_PLATFORM
@EVERY_ANSWER
def test_work_in_progress_is_one_draft(one: Enrolment, markdown: str) -> None:
    """A growing text gives exactly one draft at any moment, however long it has become."""
    for size in {1, len(markdown) // 3, len(markdown) - 1, len(markdown)} - {0, -1}:
        if not markdown[:size].strip():
            continue
        drafts = one.platform.render(Reply(markdown[:size], Tone.PROGRESS))
        assert len(drafts) == 1
        check(one, drafts)


@EVERY_PLATFORM
@pytest.mark.parametrize("tone", Tone)
def test_every_tone_is_rendered(one: Enrolment, tone: Tone) -> None:
    """Answers, questions, notices and progress all give a draft with their text in it."""
    (draft,) = one.platform.render(Reply("Which one?", tone))
    assert "Which one?" in one.visible(draft)


@EVERY_PLATFORM
@pytest.mark.parametrize("markdown", ["", " ", "\n\n", "\t"])
def test_nothing_is_not_posted(one: Enrolment, markdown: str) -> None:
    """An empty reply gives no draft: no platform takes an empty message."""
    assert one.platform.render(Reply(markdown)) == ()


@EVERY_PLATFORM
def test_rendering_is_repeatable(one: Enrolment) -> None:
    """The same reply gives the same drafts, so that a repeated part is the same part."""
    for markdown in ANSWERS.values():
        assert one.platform.render(Reply(markdown)) == one.platform.render(Reply(markdown))


@given(MARKDOWN)
@settings(max_examples=60)
def test_any_markdown_fits_and_is_whole(markdown: str) -> None:
    """Whatever an agent writes, drafts are within the limit and hold every word in order."""
    for one in ENROLLED:
        drafts = one.platform.render(Reply(markdown))
        check(one, drafts)
        shown = squeezed("".join(one.visible(draft) for draft in drafts))
        at = 0
        for word in words(markdown, source=True):
            found = shown.find(squeezed(word), at)
            assert found >= 0, word
            at = found


@given(st.text(max_size=600))
@settings(max_examples=150)
def test_any_text_fits(text: str) -> None:
    """Whatever characters an agent writes, every platform gives drafts that can be sent."""
    for one in ENROLLED:
        check(one, one.platform.render(Reply(text)))


def check(one: Enrolment, drafts: tuple[Draft, ...]) -> None:
    """Check what holds for every draft of every platform."""
    traits = one.platform.traits
    for draft in drafts:
        assert 0 < length(draft.text, traits.text_unit) <= traits.max_text
        assert draft.text.strip()
        draft.text.encode()
        assert one.closed(draft)
        assert all(isinstance(fact, str) for fact in draft.facts.values())
