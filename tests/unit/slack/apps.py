"""An app that speaks to the strict Slack through the real HTTP driver."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.contract.platforms.slack import CREDENTIALS
from tests.speakers import PlatformSpeaker, Speaks
from tests.stubs.slack import SlackStub
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.ids import AppName
from threadline.core.posting import Destination
from threadline.platforms.slack import PLATFORM


@dataclass(slots=True)
class Speaker(PlatformSpeaker):
    """Speaks as this app."""

    platform: Speaks = PLATFORM


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
