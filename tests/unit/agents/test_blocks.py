"""Event streaming: blocks of messages become the same events as tokens."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadline.agents.blocks import MOST_OPEN, BlockDecoder, resume_after
from threadline.agents.stream import EventDecoder
from threadline.core.agent import AgentEvent, Progress, StreamGap, TextDelta
from threadline.core.visible import VisibleText

START: Mapping[str, Any] = {"event": "message-start", "role": "ai", "id": "m1"}
FINISH: Mapping[str, Any] = {"event": "message-finish"}


def frame(data: Mapping[str, Any], number: int = 0, name: str = "messages") -> str:
    """Write an event as a server does."""
    params = {"namespace": [], "timestamp": 1_796_069_654_705, "data": data}
    event = {"type": "event", "method": "messages", "params": params, "seq": number}
    return f"event: {name}\r\ndata: {json.dumps(event)}\r\nid: {number}-0\r\n\r\n"


def text(piece: str, index: int = 0) -> Mapping[str, Any]:
    """More text of a block."""
    delta = {"type": "text-delta", "text": piece}
    return {"event": "content-block-delta", "index": index, "delta": delta}


def block(**content: Any) -> Mapping[str, Any]:
    """A block that begins."""
    return {"event": "content-block-start", "index": 0, "content": content}


def stream(*told: Mapping[str, Any]) -> bytes:
    """A stream of these events, numbered from 1."""
    return "".join(frame(data, number) for number, data in enumerate(told, 1)).encode()


def decoded(*told: Mapping[str, Any]) -> list[AgentEvent]:
    """What a follower is told."""
    return list(BlockDecoder().feed(stream(*told)))


def test_a_message_grows_under_its_id() -> None:
    """Text of every block of a message belongs to it, whatever stands between."""
    told = decoded(START, block(type="text", text="a"), text("b"), text("c", 2), FINISH)
    assert told == [TextDelta("m1", "a"), TextDelta("m1", "b"), TextDelta("m1", "c")]


def test_messages_follow_one_another() -> None:
    """The text of the last message is what is shown."""
    second = {**START, "id": "m2"}
    told = decoded(START, text("first"), FINISH, second, text("second"), FINISH)
    assert VisibleText().after(told).text == "second"


@pytest.mark.parametrize("kind", ["tool_call", "tool_call_chunk", "server_tool_call"])
def test_a_tool_is_progress(kind: str) -> None:
    """A call of a tool is seen by its name, and its arguments are not."""
    arguments = {"type": "tool-call-delta", "args": '{"city"'}
    told = decoded(
        START,
        block(type=kind, name="weather", id="c1", args=""),
        {"event": "content-block-delta", "index": 0, "delta": arguments},
    )
    assert told == [Progress("weather")]


@pytest.mark.parametrize(
    "data",
    [
        block(type="reasoning", reasoning="hidden"),
        {"event": "content-block-delta", "delta": {"type": "reasoning-delta", "reasoning": "x"}},
        {"event": "content-block-delta", "delta": {"type": "block-delta", "fields": {}}},
        {"event": "content-block-finish", "content": {"type": "text", "text": "again"}},
        {"event": "content-block-delta", "delta": {"type": "text-delta", "text": 7}},
        {"event": "somewhat"},
        {},
    ],
)
def test_what_is_no_text_shows_nothing(data: Mapping[str, Any]) -> None:
    """Reasoning, finished blocks and what is not known change nothing."""
    assert decoded(START, data, text("a")) == [TextDelta("m1", "a")]


@pytest.mark.parametrize("role", ["human", "system", "tool", None])
def test_only_the_assistant_is_shown(role: str | None) -> None:
    """A message of anybody else is passed over to its end."""
    told = decoded({**START, "role": role}, text("a"), FINISH, START, text("b"))
    assert told == [TextDelta("m1", "b")]


def test_two_messages_at_once_cannot_be_told_apart() -> None:
    """While two models speak at once the text stands; what is said alone after them is shown."""
    second, third = ({**START, "id": name} for name in ("m2", "m3"))
    together = [START, text("a"), second, text("b"), FINISH, text("c"), FINISH]
    told = decoded(*together, third, text("d"), FINISH)
    assert told == [TextDelta("m1", "a"), TextDelta("m3", "d")]


@pytest.mark.parametrize("left", [1, 2])
def test_who_comes_while_two_speak_shows_neither(left: int) -> None:
    """How many messages are open is known to whoever takes over, and so is that one is unknown."""
    second, third = ({**START, "id": name} for name in ("m2", "m3"))
    decoder = BlockDecoder()
    decoder.feed(stream(START, second, *[FINISH] * (2 - left)))
    after = BlockDecoder(decoder.cursor)
    assert resume_after(decoder.cursor) == f"{4 - left}-0"
    assert after.feed(stream(text("b"), *[FINISH] * left, third, text("c"))) == (
        TextDelta("m3", "c"),
    )


def test_more_messages_at_once_than_are_counted_are_never_shown() -> None:
    """The count stops at a bound, and with it what is shown; the cursor stays short."""
    decoder = BlockDecoder()
    decoder.feed(stream(*[START] * (MOST_OPEN + 5)))
    assert len(decoder.cursor) < MOST_OPEN + 10
    assert BlockDecoder(decoder.cursor).feed(stream(*[FINISH] * MOST_OPEN, START, text("a"))) == ()


def test_a_message_that_breaks_off_is_not_mixed_with_the_next() -> None:
    """A model that fails says so in no event: the next attempt may as well be a second model."""
    told = decoded(START, text("half"), {**START, "id": "m2"}, text("whole"), FINISH)
    assert told == [TextDelta("m1", "half")]


def test_a_failed_message_is_over() -> None:
    """After a model's error the next one begins without a gap."""
    told = decoded(START, text("a"), {"event": "error", "message": "x"}, {**START, "id": "m2"})
    assert told == [TextDelta("m1", "a")]


