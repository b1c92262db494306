"""Telegram: a bot in private chats, groups and forum topics.

https://core.telegram.org/bots/api
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
from threadline.platforms.telegram import api, parse, stamp, transfer, verify
from threadline.platforms.telegram.files import MAX_DOWNLOAD


class Telegram:
    """The codec of Telegram's Bot API."""

    name: ClassVar[PlatformName] = PlatformName("telegram")
    traits: ClassVar[Traits] = Traits(
        max_text=4096,
        text_unit="utf16",
        edit_interval=1.0,
        group_edit_interval=3.0,
        max_file=MAX_DOWNLOAD,
        max_upload=transfer.MAX_UPLOAD,
        placeholder=True,
        shows_queue=True,
        api_hosts=frozenset({api.HOST}),
        file_hosts=frozenset({api.HOST}),
    )
    secrets_needed: ClassVar[tuple[str, ...]] = ("bot_token", verify.SECRET)
    stages: ClassVar[frozenset[Stage]] = frozenset(api.SIGNS)

    def render(self, reply: Reply) -> tuple[Draft, ...]:
        from threadline.platforms.telegram.render import render

        return render(reply, self.traits.max_text)

    def verify(self, request: Webhook, credentials: Credentials, now: float) -> None:  # noqa: ARG002
        verify.verify(request, credentials)

    def parse(self, request: Webhook, credentials: Credentials, now: float) -> Parsed:  # noqa: ARG002
        return parse.parse(request.body, credentials)

    def stamp(
        self, request: Webhook, credentials: Credentials, now: float, fresh: int = 0
    ) -> Webhook:
        return stamp.stamp(request, credentials, now, fresh)

    def identify(self, credentials: Credentials) -> Flow[Credentials]:
        return api.identify(credentials)

    def post(
        self,
        draft: Draft,
        to: Destination,
        credentials: Credentials,
        nonce: str,  # noqa: ARG002 - Telegram has no idempotency key
    ) -> Flow[Receipt]:
        return api.post(draft, to, credentials)

    def edit(
        self, draft: Draft, posted: Receipt, to: Destination, credentials: Credentials
    ) -> Flow[Receipt]:
        return api.edit(draft, posted, to, credentials)

    def signal(self, stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
        return api.signal(stage, to, credentials)

    def fetch(self, file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
        return transfer.fetch(file, credentials, save_to)

    def upload(self, file: FileDraft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
        return transfer.upload(file.blob, file.name, to, credentials)

    def needs(self) -> Needs:
        from threadline.platforms.telegram.needs import NEEDS

        return NEEDS

    def guide(self, app: Registration) -> tuple[Step, ...]:
        from threadline.platforms.telegram.guide import guide

        return guide(app)

    def examine(self, app: Registration, now: float) -> Flow[tuple[Finding, ...]]:
        from threadline.platforms.telegram.examine import examine

        return examine(app, now)


PLATFORM = Telegram()
