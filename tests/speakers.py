"""An app that speaks to a stub of its platform through the real HTTP driver."""

from dataclasses import dataclass
from typing import Protocol

from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.http import BlobRef, Flow, SaveTo
from threadline.core.message import FileRef
from threadline.core.platform import (
    Edits,
    FetchesFiles,
    Posts,
    ReadsHistory,
    Signals,
    UploadsFiles,
)
from threadline.core.policy import Policy, guarded
from threadline.core.posting import (
    Credentials,
    Destination,
    Draft,
    FileDraft,
    Receipt,
    Reply,
    Stage,
)


class Speaks(Posts, Edits, Signals, ReadsHistory, FetchesFiles, UploadsFiles, Protocol):
    """A platform that can do all of it."""


@dataclass(slots=True)
class PlatformSpeaker:
    """Runs flows under the policy of every flow."""

    http: BlockingHttp
    blobs: FileBlobs
    credentials: Credentials
    platform: Speaks

    def run[T](self, flow: Flow[T]) -> T:
        """Drive one flow."""
        policy = Policy(
            api_hosts=self.platform.traits.api_hosts,
            file_hosts=self.platform.traits.file_hosts,
            base_urls=(self.credentials.base_url,),
            secrets=tuple(self.credentials.secrets.values()),
        )
        return drive(guarded(flow, policy), self.http.perform, VirtualClock())

    def post(self, draft: Draft, to: Destination, nonce: str = "") -> Receipt:
        """Post a draft."""
        return self.run(self.platform.post(draft, to, self.credentials, nonce))

    def say(self, markdown: str, to: Destination) -> list[Receipt]:
        """Post every draft of a Markdown text, each under a nonce of its own."""
        drafts = self.platform.render(Reply(markdown))
        return [self.post(draft, to, f"{at:032x}") for at, draft in enumerate(drafts)]

    def edit(self, draft: Draft, posted: Receipt, to: Destination) -> Receipt:
        """Change a post."""
        return self.run(self.platform.edit(draft, posted, to, self.credentials))

    def find(self, to: Destination, nonce: str) -> Receipt | None:
        """Look for a post by its nonce."""
        return self.run(self.platform.find_posted(Draft(""), to, self.credentials, nonce))

    def signal(self, stage: Stage, to: Destination) -> None:
        """Show a stage."""
        self.run(self.platform.signal(stage, to, self.credentials))

    def fetch(self, file: FileRef, limit: int = 50_000_000) -> bytes | None:
        """Fetch a file and give its bytes."""
        self.run(self.platform.fetch(file, self.credentials, SaveTo("fetched", limit)))
        return self.blobs.get("fetched")

    def upload(self, name: str, body: bytes, to: Destination) -> Receipt:
        """Upload bytes as a file."""
        self.blobs.put("made", body, "text/plain")
        made = FileDraft(name, BlobRef("made", len(body), "text/plain"))
        return self.run(self.platform.upload(made, to, self.credentials))
