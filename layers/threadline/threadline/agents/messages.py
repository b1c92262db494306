"""Which text of which messages may be shown: an assistant's own, of type text, not hidden."""

from dataclasses import dataclass
from typing import Final

from threadline.agents.shapes import items, mapping, string
from threadline.core.json import Json, JsonObject

ASSISTANT: Final = ("ai", "assistant")
"""How the type of an assistant's message begins: ai, AIMessage, AIMessageChunk, assistant."""

HIDDEN: Final = "hide_from_ui"
FALLBACK: Final = "deerflow_error_fallback"
"""Marks what an agent says in the model's place when the model failed; holds provider details."""
DETAIL: Final = "error_detail"
"""What the provider said, beside such an excuse."""


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What an assistant wrote; `whole` for a complete message rather than an addition to one.

    `tools` are the tools it calls by name. `failed`: the model did not answer and `text` says why,
    for the operator.
    """

    id: str
    text: str
    whole: bool
    tools: tuple[str, ...] = ()
    failed: bool = False


def assistant_message(payload: Json) -> AssistantMessage | None:
    """Read a message as state or stream carry it; None for whatever must not be shown.

    Bare strings, people's, system and tool messages, unknown types and hidden messages give None.
    """
    outer = mapping(payload)
    fields = _fields(outer)
    kind = kind_of(outer)
    if not kind.startswith(ASSISTANT) or is_hidden(outer):
        return None
    marks = mapping(fields.get("additional_kwargs"))
    text, failed = text_of(fields.get("content")), bool(marks.get(FALLBACK))
    return AssistantMessage(
        id=string(fields.get("id")),
        text=_with_detail(text, string(marks.get(DETAIL))) if failed else text,
        whole=not (kind.endswith("chunk") or "tool_call_chunks" in fields),
        tools=_tools(fields),
        failed=failed,
    )


def kind_of(payload: Json) -> str:
    """Give a message's type in lower case, "" where there is none.

    LangChain writes a message either as its fields or as a constructor with `kwargs`, whose type
    is the last part of the class path in `id`.
    """
    outer = mapping(payload)
    kind = string(outer.get("type")).strip().lower()
    if kind not in {"", "constructor"}:
        return kind
    inner = string(mapping(outer.get("kwargs")).get("type")).strip().lower()
    path = items(outer.get("id"))
    return inner or (string(path[-1]).strip().lower() if path else "")


def is_human(payload: Json) -> bool:
    """Tell a person's message that counts as a turn from every other and from hidden ones."""
    return kind_of(payload).startswith(("human", "user")) and not is_hidden(payload)


def is_hidden(payload: Json) -> bool:
    """Tell whether a message is meant for the model alone."""
    outer = mapping(payload)
    return any(
        mapping(fields.get("additional_kwargs")).get(HIDDEN)
        for fields in (outer, mapping(outer.get("kwargs")))
    )


def id_of(payload: Json) -> str:
    """Give a message's id, "" where there is none."""
    return string(_fields(mapping(payload)).get("id"))


def parts_of(payload: Json) -> tuple[str, tuple[str, ...]]:
    """Give a message's text and the tools it calls by name, whoever wrote it."""
    fields = _fields(mapping(payload))
    return text_of(fields.get("content")), _tools(fields)


def text_of(content: Json) -> str:
    """Join what is text in a message's content; reasoning, tool use and media are not."""
    if isinstance(content, str):
        return string(content)
    return "".join(
        string(block) if isinstance(block, str) else string(mapping(block).get("text"))
        for block in items(content)
        if isinstance(block, str) or mapping(block).get("type") == "text"
    )


def _fields(outer: JsonObject) -> JsonObject:
    if string(outer.get("type")) in {"", "constructor"} and "kwargs" in outer:
        return mapping(outer["kwargs"])
    return outer


def _with_detail(text: str, detail: str) -> str:
    return text if not detail or detail in text else f"{text} ({detail})"


def _tools(fields: JsonObject) -> tuple[str, ...]:
    calls = [*items(fields.get("tool_calls")), *items(fields.get("tool_call_chunks"))]
    names = (string(mapping(call).get("name")) for call in calls)
    return tuple(dict.fromkeys(name for name in names if name))
