"""A run's stream as the Gateway replays it: 256 events are kept, for a minute after the end.

A stream that is joined without a cursor begins with the oldest event that is kept and does not say
whether that is the first; only the first is named `metadata`.
"""

from collections.abc import Iterator
from typing import override

from threadline.agents.sse import Frame
from threadline.agents.stream import EventDecoder
from threadline.core.agent import AgentEvent, StreamGap


class ReplayDecoder(EventDecoder):
    """Sees at a stream's first event whether it goes on where we were; otherwise it is a gap."""

    def __init__(self, cursor: str = "") -> None:
        super().__init__(cursor)
        self._from = cursor
        self._begun = False
        self._astray = False

    @property
    @override
    def cursor(self) -> str:
        """The id to resume after; where we never were in the stream, still the one before it."""
        return self._from if self._astray else super().cursor

    @override
    def _events(self, frame: Frame) -> Iterator[AgentEvent]:
        if not self._begun:
            self._begun = True
            if frame.event == "end":
                return  # nothing is left to replay, and nothing says that the run is over
            self._astray = frame.event != "gap" and self._leads_astray(frame)
            if self._astray:
                yield StreamGap()
        yield from super()._events(frame)

    def _leads_astray(self, frame: Frame) -> bool:
        return (frame.event == "metadata") is bool(self._from)
