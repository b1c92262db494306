"""Which text of which messages may be shown."""

import pytest

from threadline.agents.messages import assistant_message, is_human, text_of
from threadline.core.json import Json


@pytest.mark.parametrize("kind", ["ai", "AIMessage", "AIMessageChunk", "assistant", " Ai "])
def test_an_assistants_text_is_shown(kind: str) -> None:
    """Every spelling of an assistant's type is one."""
    message = assistant_message({"type": kind, "content": "hello", "id": "m"})
    assert message is not None
    assert (message.id, message.text) == ("m", "hello")


@pytest.mark.parametrize(
    "payload",
    [
        "a bare string",
        None,
        7,
        [],
        {},
        {"content": "no type"},
        {"type": "human", "content": "x"},
        {"type": "system", "content": "x"},
        {"type": "tool", "content": "x", "name": "search"},
        {"type": "chain", "content": "x"},
        {"type": "domain", "content": "x"},
        {"type": ["ai"], "content": "x"},
        {"type": "constructor", "id": ["messages", "HumanMessage"], "kwargs": {"content": "x"}},
        {"type": "constructor", "id": [], "kwargs": {"content": "x"}},
        {"type": "ai", "content": "x", "additional_kwargs": {"hide_from_ui": True}},
        {
            "type": "constructor",
            "id": ["messages", "AIMessage"],
            "kwargs": {"content": "x", "additional_kwargs": {"hide_from_ui": True}},
        },
    ],
)
def test_nothing_else_is_shown(payload: Json) -> None:
    """Other people's messages, hidden ones and whatever cannot be told are not shown."""
    assert assistant_message(payload) is None


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        (["a", {"type": "text", "text": "b"}], "ab"),
        ([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "b"}], "b"),
        ([{"type": "thinking", "thinking": "hm", "text": "hm"}], ""),
        ([{"type": "tool_use", "text": "no"}, {"type": "image_url", "image_url": {}}], ""),
        ([{"text": "of no type"}], ""),
        ([{"type": "text", "text": 7}, {"type": "text"}, None, 3], ""),
        ({"type": "text", "text": "not in a list"}, ""),
        (None, ""),
        ("half \ud83c of a pair", "half \ufffd of a pair"),
        ("a pair \ud83c\udf88 in halves", "a pair 🎈 in halves"),
    ],
)
def test_only_blocks_of_type_text_are_text(content: Json, text: str) -> None:
    """Reasoning, tool use, media and blocks without a type add nothing; strings do."""
    assert text_of(content) == text


@pytest.mark.parametrize(
    ("payload", "whole"),
    [
        ({"type": "ai", "content": "x"}, True),
        ({"type": "AIMessage", "content": "x"}, True),
        ({"type": "AIMessageChunk", "content": "x"}, False),
        ({"type": "ai", "content": "x", "tool_call_chunks": []}, False),
    ],
)
def test_a_chunk_is_told_from_a_whole_message(payload: Json, whole: object) -> None:
    """JavaScript servers name chunks `ai` too, but only chunks carry tool call chunks."""
    message = assistant_message(payload)
    assert message is not None
    assert message.whole is whole


def test_tools_are_named_once() -> None:
    """A call that is streamed and then repeated complete is one name."""
    message = assistant_message(
        {
            "type": "ai",
            "content": "",
            "tool_calls": [{"name": "search"}, {"name": ""}],
            "tool_call_chunks": [{"name": "search"}, {"name": None}, "odd"],
        }
    )
    assert message is not None
    assert message.tools == ("search",)


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"type": "human", "content": "x"}, True),
        ({"type": "HumanMessage"}, True),
        ({"type": "human", "additional_kwargs": {"hide_from_ui": True}}, False),
        ({"type": "ai"}, False),
        ({"type": "tool"}, False),
    ],
)
def test_a_persons_message_is_known(payload: Json, expected: object) -> None:
    """Hidden messages of type human are not a person's."""
    assert is_human(payload) is expected
