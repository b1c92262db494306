"""An HTTP/1.1 answer on its way: bytes in, its head once, then the pieces of its body.

https://www.rfc-editor.org/rfc/rfc9112
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

LONGEST_HEAD: Final = 65_536
LONGEST_LINE: Final = 8_192
"""Bytes of the size of a chunk with its extensions, or of a trailer."""

_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_LONGEST_END: Final = 4
_STATUS: Final = re.compile(rb"HTTP/1\.([01]) ([1-5]\d\d)(?: [^\r\n]*)?")
_FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)")
_LENGTH: Final = re.compile(rb"\d{1,15}")
_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
_NO_BODY: Final = frozenset({204, 304})


class Malformed(Exception):
    """The answer is not as HTTP/1.1 wants it."""


class _Phase(Enum):
    HEAD = "head"
    SIZED = "a body of known length, or one that lasts as long as its connection"
    SIZE = "the size of a chunk"
    CHUNK = "a chunk"
    GAP = "the line end behind a chunk"
    TRAILER = "fields behind the last chunk"
    END = "nothing more"


@dataclass(slots=True)
class AnswerReader:
    """Takes an answer's bytes, cut anywhere; `status` is 0 until its head is whole.

    Answers that only announce another one (1xx) are passed over. `left` counts the bytes that are
    to come of a body or chunk, None where only the end of the connection ends the body. `begun`
    says that anything came.
    """

    status: int = 0
    headers: tuple[tuple[bytes, bytes], ...] = ()
    left: int | None = 0
    begun: bool = False
    _stays: bool = False
    _phase: _Phase = _Phase.HEAD
    _pending: bytes = b""
    _searched: int = 0

    @property
    def ended(self) -> bool:
        """Whether the answer is whole."""
        return self._phase is _Phase.END

    @property
    def lasts(self) -> bool:
        """Whether the answer is whole, and its connection takes a further request.

        Not one on which more came than the answer: it would pass for the next one.
        """
        return self.ended and self._stays

    def feed(self, received: bytes) -> list[bytes]:
        """Give the pieces of the body that came. Raises Malformed."""
        self.begun = True
        received, self._pending = self._pending + received, b""
        if self._phase is _Phase.HEAD:
            received = self._read_head(received)
        match self._phase:
            case _Phase.HEAD:
                return []
            case _Phase.SIZED:
                pieces, rest = self._sized(received)
            case _:
                pieces, rest = self._chunked(received)
        self._stays &= not rest
        return pieces

    def close(self) -> bool:
        """Say that the connection ended; tell whether the answer is whole."""
        self._stays = False
        if self._phase is _Phase.SIZED and self.left is None:
            self._phase = _Phase.END
        return self.ended

    def _read_head(self, received: bytes) -> bytes:
        """Read heads until one is no announcement; give what came behind it."""
        while found := _HEAD_END.search(received, self._searched, LONGEST_HEAD):
            head, received = received[: found.start()], received[found.end() :]
            self._searched = 0
            self._begin(head)
            if self.status:
                return received
        if len(received) >= LONGEST_HEAD:
            raise Malformed("the head is too long")
        self._pending, self._searched = received, max(0, len(received) - _LONGEST_END)
        return b""

    def _begin(self, head: bytes) -> None:
        first, *lines = head.replace(b"\r\n", b"\n").split(b"\n")
        status, fields = _STATUS.fullmatch(first), [_FIELD.fullmatch(line) for line in lines]
        if status is None or None in fields:
            raise Malformed("the head cannot be read")
        if status[2] == b"101":
            raise Malformed("another protocol was not asked for")
        if status[2] < b"200":
            return
        self.status = int(status[2])
        self.headers = tuple((one[1].lower(), one[2].strip(b" \t")) for one in fields if one)
        self._stays = status[1] == b"1" and b"close" not in self._options()
        codings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
        lengths = {value for name, value in self.headers if name == b"content-length"}
        self.left = None
        if self.status in _NO_BODY:
            self._phase = _Phase.END
        elif codings:
            if codings != [b"chunked"]:
                raise Malformed("a transfer coding was not asked for")
            self._phase = _Phase.SIZE
            self._stays &= not lengths  # said two ways: what follows is not to be trusted
        else:
            self._phase = _Phase.SIZED
            self._measure(lengths)

    def _options(self) -> set[bytes]:
        """Give what the answer says of its connection (RFC 9110, 7.6.1)."""
        said = b",".join(value for name, value in self.headers if name == b"connection")
        return {option.strip(b" \t").lower() for option in said.split(b",")}

    def _measure(self, lengths: set[bytes]) -> None:
        if not lengths:
            return
        if len(lengths) > 1 or not _LENGTH.fullmatch(next(iter(lengths))):
            raise Malformed("the length cannot be read")
        self.left = int(lengths.pop())
        if not self.left:
            self._phase = _Phase.END

    def _sized(self, received: bytes) -> tuple[list[bytes], bytes]:
        """Give the pieces of the body that came, and what came behind it."""
        rest = b""
        if self.left is not None:
            received, rest = received[: self.left], received[self.left :]
            self.left -= len(received)
            if not self.left:
                self._phase = _Phase.END
        return [received] if received else [], rest

    def _chunked(self, received: bytes) -> tuple[list[bytes], bytes]:
        """Give the pieces of the body that came, and what came behind it."""
        pieces, at = [], 0
        while at < len(received) and self._phase is not _Phase.END:
            if self._phase is _Phase.CHUNK:
                piece = received[at : at + (self.left or 0)]
                pieces.append(piece)
                at += len(piece)
                self.left = (self.left or 0) - len(piece)
                if not self.left:
                    self._phase = _Phase.GAP
                continue
            end = received.find(b"\n", at)
            if end < 0:
                self._pending = received[at:]
                if len(self._pending) > LONGEST_LINE:
                    raise Malformed("a line is too long")
                return pieces, b""
            self._take_line(received[at:end].removesuffix(b"\r"))
            at = end + 1
        return pieces, received[at:]

    def _take_line(self, line: bytes) -> None:
        match self._phase:
            case _Phase.SIZE:
                size = _SIZE.fullmatch(line)
                if size is None:
                    raise Malformed("the size of a chunk cannot be read")
                self.left = int(size[1], 16)
                self._phase = _Phase.CHUNK if self.left else _Phase.TRAILER
            case _Phase.GAP:
                if line:
                    raise Malformed("a chunk is longer than its size")
                self._phase = _Phase.SIZE
            case _ if not line:
                self._phase = _Phase.END