def test_text_of_no_message_is_a_gap() -> None:
    """Who comes into the middle of a message does not know which."""
    assert decoded(text("lost"))[0] == StreamGap()


def test_subgraphs_are_not_shown() -> None:
    """What an agent's own agents say stays inside, as on the usual stream."""
    inner = frame(START, 1, "messages|child:1") + frame(text("inner"), 2, "messages|child:1")
    assert BlockDecoder().feed(inner.encode()) == ()


def test_a_spoilt_event_is_a_gap() -> None:
    """What cannot be read may have been text."""
    assert BlockDecoder().feed(b'event: messages\ndata: {"type":"event"\n\n') == (StreamGap(),)


PIECES = st.lists(st.text(max_size=5), max_size=8)


@given(PIECES, PIECES, st.integers(0, 12))
def test_a_stream_goes_on_after_any_event(first: list[str], second: list[str], cut: int) -> None:
    """Left after any event and resumed there, a stream tells what it tells in one go."""
    told = [START, *map(text, first), FINISH, {**START, "id": "m2"}, *map(text, second)]
    whole = list(BlockDecoder().feed(stream(*told)))
    cut = min(cut, len(told))
    decoder = BlockDecoder()
    before = decoder.feed(stream(*told[:cut]))
    assert resume_after(decoder.cursor) == (f"{cut}-0" if cut else "")
    rest = "".join(frame(data, number) for number, data in enumerate(told[cut:], cut + 1))
    assert [*before, *BlockDecoder(decoder.cursor).feed(rest.encode())] == whole


def _nothing(text: str) -> str:
    """Take nothing for a piece of text."""
    del text
    return ""


@given(st.lists(st.sampled_from([START, FINISH, text("a"), block(type="text", text="b")])))
def test_long_and_short_ways_agree(told: list[Mapping[str, Any]]) -> None:
    """Read the short way or by all rules, events are the same."""
    slow = BlockDecoder()
    slow._block_text = _nothing
    assert slow.feed(stream(*told)) == BlockDecoder().feed(stream(*told))


@given(st.text(alphabet='{}",:a1 \\neventtyp', max_size=60), st.integers(0, 300))
def test_noise_raises_nothing(noise: str, cut: int) -> None:
    """A frame that is cut or spoilt gives a gap or nothing."""
    body = json.dumps({"type": "event", "params": {"data": text("abc")}})
    spoilt = body[: cut % len(body)] + noise
    events = BlockDecoder().feed(f"event: messages\ndata: {spoilt}\n\n".encode())
    assert all(isinstance(event, StreamGap | TextDelta) for event in events)


@pytest.mark.parametrize("kind", [{}, ["tool_call"], 7])
def test_a_kind_that_is_no_word_is_no_tool(kind: Any) -> None:
    """A block of no known shape changes nothing."""
    assert decoded(START, block(type=kind, name="weather"), text("a")) == [TextDelta("m1", "a")]


@pytest.mark.parametrize("place", ["event", "params", "delta"])
def test_an_event_nested_too_deeply_is_a_gap(place: str) -> None:
    """What no reader can hold may have been text, and ends nobody's following."""
    deep = "[" * 100_000 + "]" * 100_000
    delta: dict[str, Any] = {"type": "text-delta", "text": "a"}
    params: dict[str, Any] = {"data": {"event": "content-block-delta", "delta": delta}}
    event: dict[str, Any] = {"type": "event", "params": params}
    {"event": event, "params": params, "delta": delta}[place]["deep"] = "DEEP"
    body = json.dumps(event).replace('"DEEP"', deep)
    decoder = BlockDecoder("7-0\nm1")
    assert decoder.feed(f"event: messages\ndata: {body}\n\n".encode()) == (StreamGap(),)
    assert decoder.feed(frame(text("b"), 8).encode()) == (TextDelta("m1", "b"),)


@given(st.text(alphabet='[]{}",:a1 \\ntypeAIMsagChunkcotid', max_size=80))
def test_the_usual_stream_is_read_as_before(noise: str) -> None:
    """What is no event is read by the rules of the usual stream."""
    frames = [json.dumps([{"type": "AIMessageChunk", "content": "a", "id": "x"}, {}]), noise]
    for body in frames:
        bytes_ = f"event: messages\ndata: {body}\nid: 7\n\n".encode()
        usual, ours = EventDecoder(), BlockDecoder()
        assert ours.feed(bytes_) == usual.feed(bytes_)
        assert ours.cursor == usual.cursor
