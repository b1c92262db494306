"""A bot whose files go to a strict media server, and its events to a relay on paper."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.stubs.buzz_media import BuzzMedia
from tests.unit.buzz.relay import ANN, NOW, US, credentials
from threadline.app import posting
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.http import BlobRef, Flow, HttpRequest, HttpResponse, Lost, SaveTo
from threadline.core.ids import AppName
from threadline.core.message import FileRef
from threadline.core.posting import Credentials, Destination, FileDraft, Receipt
from threadline.platforms.buzz import PLATFORM

ASKED: Final = "cd" * 32
TO: Final = Destination(
    PLATFORM.name, AppName("default"), "buzz.example.com", "ch-1", anchor=ASKED,
    facts={"author": ANN.pubkey},
)  # fmt: skip
PDF: Final = b"%PDF-1.7 of three pages"
PNG: Final = b"\x89PNG\r\n\x1a\n and a picture"


@dataclass(slots=True)
class Bot:
    """Runs flows under the policy of every flow; `verdicts` are what the relay says next.

    `events` are those that it took; what it does not say itself the media server says of `imeta`.
    """

    media: BuzzMedia
    http: BlockingHttp
    blobs: FileBlobs
    using: Credentials
    verdicts: list[tuple[bool, str] | Lost] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    requests: list[HttpRequest] = field(default_factory=list)

    def run[T](self, flow: Flow[T]) -> T:
        """Drive one flow."""
        return drive(posting.under_policy(PLATFORM, self.using, flow), self.perform, VirtualClock())

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Answer a frame, or send a request."""
        self.requests.append(request)
        if not request.url.startswith("ws"):
            return self.http.perform(request)
        assert isinstance(request.body, bytes)
        event = json.loads(request.body)[1]
        fault = self.media.faults(event["tags"])
        verdict = self.verdicts.pop(0) if self.verdicts else (not fault, fault)
        if isinstance(verdict, Lost):
            return verdict
        if verdict[0]:
            self.events.append(event)
        answer = json.dumps(["OK", event["id"], *verdict]).encode()
        return HttpResponse(200, {"received-at": str(NOW)}, answer)

    def fetch(self, file: FileRef, limit: int = 1_000) -> bytes | None:
        """Fetch a file and give its bytes."""
        blob = self.run(PLATFORM.fetch(file, self.using, SaveTo("fetched", limit)))
        assert blob == BlobRef("fetched", blob.size, file.mime)
        return self.blobs.get("fetched")

    def upload(self, name: str, body: bytes, to: Destination = TO, sha256: str = "") -> Receipt:
        """Upload what an agent made, as it is saved by whoever fetched it."""
        self.blobs.put("made", body)
        made = BlobRef("made", len(body), "text/plain", sha256 or digest(body))
        return self.run(PLATFORM.upload(FileDraft(name, made, NOW + 2.5), to, self.using))


def digest(body: bytes) -> str:
    """Hash a body."""
    return hashlib.sha256(body).hexdigest()


def held(media: BuzzMedia, body: bytes, name: str = "a.pdf", **more: Any) -> FileRef:
    """Let the server keep a file, and give how a message names it."""
    facts = {"mime": "application/pdf", "size": len(body), **more}
    return FileRef(id=media.keep(body), name=name, **facts)


@contextmanager
def speaking(folder: Path, **how: Any) -> Iterator[Bot]:
    """Give a bot that is a member of the relay."""
    blobs = FileBlobs(folder)
    http = BlockingHttp(blobs)
    with BuzzMedia(members={US.pubkey}, **how) as media:
        yield Bot(media, http, blobs, credentials(url=media.url.replace("http", "ws", 1)))
    http.close()
