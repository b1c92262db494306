"""Discord: a bot in channels, threads and direct messages, with slash commands and buttons.

https://docs.discord.com/developers/intro
"""

from typing import ClassVar

from threadline.core.apps import AppSettings
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
from threadline.core.socket import Cursor, Missed, Opening
from threadline.platforms.discord.files import FILE_HOSTS, MAX_DOWNLOAD, MAX_UPLOAD
from threadline.platforms.discord.interaction import PRESSED, TOKEN


class Discord:
    """The codec of Discord: what people write comes by the gateway, what they press by HTTP.

    Each ability imports its module when it is used, so that answering an interaction loads no more
    than it needs.
    """

    name: ClassVar[PlatformName] = PlatformName("discord")
    traits: ClassVar[Traits] = Traits(
        max_text=2000,
        text_unit="utf16",
        edit_interval=1.2,
        group_edit_interval=1.2,
        ack_deadline=3.0,
        mark_again_after=8.0,
        max_file=MAX_DOWNLOAD,
        max_upload=MAX_UPLOAD,
        placeholder=True,
        shows_queue=True,
        dedupes_posts=True,
        dedupe_window=180.0,  # "the past few minutes", says Discord, and no number
        api_hosts=frozenset({"discord.com", ".discord.gg"}),
        file_hosts=FILE_HOSTS,
    )
    socket_transport: ClassVar[str] = "gateway"
    socket_needs: ClassVar[tuple[str, ...]] = ("bot_token",)
    secrets_needed: ClassVar[tuple[str, ...]] = ("bot_token", "public_key")
    stages: ClassVar[frozenset[Stage]] = frozenset({Stage.RUNNING, Stage.FAILED, Stage.REFUSED})

    def render(self, reply: Reply) -> tuple[Draft, ...]:
        from threadline.platforms.discord.render import render

        return render(reply)

    def verify(self, request: Webhook, credentials: Credentials, now: float) -> None:
        from threadline.platforms.discord.verify import verify

        verify(request, credentials, now)

    def parse(self, request: Webhook, credentials: Credentials, now: float) -> Parsed:  # noqa: ARG002
        from threadline.platforms.discord.parse import parse

        return parse(request, credentials)

    def connect(
        self,
        credentials: Credentials,
        app: AppSettings,  # noqa: ARG002
        cursor: Cursor,
        now: float,
        random: float,
    ) -> Opening:
        from threadline.platforms.discord.connecting import connect

        return connect(credentials, cursor, now, random)

    def inquire(
        self,
        credentials: Credentials,
        app: AppSettings,  # noqa: ARG002
        cursor: Cursor,
        now: float,
    ) -> Flow[Cursor]:
        from threadline.platforms.discord.inquiry import inquire

        return inquire(credentials, cursor, now)

    def backfill(
        self,
        credentials: Credentials,
        app: AppSettings,  # noqa: ARG002
        cursor: Cursor,
        now: float,
    ) -> Flow[Missed]:
        from threadline.platforms.discord.backfill import backfill

        return backfill(credentials, cursor, now)

    def stamp(
        self, request: Webhook, credentials: Credentials, now: float, fresh: int = 0
    ) -> Webhook:
        from threadline.platforms.discord.stamp import stamp

        return stamp(request, credentials, now, fresh)

    def identify(self, credentials: Credentials) -> Flow[Credentials]:
        from threadline.platforms.discord import api

        return api.identify(credentials)

    def post(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt]:
        from threadline.platforms.discord import api, followup

        if to.only and PRESSED in to.facts:
            return followup.whisper(draft, to, credentials)
        if TOKEN in to.facts:
            return followup.post(draft, to, credentials, nonce)
        return api.post(draft, to, credentials, nonce)

    def edit(
        self, draft: Draft, posted: Receipt, to: Destination, credentials: Credentials
    ) -> Flow[Receipt]:
        from threadline.platforms.discord import api, followup

        if TOKEN in to.facts:
            return followup.edit(draft, posted, to, credentials)
        return api.edit(draft, posted, to, credentials)

    def find_posted(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt | None]:
        """Look for the words: a nonce is not kept with its message."""
        del nonce
        from threadline.platforms.discord.history import find_posted

        return find_posted(draft, to, credentials)

    def signal(self, stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
        from threadline.platforms.discord import api

        return api.signal(stage, to, credentials)

    def fetch(self, file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
        from threadline.platforms.discord import transfer

        return transfer.fetch(file, credentials, save_to)

    def upload(self, file: FileDraft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
        from threadline.platforms.discord import transfer

        return transfer.upload(file.blob, file.name, to, credentials)

    def needs(self) -> Needs:
        from threadline.platforms.discord.needs import NEEDS

        return NEEDS

    def guide(self, app: Registration) -> tuple[Step, ...]:
        from threadline.platforms.discord.guide import guide

        return guide(app)

    def register(self, app: Registration, now: float) -> Flow[str]:  # noqa: ARG002
        from threadline.platforms.discord.registering import register

        return register(app)

    def examine(self, app: Registration, now: float) -> Flow[tuple[Finding, ...]]:  # noqa: ARG002
        from threadline.platforms.discord.examine import examine

        return examine(app)


PLATFORM = Discord()
