"""HTTP as values, and flows: conversations with an API written as generators.

A flow yields what it wants done (`HttpRequest` or `Pause`) and is sent what came of it
(`HttpResponse` or `Lost`). It holds no socket, so a test drives it with canned answers.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class BlobRef:
    """A stored body by name; `size` in bytes, `sha256` in hex where that is known."""

    name: str
    size: int
    mime: str = "application/octet-stream"
    sha256: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Joined:
    """Parts sent one after another as one body: a multipart form round a stored file."""

    parts: tuple[bytes | BlobRef, ...] = field(repr=False)

    @property
    def size(self) -> int:
        """The length of the whole body in bytes."""
        return sum(len(part) if isinstance(part, bytes) else part.size for part in self.parts)


@dataclass(frozen=True, slots=True)
class SaveTo:
    """Write the response body to this blob and refuse more than `limit` bytes."""

    name: str
    limit: int


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request; `repeatable` says that sending it twice does no harm.

    `headers` and `url` may hold secrets: neither is ever logged. `label` is what logs show.
    `public` marks a download from `Traits.file_hosts` rather than a call to the API's own host.
    `configured` is set by the policy alone: the address stands in the configuration as written,
    so that loopback and private addresses are admitted.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    url: str = field(repr=False)
    label: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | BlobRef | Joined = field(default=b"", repr=False)
    timeout: float = 10.0
    repeatable: bool = False
    save_to: SaveTo | None = None
    public: bool = False
    configured: bool = False


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An answer; header names are lower case. With `save_to`, `body` is empty and `saved` set."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    saved: BlobRef | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """No answer; `sent` says whether the request may have reached the other side.

    `why`: `refused` and `forbidden` (address not admitted) never reached it; `too_large` is a
    download that went over its `SaveTo.limit`.
    """

    why: Literal["refused", "forbidden", "timeout", "reset", "too_large"]
    sent: bool


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait this many seconds, then go on."""

    seconds: float


type Take = Callable[[bytes], bool]
"""Takes bytes as they come, and says whether it has enough."""

type Flow[T] = Generator[HttpRequest | Pause, HttpResponse | Lost | None, T]


def ask(request: HttpRequest) -> Flow[HttpResponse | Lost]:
    """Yield one request inside a flow and give its answer, never None."""
    answer = yield request
    if answer is None:
        raise TypeError("the driver resumed a request without an answer")
    return answer


def pause(seconds: float) -> Flow[None]:
    """Wait inside a flow."""
    yield Pause(seconds)
