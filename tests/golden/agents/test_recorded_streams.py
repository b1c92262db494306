"""Recorded streams give the same events however their bytes are cut.

`langgraph.*` are as a LangGraph Server sent them; `deerflow.*` and `javascript.*` follow what those
servers document; `odd.*` is made up. `<case>.json` beside each holds the events it must give.
"""

import dataclasses
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph_sdk.sse import BytesLineDecoder, SSEDecoder

from threadline.agents.sse import MOST_BYTES, Frame, SseDecoder
from threadline.agents.stream import EventDecoder
from threadline.core.agent import AgentEvent, StreamFailed, StreamGap, TextDelta

HERE = Path(__file__).parent
RECORDED = {path.stem: path.read_bytes() for path in sorted(HERE.glob("*.sse"))}
READABLE_BY_ALL = {name: body for name, body in RECORDED.items() if not name.startswith("odd.")}


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_stream_gives_its_events(name: str) -> None:
    """Each recording gives exactly the events written beside it."""
    expected = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    assert [written(event) for event in EventDecoder().feed(RECORDED[name])] == expected


@given(st.sampled_from(sorted(RECORDED)), st.lists(st.integers(0, 12_000), max_size=12))
def test_cutting_changes_nothing(name: str, cuts: list[int]) -> None:
    """Any cutting of a stream, within characters and line ends too, gives the same events."""
    body = RECORDED[name]
    whole, cut = EventDecoder(), EventDecoder()
    events = [event for piece in pieces(body, cuts) for event in cut.feed(piece)]
    assert events == list(whole.feed(body))
    assert cut.cursor == whole.cursor


@pytest.mark.parametrize("name", RECORDED)
def test_byte_by_byte_changes_nothing(name: str) -> None:
    """A stream that comes one byte at a time gives the same events."""
    decoder = EventDecoder()
    events = [event for byte in RECORDED[name] for event in decoder.feed(bytes([byte]))]
    assert events == list(EventDecoder().feed(RECORDED[name]))


@given(st.lists(st.binary(max_size=200), max_size=10))
def test_random_bytes_never_raise(chunks: list[bytes]) -> None:
    """Whatever arrives, the decoder takes it."""
    decoder = EventDecoder()
    for chunk in chunks:
        decoder.feed(chunk)


LINES = st.sampled_from(
    [b"event: messages", b"event: error", b"event: custom", b"event:end", b"data: {", b"data: [1]",
     b'data: [{"type":"ai","content":["\\ud83d"]}]', b"data: " + b"[" * 3000, b"data", b"id: 1\0",
     b"id: \xff", b"retry: x", b":", b"", b"", b"\xef\xbb\xbfdata: x"]
)  # fmt: skip


@given(st.lists(LINES, max_size=30), st.sampled_from([b"\n", b"\r", b"\r\n"]))
def test_broken_frames_never_raise(lines: list[bytes], end: bytes) -> None:
    """Frames with broken JSON, deep nesting, odd ids and half characters are taken too."""
    for event in EventDecoder().feed(end.join([*lines, b"", b""])):
        if isinstance(event, TextDelta):
            event.text.encode()


@pytest.mark.parametrize("name", READABLE_BY_ALL)
def test_the_vendors_decoder_sees_the_same_frames(name: str) -> None:
    """langgraph-sdk reads the same names, data and ids out of every recording."""
    lines, vendors, ours = BytesLineDecoder(), SSEDecoder(), SseDecoder()
    theirs = []
    for line in lines.decode(RECORDED[name]):
        part = vendors.decode(bytes(line))
        if part is not None:
            theirs.append((part.event, part.data))
    frames = [(frame.event, json.loads(frame.text)) for frame in ours.feed(RECORDED[name])]
    assert frames == theirs
    assert ours.last_id == (vendors.last_event_id or "")


def test_a_frame_over_the_limit_leaves_a_gap() -> None:
    """A frame longer than the limit is not kept; what follows it is read as ever."""
    decoder = EventDecoder()
    events: list[AgentEvent] = list(decoder.feed(b"event: messages\ndata: "))
    for _ in range(MOST_BYTES // 100_000 + 1):
        events += decoder.feed(b"x" * 100_000)
    events += decoder.feed(b"\nid: 7\n\nevent: error\ndata: {}\n\n")
    assert events == [StreamGap(), StreamFailed("unreadable")]
    assert decoder.cursor == "7"


def test_the_rest_of_an_endless_line_is_not_kept() -> None:
    """A line that never ends takes no more memory than the limit."""
    frames = SseDecoder()
    for _ in range(3 * MOST_BYTES // 1_000_000):
        assert frames.feed(b"data: " + b"x" * 1_000_000) == []
        assert len(frames._pending) <= MOST_BYTES
    assert frames.feed(b"\n\n") == [Frame("", "", lost=True)]


def test_a_frame_cut_off_by_the_end_moves_no_cursor() -> None:
    """The id of a frame that did not arrive whole is not resumed after."""
    decoder = EventDecoder("before")
    decoder.feed(b"id: 1\ndata: {}\n\nid: 2\ndata: {}\n")
    assert decoder.cursor == "1"
    assert EventDecoder("before").cursor == "before"


def pieces(body: bytes, cuts: list[int]) -> list[bytes]:
    """Cut a body at these places."""
    places = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts)})
    return [body[start:end] for start, end in pairwise(places)]


def written(event: AgentEvent) -> dict[str, object]:
    """An event as the expectations write it."""
    return {"event": type(event).__name__, **dataclasses.asdict(event)}
