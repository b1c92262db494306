"""Feishu and Lark: a bot in private chats, groups and topics, answering in one card per turn.

Each ability but verifying imports its module when it is used, so that answering a webhook loads no
more than it needs.
"""

from typing import ClassVar

from threadline.core.http import BlobRef, Flow, SaveTo
from threadline.core.ids import PlatformName
from threadline.core.message import FileRef, Parsed, Webhook
from threadline.core.posting import (
    Credentials,
    Destination,
    Draft,
    FileDraft,
    Receipt,
    Reply,
    Stage,
    Traits,
)
from threadline.core.setup import Finding, Needs, Registration, Step
from threadline.platforms.feishu.files import MAX_DOWNLOAD, MAX_UPLOAD
from threadline.platforms.feishu.verify import verify


class Feishu:
    """The codec of the open platform, on open.feishu.cn and open.larksuite.com."""

    name: ClassVar[PlatformName] = PlatformName("feishu")
    traits: ClassVar[Traits] = Traits(
        max_text=20_000,
        text_unit="utf8",
        edit_interval=1.0,
        group_edit_interval=1.0,
        ack_deadline=3.0,
        max_file=MAX_DOWNLOAD,
        max_upload=MAX_UPLOAD,
        placeholder=True,
        shows_queue=True,
        dedupes_posts=True,
        dedupe_window=3600.0,
        api_hosts=frozenset({"open.feishu.cn", "open.larksuite.com"}),
    )
    secrets_needed: ClassVar[tuple[str, ...]] = ("app_id", "app_secret", "verification_token")
    stages: ClassVar[frozenset[Stage]] = frozenset(
        {Stage.ACCEPTED, Stage.RUNNING, Stage.DONE, Stage.REFUSED}
    )

    def verify(self, request: Webhook, credentials: Credentials, now: float) -> None:
        verify(request, credentials, now)

    def parse(self, request: Webhook, credentials: Credentials, now: float) -> Parsed:
        del now
        from threadline.platforms.feishu.parse import parse

        return parse(request, credentials)

    def stamp(
        self, request: Webhook, credentials: Credentials, now: float, fresh: int = 0
    ) -> Webhook:
        from threadline.platforms.feishu.stamp import stamp

        return stamp(request, credentials, now, fresh)

    def render(self, reply: Reply) -> tuple[Draft, ...]:
        from threadline.platforms.feishu.render import render

        return render(reply)

    def exchange(self, credentials: Credentials, to: Destination, now: float) -> Flow[Credentials]:
        """Give a tenant token: one for the whole organisation, whatever the destination."""
        del to
        from threadline.platforms.feishu.rest import exchange

        return exchange(credentials, now)

    def identify(self, credentials: Credentials) -> Flow[Credentials]:
        from threadline.platforms.feishu.api import identify

        return identify(credentials)

    def post(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt]:
        from threadline.platforms.feishu.api import post

        return post(draft, to, credentials, nonce)

    def edit(
        self, draft: Draft, posted: Receipt, to: Destination, credentials: Credentials
    ) -> Flow[Receipt]:
        from threadline.platforms.feishu.api import edit

        return edit(draft, posted, to, credentials)

    def signal(self, stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
        from threadline.platforms.feishu.api import signal

        return signal(stage, to, credentials)

    def find_posted(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt | None]:
        """Look for the card by its element's name; the text itself may stand there many times."""
        del draft
        from threadline.platforms.feishu.history import find_posted

        return find_posted(to, credentials, nonce)

    def fetch(self, file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
        from threadline.platforms.feishu.transfer import fetch

        return fetch(file, credentials, save_to)

    def upload(self, file: FileDraft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
        from threadline.platforms.feishu.transfer import upload

        return upload(file.blob, file.name, to, credentials)

    def needs(self) -> Needs:
        from threadline.platforms.feishu.needs import NEEDS

        return NEEDS

    def guide(self, app: Registration) -> tuple[Step, ...]:
        from threadline.platforms.feishu.guide import guide

        return guide(app)

    def examine(self, app: Registration, now: float) -> Flow[tuple[Finding, ...]]:
        from threadline.platforms.feishu.examine import examine

        return examine(app, now)


PLATFORM = Feishu()
