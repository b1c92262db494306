"""Event streaming: a run's text as blocks of a message, in a quarter of the bytes of its tokens.

A message starts, its blocks grow, it finishes. Only the start names the message; two that are open
at once cannot be told apart. What is no such event is read as a message of the usual stream.

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
"""Parts the id to resume after from the message that was open there; no id of an event has it."""
LONGEST_ID: Final = 200
_CALLS: Final = frozenset({"tool_call", "tool_call_chunk", "server_tool_call"})


class BlockDecoder(EventDecoder):
    """Decodes streams of either kind, and goes on in the middle of a message."""

    def __init__(self, cursor: str = "") -> None:
        from threadline.agents.tokens import block_text

        last, mark, message = cursor.partition(MARK)
        super().__init__(last)
        self._block_text = block_text
        self._open = bool(mark)
        self._message = message

    @property
    @override
    def cursor(self) -> str:
        """The id to resume after, and the message that is open there."""
        last = super().cursor
        return f"{last}{MARK}{self._message}" if last and self._open else last

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
                if self._open:
                    yield StreamGap()  # of two messages at once none can be continued
                self._open, self._message = True, self._shown_id(data)
            case "message-finish" | "error":
                self._open = False
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
        elif text and self._message:
            yield TextDelta(self._message, text)

    def _shown_id(self, data: JsonObject) -> str:
        """Give the id of an assistant's message, "" for one of anybody else."""
        if not string(data.get("role")).startswith(ASSISTANT):
            return ""
        return line(string(data.get("id")), LONGEST_ID)


def resume_after(cursor: str) -> str:
    """Give the id that a server is to go on after."""
    return cursor.partition(MARK)[0]
