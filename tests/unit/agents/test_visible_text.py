"""The text that a stream has shown."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadline.core.agent import AgentEvent, Progress, StreamEnded, StreamGap, TextDelta
from threadline.core.visible import MOST_MESSAGES, Grown, VisibleText


def shown(*events: AgentEvent) -> str:
    """The text after these events."""
    return VisibleText().after(events).text


@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        (["Hello", " world"], "Hello world"),
        (["谢", "谢"], "谢谢"),
        (["hel", "l"], "hell"),
        (["Hel", "Hello"], "Hello"),
        (["a", "", "b"], "ab"),
        (["no", "no", "no"], "nonono"),
    ],
)
def test_chunks_are_added(chunks: list[str], text: str) -> None:
    """Repeated characters survive; only a longer text that begins with all there is replaces it."""
    assert shown(*(TextDelta("m", chunk) for chunk in chunks)) == text


def test_a_new_message_replaces_the_shown_one() -> None:
    """What an assistant said before it used a tool makes way for what it says after."""
    assert shown(TextDelta("a", "Let me look."), TextDelta("b", "Found")) == "Found"


def test_messages_that_take_turns_keep_their_texts() -> None:
    """Two model calls in one stream do not lose each other's beginnings."""
    events = [TextDelta("a", "one "), TextDelta("b", "uno "), TextDelta("a", "two")]
    assert shown(*events) == "one two"
    assert shown(*events, TextDelta("b", "due")) == "uno due"


def test_a_whole_message_replaces_its_own_chunks() -> None:
    """A complete message stands for all its chunks."""
    assert shown(TextDelta("a", "wrong"), TextDelta("a", "right", whole=True)) == "right"


def test_after_a_gap_only_whole_texts_count() -> None:
    """Text with a hole in it is never gone on with."""
    broken = VisibleText().after([TextDelta("a", "one "), StreamGap()])
    assert broken.after([TextDelta("a", "three"), TextDelta("b", "x")]).text == "one "
    assert broken.after([TextDelta("c", "All of it.", whole=True)]).text == "All of it."


def test_other_events_show_nothing() -> None:
    """Progress and the end leave the text as it is."""
    assert shown(TextDelta("a", "text"), Progress("search"), StreamEnded()) == "text"


def test_a_follower_that_takes_over_goes_on() -> None:
    """With the text alone the next chunk is added; with the message too, another one replaces."""
    assert VisibleText(Grown("one ")).after([TextDelta("a", "two")]).text == "one two"
    assert VisibleText(Grown("one "), "a").after([TextDelta("b", "two")]).text == "two"


def test_only_so_many_messages_are_kept() -> None:
    """A stream of very many messages does not grow without end."""
    text = VisibleText().after(TextDelta(str(number), "x") for number in range(100))
    assert len(text.others) <= MOST_MESSAGES


@given(st.lists(st.text(max_size=5), max_size=20), st.integers(0, 20))
def test_folding_in_steps_changes_nothing(chunks: list[str], cut: int) -> None:
    """Events may be folded one by one or many at once."""
    events = [TextDelta("m", chunk) for chunk in chunks]
    assert VisibleText().after(events[:cut]).after(events[cut:]) == VisibleText().after(events)


@pytest.mark.parametrize("messages", ["a", "ab"], ids=["one message", "two in turns"])
def test_a_long_answer_costs_by_its_length(messages: str) -> None:
    """A megabyte in small pieces takes a moment; by the square of its length it took 30 s."""
    began, shown, count = time.process_time(), VisibleText(), 250_000
    for number in range(count):
        shown = shown.after((TextDelta(messages[number % len(messages)], "word"),))
    assert shown.text == "word" * (count // len(messages))
    assert time.process_time() - began < 10
