"""Frames of a run's stream become events; what cannot be shown becomes none."""

from collections.abc import Iterator
from typing import Final, override

from threadline.agents.messages import assistant_message
from threadline.agents.shapes import Unreadable, decode, items, line, mapping, string
from threadline.agents.sse import Frame, SseDecoder
from threadline.core.agent import (
    AgentEvent,
    Progress,
    StreamDecoder,
    StreamEnded,
    StreamFailed,
    StreamGap,
    TextDelta,
)
from threadline.core.json import Json

LONGEST_LABEL: Final = 80
LONGEST_ERROR: Final = 500
_NAMES: Final = ("name", "tool", "type")


class EventDecoder(StreamDecoder):
    """Decodes the stream modes `messages-tuple` and `custom`, for any bytes."""

    def __init__(self, cursor: str = "") -> None:
        from threadline.agents.tokens import token

        self._frames = SseDecoder(cursor)
        self._message = ""
        self._token = token

    @property
    @override
    def cursor(self) -> str:
        return self._frames.last_id

    @override
    def feed(self, chunk: bytes) -> tuple[AgentEvent, ...]:
        return tuple(event for frame in self._frames.feed(chunk) for event in self._events(frame))

    def _events(self, frame: Frame) -> Iterator[AgentEvent]:
        match frame.event:
            case "messages" | "messages-tuple":
                yield from self._message_events(frame)
            case "error":
                yield StreamFailed(_error(frame.text))
            case "end":
                yield StreamEnded()
            case "gap":
                yield StreamGap()
            case "custom":
                yield from _progress(frame.text)
            case "" if frame.lost:
                yield StreamGap()

    def _message_events(self, frame: Frame) -> Iterator[AgentEvent]:
        """`[message, metadata]`: what is unreadable may have been text, so it leaves a gap."""
        if token := self._token(frame.text):
            self._message = token.id
            yield TextDelta(token.id, token.content)
            return
        try:
            payload = decode(frame.text)
        except Unreadable:
            yield StreamGap()
            return
        pair = items(payload)
        message = assistant_message(pair[0] if pair else payload)
        if message is None:
            return
        if message.failed:
            yield StreamFailed(line(message.text, LONGEST_ERROR))
            return
        for tool in message.tools:
            yield Progress(line(tool, LONGEST_LABEL))
        if message.text:
            self._message = message.id or _id_beside(pair) or self._message
            yield TextDelta(self._message, message.text, whole=message.whole)


def _id_beside(pair: Json) -> str:
    metadata = mapping(items(pair)[1]) if len(items(pair)) > 1 else {}
    return string(metadata.get("message_id")) or string(metadata.get("id"))


def _error(text: str) -> str:
    """`{"error": class, "message": text}`, or `name` in place of `error`."""
    try:
        told = mapping(decode(text))
    except Unreadable:
        told = {}
    words = [string(told.get(key)) for key in ("error", "name", "message")]
    return line(": ".join(word for word in words if word), LONGEST_ERROR) or "unreadable"


def _progress(text: str) -> Iterator[AgentEvent]:
    try:
        told = mapping(decode(text))
    except Unreadable:
        return
    name = next((found for key in _NAMES if (found := string(told.get(key)))), "")
    if name:
        yield Progress(line(name, LONGEST_LABEL))
