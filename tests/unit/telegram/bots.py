"""A bot that speaks to the strict Telegram through the real HTTP driver."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.contract.platforms.telegram import CREDENTIALS
from tests.stubs.telegram import TelegramStub
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.http import BlobRef, Flow, SaveTo
from threadline.core.ids import AppName
from threadline.core.message import FileRef
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
from threadline.platforms.telegram import PLATFORM


@dataclass(slots=True)
class Speaker:
    """Runs flows under the policy of every flow."""

    http: BlockingHttp
    blobs: FileBlobs
    credentials: Credentials

    def run[T](self, flow: Flow[T]) -> T:
        """Drive one flow."""
        policy = Policy(
            api_hosts=PLATFORM.traits.api_hosts,
            base_urls=(self.credentials.base_url,),
            secrets=tuple(self.credentials.secrets.values()),
        )
        return drive(guarded(flow, policy), self.http.perform, VirtualClock())

    def post(self, markdown: str, to: Destination) -> list[Receipt]:
        """Post every draft of a Markdown text."""
        drafts = PLATFORM.render(Reply(markdown))
        return [self.run(PLATFORM.post(draft, to, self.credentials, "")) for draft in drafts]

    def edit(self, markdown: str, posted: Receipt, to: Destination) -> Receipt:
        """Replace a post by the first draft of a Markdown text."""
        draft = PLATFORM.render(Reply(markdown))[0]
        return self.run(PLATFORM.edit(draft, posted, to, self.credentials))

    def post_raw(self, draft: Draft, to: Destination) -> Receipt:
        """Post a draft that no rendering made."""
        return self.run(PLATFORM.post(draft, to, self.credentials, ""))

    def signal(self, stage: Stage, to: Destination) -> None:
        """Show a stage."""
        self.run(PLATFORM.signal(stage, to, self.credentials))

    def fetch(self, file: FileRef) -> bytes | None:
        """Fetch a file and give its bytes."""
        self.run(PLATFORM.fetch(file, self.credentials, SaveTo("fetched", 20_000_000)))
        return self.blobs.get("fetched")

    def upload(self, name: str, mime: str, body: bytes, to: Destination) -> Receipt:
        """Upload bytes as a file."""
        self.blobs.put("made", body, mime)
        made = FileDraft(name, BlobRef("made", len(body), mime))
        return self.run(PLATFORM.upload(made, to, self.credentials))


@contextmanager
def speaking(telegram: TelegramStub, folder: Path) -> Iterator[Speaker]:
    """Give a bot of this Telegram."""
    blobs = FileBlobs(folder)
    http = BlockingHttp(blobs)
    secrets = {**CREDENTIALS.secrets, "bot_token": telegram.token}
    credentials = replace(CREDENTIALS, base_url=telegram.url, secrets=secrets)
    try:
        yield Speaker(http, blobs, credentials)
    finally:
        http.close()


def to(chat: int, anchor: int = 0, thread: int = 0, *, private: bool = True) -> Destination:
    """Name a place to answer in."""
    return Destination(
        platform=PLATFORM.name,
        app=AppName("default"),
        workspace="",
        chat=str(chat),
        anchor=str(anchor) if anchor else "",
        private=private,
        facts={"thread": str(thread)} if thread else {},
    )
