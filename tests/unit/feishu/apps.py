"""An app that speaks to the strict Feishu through the real HTTP driver."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.contract.platforms.feishu import CREDENTIALS
from tests.stubs.feishu import FeishuStub
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.http import Flow, SaveTo
from threadline.core.ids import AppName
from threadline.core.message import FileRef
from threadline.core.policy import Policy, guarded
from threadline.core.posting import Credentials, Destination, Draft, Receipt, Reply, Stage
from threadline.platforms.feishu import PLATFORM


@dataclass(slots=True)
class Speaker:
    """Runs flows under the policy of every flow."""

    http: BlockingHttp
    blobs: FileBlobs
    credentials: Credentials

    def run[T](self, flow: Flow[T]) -> T:
        """Drive one flow."""
        policy = Policy(
            base_urls=(self.credentials.base_url,),
            secrets=tuple(self.credentials.secrets.values()),
        )
        return drive(guarded(flow, policy), self.http.perform, VirtualClock())

    def post(self, draft: Draft, to: Destination, nonce: str = "") -> Receipt:
        """Post a draft."""
        return self.run(PLATFORM.post(draft, to, self.credentials, nonce))

    def say(self, markdown: str, to: Destination) -> list[Receipt]:
        """Post every draft of a Markdown text, each under a nonce of its own."""
        drafts = PLATFORM.render(Reply(markdown))
        return [self.post(draft, to, f"{at:032x}") for at, draft in enumerate(drafts)]

    def edit(self, draft: Draft, posted: Receipt, to: Destination) -> Receipt:
        """Change a post."""
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
        self.blobs.put("made", body, "application/octet-stream")
        flow = PLATFORM.upload(name, "", "made", len(body), to, self.credentials)
        return self.run(flow)


@contextmanager
def speaking(feishu: FeishuStub, folder: Path) -> Iterator[Speaker]:
    """Give an app of this organisation, with a token."""
    blobs = FileBlobs(folder)
    http = BlockingHttp(blobs)
    bare = replace(CREDENTIALS, base_url=feishu.url, secrets=dict(feishu.secrets))
    speaker = Speaker(http, blobs, bare)
    try:
        speaker.credentials = speaker.run(PLATFORM.exchange(bare, to("oc_any"), feishu.clock()))
        yield speaker
    finally:
        http.close()


def to(chat: str, anchor: str = "", facts: Mapping[str, str] | None = None) -> Destination:
    """Name a place to answer in."""
    return Destination(
        platform=PLATFORM.name,
        app=AppName("default"),
        workspace="",
        chat=chat,
        anchor=anchor,
        facts=facts or {},
    )
