"""Server-sent events: bytes in, frames out.

https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from dataclasses import dataclass, field
from typing import Final

MOST_BYTES: Final = 4_000_000
"""The longest frame that is kept; of a longer one only its name and its end are seen."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_LONGEST_ID: Final = 256


@dataclass(frozen=True, slots=True)
class Frame:
    """One event; `lost` marks one that was longer than MOST_BYTES, whose text is gone."""

    event: str
    text: str
    lost: bool = False


@dataclass(slots=True)
class SseDecoder:
    """Takes a stream's bytes, cut anywhere; never raises.

    `last_id` is the id to resume after: that of the last complete frame which had one.
    """

    last_id: str = ""
    _pending: bytearray = field(default_factory=bytearray)
    _after_return: bool = False
    _at_start: bool = True
    _event: str = ""
    _lines: list[bytes] = field(default_factory=list)
    _size: int = 0
    _lost: bool = False
    _id: str | None = None

    def feed(self, chunk: bytes) -> list[Frame]:
        """Give the frames that these bytes complete."""
        if self._after_return and chunk:
            chunk = chunk.removeprefix(b"\n")  # the second half of a line end that was cut
            self._after_return = False
        if not chunk:
            return []
        self._after_return = chunk.endswith(b"\r")
        lines = chunk.splitlines()
        rest = b"" if chunk.endswith((b"\r", b"\n")) else lines.pop()
        frames = []
        for line in lines:
            frame = self._take(self._completed(line))
            if frame:
                frames.append(frame)
        self._keep(rest)
        return frames

    def _completed(self, end: bytes) -> bytes:
        """Give the line that ends with this."""
        if not self._pending and self._size + len(end) <= MOST_BYTES:
            return end
        self._keep(end)
        line = bytes(self._pending)
        self._pending.clear()
        return line

    def _keep(self, part: bytes) -> None:
        if self._size + len(self._pending) + len(part) > MOST_BYTES:
            self._lost = True
            self._pending[:] = b":"  # what is left of the line counts as a comment
        else:
            self._pending += part

    def _take(self, line: bytes) -> Frame | None:
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line:
            return self._end_frame()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"event":
                self._event = value.decode(errors="replace")
            case b"data":
                self._lines.append(value)
                self._size += len(value) + 1
            case b"id" if _fit_for_header(value):
                self._id = value.decode()
        return None

    def _end_frame(self) -> Frame | None:
        frame = None
        if self._event or self._lines or self._lost:
            text = "" if self._lost else b"\n".join(self._lines).decode(errors="replace")
            frame = Frame(self._event, text, self._lost)
        if self._id is not None:
            self.last_id = self._id
        self._event, self._size, self._lost, self._id = "", 0, False, None
        self._lines.clear()
        return frame


def _fit_for_header(value: bytes) -> bool:
    """An id comes back as `Last-Event-ID`; one that no header can carry is no use."""
    return len(value) <= _LONGEST_ID and value.isascii() and value.decode().isprintable()
