"""A run's stream as it is joined: where it goes on, and how it shows what is missing."""

import json

import pytest

from tests.unit.agents.deerflow.asking import ACCESS, AGENT, OWNER, RUN, THREAD, URL
from threadline.core.agent import AgentEvent, StreamEnded, StreamFailed, StreamGap, TextDelta
from threadline.core.json import Json
from threadline.core.visible import Grown, VisibleText

END = b"event: end\ndata: null\n\n"
BEAT = b": heartbeat\n\n"


def frame(name: str, payload: Json, id_: str) -> bytes:
    """Write an event as the Gateway does."""
    return f"event: {name}\ndata: {json.dumps(payload)}\nid: {id_}\n\n".encode()


def chunk(text: str, id_: str) -> bytes:
    """Write a piece of the answer."""
    message = {"type": "AIMessageChunk", "id": "m", "content": text}
    return frame("messages", [message, {}], id_)


BEGIN = frame("metadata", {"run_id": RUN, "thread_id": THREAD}, "1795-0")


def decoded(cursor: str, *chunks: bytes) -> tuple[list[AgentEvent], str]:
    """Decode a stream joined at a cursor; give its events and where it may be taken up."""
    decoder = AGENT.decoder(cursor)
    events = [event for one in chunks for event in decoder.feed(one)]
    return events, decoder.cursor


def test_a_stream_is_followed_from_its_cursor() -> None:
    """Without a cursor no header asks for one: the oldest event that is kept comes first."""
    fresh = AGENT.follow(THREAD, RUN, "", OWNER, ACCESS)
    assert fresh.url == f"{URL}/api/threads/{THREAD}/runs/{RUN}/stream"
    assert "last-event-id" not in fresh.headers
    resumed = AGENT.follow(THREAD, RUN, "1795-7", OWNER, ACCESS)
    assert resumed.headers["last-event-id"] == "1795-7"
    assert resumed.headers["accept"] == "text/event-stream"


def test_a_stream_from_its_beginning_is_whole() -> None:
    """Heartbeats are nothing, and the cursor is the last event's."""
    events, cursor = decoded("", BEGIN, BEAT, chunk("he", "1795-1"), BEAT, chunk("llo", "1796-2"))
    assert events == [TextDelta("m", "he"), TextDelta("m", "llo")]
    assert cursor == "1796-2"


def test_a_stream_that_goes_on_is_whole() -> None:
    """After a cursor the first event is any but the first."""
    events, cursor = decoded("1795-1", chunk("llo", "1796-2"), END)
    assert events == [TextDelta("m", "llo"), StreamEnded()]
    assert cursor == "1796-2"


def test_a_stream_whose_beginning_is_dropped_leaves_a_gap() -> None:
    """The Gateway does not say that it forgot the first events: their absence does."""
    events, cursor = decoded("", chunk("in the middle", "1799-149"), END)
    assert events[0] == StreamGap()
    assert VisibleText().after(events).text == ""
    assert cursor == ""


def test_a_replay_from_the_beginning_is_not_added() -> None:
    """Whoever was far on and gets everything again shows none of it twice."""
    before = VisibleText(Grown("hello"), "m")
    events, cursor = decoded("9999-5", BEGIN, chunk("hello", "1795-1"))
    assert before.after(events).text == "hello"
    assert cursor == "9999-5"


def test_a_gap_that_is_told_is_one() -> None:
    """The frame that tells it has no id, and the stream closes without an end."""
    told = b'event: gap\ndata: {"code": "stream_replay_gap"}\n\n'
    assert decoded("1795-1", told) == ([StreamGap()], "1795-1")


@pytest.mark.parametrize("cursor", ["", "1795-7"])
def test_an_end_alone_says_nothing(cursor: str) -> None:
    """A minute after the end, or on another worker, it is all there is: the run is read instead."""
    assert decoded(cursor, END) == ([], cursor)
    assert decoded(cursor, BEAT, END) == ([], cursor)


def test_nothing_of_the_models_own_is_shown() -> None:
    """People's words, memories, results of tools and whole states are no answer."""
    hidden = {"hide_from_ui": True}
    memory: Json = {"type": "human", "content": "<memory>", "additional_kwargs": hidden}
    events, _ = decoded(
        "",
        BEGIN,
        frame("messages", [{"type": "human", "id": "t__user", "content": "mine"}, {}], "1795-1"),
        frame("messages", [memory, {}], "1795-2"),
        frame("messages", [{"type": "tool", "name": "web_search", "content": "found"}, {}], "1-3"),
        frame("values", {"messages": [{"type": "ai", "content": "all"}], "title": "T"}, "1795-4"),
        END,
    )
    assert events == [StreamEnded()]


def test_a_failed_models_excuse_is_no_text() -> None:
    """It comes as a whole message under another id and reads as the failure that it is."""
    excuse: Json = {"type": "ai", "id": "x", "content": "The LLM provider is unavailable",
              "additional_kwargs": {"deerflow_error_fallback": True}}  # fmt: skip
    events, _ = decoded("", BEGIN, chunk("Half", "1-1"), frame("messages", [excuse, {}], "1-2"))
    assert events == [
        TextDelta("m", "Half"), StreamFailed("The LLM provider is unavailable"),
    ]  # fmt: skip
