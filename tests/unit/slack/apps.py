"""An app that speaks to the strict Slack through the real HTTP driver."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.contract.platforms.slack import CREDENTIALS
from tests.stubs.slack import SlackStub
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.http import Flow, SaveTo
from threadline.core.ids import AppName
from threadline.core.message import FileRef
from threadline.core.policy import Policy, guarded
from threadline.core.posting import Credentials, Destination, Draft, Receipt, Reply, Stage
from threadline.platforms.slack import PLATFORM


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
            file_hosts=PLATFORM.traits.file_hosts,
            base_urls=(self.credentials.base_url,),
            secrets=tuple(self.credentials.secrets.values()),
        )
        return drive(guarded(flow, policy), self.http.perform, VirtualClock())

    def post(self, draft: Draft, to: Destination, nonce: str = "") -> Receipt:
        """Post a draft."""
        return self.run(PLATFORM.post(draft, to, self.credentials, nonce))

    def say(self, markdown: str, to: Destination) -> list[Receipt]:
        """Post every draft of a Markdown text."""
        return [self.post(draft, to) for draft in PLATFORM.render(Reply(markdown))]

    def edit(self, draft: Draft, posted: Receipt, to: Destination) -> Receipt:
        """Replace a post."""
        return self.run(PLATFORM.edit(draft, posted, to, self.credentials))

    def find(self, to: Destination, nonce: str) -> Receipt | None:
        """Look for a post by its nonce."""
        return self.run(PLATFORM.find_posted(Draft(""), to, self.credentials, nonce))

    def signal(self, stage: Stage, to: Destination) -> None:
        """Show a stage."""
        self.run(PLATFORM.signal(stage, to, self.credentials))

    def fetch(self, file: FileRef, limit: int = 50_000_000) -> bytes | None:
        """Fetch a file and give its bytes."""
        self.run(PLATFORM.fetch(file, self.credentials, SaveTo("fetched", limit)))
        return self.blobs.get("fetched")

    def upload(self, name: str, body: bytes, to: Destination) -> Receipt:
        """Upload bytes as a file."""
        self.blobs.put("made", body, "text/plain")
        flow = PLATFORM.upload(name, "text/plain", "made", len(body), to, self.credentials)
        return self.run(flow)


@contextmanager
def speaking(slack: SlackStub, folder: Path) -> Iterator[Speaker]:
    """Give an app of this workspace."""
    blobs = FileBlobs(folder)
    http = BlockingHttp(blobs)
    secrets = {**CREDENTIALS.secrets, "bot_token": slack.token}
    try:
        yield Speaker(http, blobs, replace(CREDENTIALS, base_url=slack.url, secrets=secrets))
    finally:
        http.close()


def to(
    channel: str, thread: str = "", anchor: str = "", facts: Mapping[str, str] | None = None
) -> Destination:
    """Name a place to answer in."""
    return Destination(
        platform=PLATFORM.name,
        app=AppName("default"),
        workspace="T0ACME001",
        chat=channel,
        anchor=anchor or thread,
        private=channel.startswith("D"),
        facts={**({"thread": thread} if thread else {}), **(facts or {})},
    )
