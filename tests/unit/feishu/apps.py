"""An app that speaks to the strict Feishu through the real HTTP driver."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.contract.platforms.feishu import CREDENTIALS
from tests.speakers import PlatformSpeaker, Speaks
from tests.stubs.feishu import FeishuStub
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.ids import AppName
from threadline.core.posting import Destination
from threadline.platforms.feishu import PLATFORM


@dataclass(slots=True)
class Speaker(PlatformSpeaker):
    """Speaks as this app."""

    platform: Speaks = PLATFORM


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
