import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadline.agents.stream import EventDecoder
from threadline.agents.tokens import Token, token
from threadline.core.agent import AgentEvent, StreamGap, TextDelta

KINDS = ("AIMessageChunk", "AIMessage", "ai", "human", "tool", "constructor", "aimessagechunk", 7)
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["", "\ud83d", "\ud83d\ude00", "\\", "<memory>", "\u2028"]),
    st.none(),
    st.integers(),
    st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=5)})),
)
MARKS: st.SearchStrategy[Any] = st.sampled_from(
    [{}, None, [], {"hide_from_ui": True}, {"hide_from_ui": False}, {"x": 1},
     {"deerflow_error_fallback": True}]
)  # fmt: skip
CALLS: st.SearchStrategy[Any] = st.sampled_from([[], None, {}, [{"name": "search"}], [{}]])
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(KINDS), "content": TEXTS, "id": st.one_of(TEXTS, st.just("ai-1")),
        "additional_kwargs": MARKS, "tool_calls": CALLS, "tool_call_chunks": CALLS,
        "kwargs": st.one_of(st.none(), MARKS.map(lambda marks: {"additional_kwargs": marks})),
        "response_metadata": MARKS,
    },
)  # fmt: skip
LIKELY = MESSAGES.map(lambda message: {"type": "AIMessageChunk", "content": "a", **message})
METADATA = st.sampled_from([{}, None, 3, {"message_id": "beside"}, {"a": [{"b": None}]}])
PAYLOADS = st.one_of(
    st.tuples(MESSAGES, METADATA), st.tuples(LIKELY, METADATA), st.tuples(LIKELY), LIKELY
)


def _none(text: str) -> Token | None:
    """Take nothing for a token."""
    return None


def decoded(body: str, *, fast: bool) -> list[AgentEvent]:
    """Decode one frame, after one that named a message."""
    decoder = EventDecoder()
    if not fast:
        decoder._token = _none
    first = '[{"type":"AIMessageChunk","content":"x","id":"before"},{}]'
    frames = "".join(f"event: messages\ndata: {one}\n\n" for one in (first, body))
    return list(decoder.feed(frames.encode()))[1:]


@given(PAYLOADS)
def test_a_token_is_what_all_rules_make_of_it(payload: Any) -> None:
    """Read the short way or the long way, a frame gives the same events."""
    body = json.dumps(payload)
    assert decoded(body, fast=True) == decoded(body, fast=False)


@given(st.text(alphabet='[]{}",:a1 \\ntrue', max_size=60), st.integers(0, 300))
def test_what_is_no_json_is_read_alike(noise: str, cut: int) -> None:
    """Frames that are cut or spoilt give the same events either way."""
    whole = '[{"type":"AIMessageChunk","content":"abc","id":"x"},{"langgraph_step":1}]'
    for body in (whole[: cut % len(whole)], whole[: cut % len(whole)] + noise):
        assert decoded(body, fast=True) == decoded(body, fast=False)


@pytest.mark.parametrize(
    "body",
    ['[{"type":"AIMessageChunk","content":"a","id":"x","deep":DEEP},{}]', "[{}, DEEP]", "DEEP"],
    ids=["message", "metadata", "frame"],
)
def test_a_frame_nested_too_deeply_is_a_gap(body: str) -> None:
    """What no reader can hold may have been text, and ends nobody's following."""
    deep = "[" * 100_000 + "]" * 100_000
    assert decoded(body.replace("DEEP", deep), fast=True) == [StreamGap()]


@pytest.mark.parametrize(
    "more",
    [
        {"additional_kwargs": {"hide_from_ui": True}},
        {"kwargs": {"additional_kwargs": {"hide_from_ui": True}}},
        {"tool_call_chunks": [{"name": "search"}]},
        {"content": [{"type": "text", "text": "a"}]},
        {"type": "AIMessage"},
    ],
)
def test_nothing_else_passes_for_a_token(more: Mapping[str, Any]) -> None:
    """What is hidden, calls a tool or is whole goes the long way."""
    message = {"type": "AIMessageChunk", "content": "a", "id": "x", **more}
    assert token(json.dumps([message, {}])) is None


def test_a_token_is_read_the_short_way() -> None:
    """A piece of text as a LangGraph Server sends it needs no more than this."""
    message: dict[str, Any] = {
        "content": "two ", "additional_kwargs": {}, "response_metadata": {},
        "type": "AIMessageChunk", "name": None, "id": "run-1", "tool_calls": [],
        "invalid_tool_calls": [], "usage_metadata": None, "tool_call_chunks": [],
    }  # fmt: skip
    found = token(json.dumps([message, {"langgraph_node": "answer"}]))
    assert found is not None
    assert TextDelta(found.id, found.content) == TextDelta("run-1", "two ")
