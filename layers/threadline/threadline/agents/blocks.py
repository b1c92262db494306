"""Event streaming: a run's text as blocks of a message, in a quarter of the bytes of its tokens.

A message starts, its blocks grow, it finishes. Only the start names the message: of two that are
open at once nothing is shown until both have finished. What is no such event is read as a message
of the usual stream.

https://docs.langchain.com/langsmith/event-streaming
"""

from collections.abc import Iterator
from typing import Final, override

from threadline.agents.messages import ASSISTANT
from threadline.agents.shapes import Unreadable, decode, line, mapping, string
from threadline.agents.sse import Frame
from threadline.agents.stream import LONGEST_LABEL, EventDecoder
from threadline.core.agent import AgentEvent, Progress, StreamGap, TextDelta
from threadline.core.json import JsonObject

MARK: Final = "\n"
"""Stands after the id to resume after, once for every message that was open there, and before the
name of one that was open alone; no id of an event has it."""
MOST_OPEN: Final = 100
"""Messages that are counted; where more were open at once, nothing is shown any more."""
LONGEST_ID: Final = 200
_CALLS: Final = frozenset({"tool_call", "tool_call_chunk", "server_tool_call"})


class BlockDecoder(EventDecoder):
    """Decodes streams of either kind, and goes on in the middle of a message."""

    def __init__(self, cursor: str = "") -> None:
        from threadline.agents.tokens import block_text

        last, *opened = cursor.split(MARK)
        super().__init__(last)
        self._block_text = block_text
        self._open = len(opened)
        self._alone = opened[-1] if opened else ""

    @property
    @override
    def cursor(self) -> str:
        """The id to resume after, and what is open there."""
        last = super().cursor
        return f"{last}{MARK * self._open}{self._alone}" if last else ""

    @override
    def _message_events(self, frame: Frame) -> Iterator[AgentEvent]:
        if not frame.text.startswith("{"):
            yield from super()._message_events(frame)
            return
        if added := self._block_text(frame.text):
            yield from self._grown(added)
            return
        try:
            event = mapping(decode(frame.text))
        except Unreadable:
            yield StreamGap()
            return
        if event.get("type") == "event":
            yield from self._block_events(mapping(mapping(event.get("params")).get("data")))
        else:
            yield from super()._message_events(frame)

    def _block_events(self, data: JsonObject) -> Iterator[AgentEvent]:
        match data.get("event"):
            case "message-start":
                self._alone = "" if self._open else self._shown_id(data)
                self._open = min(self._open + 1, MOST_OPEN)
            case "message-finish" | "error":
                self._alone = ""
                if 0 < self._open < MOST_OPEN:
                    self._open -= 1
            case "content-block-start":
                yield from self._begun(mapping(data.get("content")))
            case "content-block-delta":
                delta = mapping(data.get("delta"))
                if delta.get("type") == "text-delta":
                    yield from self._grown(string(delta.get("text")))

    def _begun(self, block: JsonObject) -> Iterator[AgentEvent]:
        kind = string(block.get("type"))
        if kind in _CALLS and (name := string(block.get("name"))):
            yield Progress(line(name, LONGEST_LABEL))
        elif kind == "text":
            yield from self._grown(string(block.get("text")))

    def _grown(self, text: str) -> Iterator[AgentEvent]:
        if not self._open:
            yield StreamGap()
        elif text and self._alone:
            yield TextDelta(self._alone, text)

    def _shown_id(self, data: JsonObject) -> str:
        """Give the id of an assistant's message, "" for one of anybody else."""
        if not string(data.get("role")).startswith(ASSISTANT):
            return ""
        return line(string(data.get("id")), LONGEST_ID)


def resume_after(cursor: str) -> str:
    """Give the id that a server is to go on after."""
    return cursor.partition(MARK)[0]
