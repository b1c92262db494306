"""Slack: an app that is mentioned in channels or written to directly, and answers in the thread.

Each ability but verifying imports its module when it is used, so that answering a webhook loads no
more than it needs, and posting no decoder of webhooks.
https://docs.slack.dev/apis/events-api
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
from threadline.platforms.slack.files import MAX_DOWNLOAD, MAX_UPLOAD
from threadline.platforms.slack.verify import SECRET, verify


class Slack:
    """The codec of Slack's Events API, slash commands, interactivity and Web API."""

    name: ClassVar[PlatformName] = PlatformName("slack")
    traits: ClassVar[Traits] = Traits(
        max_text=4000,
        text_unit="utf8",
        # chat.update allows 50 calls a minute and workspace.
        edit_interval=1.2,
        group_edit_interval=1.2,
        ack_deadline=3.0,
        max_file=MAX_DOWNLOAD,
        max_upload=MAX_UPLOAD,
        placeholder=True,
        shows_queue=True,
        api_hosts=frozenset({"slack.com"}),
        file_hosts=frozenset({"files.slack.com"}),
    )
    secrets_needed: ClassVar[tuple[str, ...]] = ("bot_token", SECRET)
    stages: ClassVar[frozenset[Stage]] = frozenset(Stage)

    def verify(self, request: Webhook, credentials: Credentials, now: float) -> None:
        verify(request, credentials, now)

    def parse(self, request: Webhook, credentials: Credentials, now: float) -> Parsed:
        from threadline.platforms.slack.parse import parse

        return parse(request, credentials, now)

    def stamp(
        self, request: Webhook, credentials: Credentials, now: float, fresh: int = 0
    ) -> Webhook:
        from threadline.platforms.slack.stamp import stamp

        return stamp(request, credentials, now, fresh)

    def render(self, reply: Reply) -> tuple[Draft, ...]:
        from threadline.platforms.slack.render import render

        return render(reply)

    def identify(self, credentials: Credentials) -> Flow[Credentials]:
        from threadline.platforms.slack.api import identify

        return identify(credentials)

    def post(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt]:
        from threadline.platforms.slack.api import post

        return post(draft, to, credentials, nonce)

    def edit(
        self, draft: Draft, posted: Receipt, to: Destination, credentials: Credentials
    ) -> Flow[Receipt]:
        from threadline.platforms.slack.api import edit

        return edit(draft, posted, to, credentials)

    def find_posted(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt | None]:
        """Look for the nonce; the text itself may stand there many times."""
        del draft
        from threadline.platforms.slack.history import find_posted

        return find_posted(to, credentials, nonce)

    def signal(self, stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
        from threadline.platforms.slack.api import signal

        return signal(stage, to, credentials)

    def fetch(self, file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
        from threadline.platforms.slack.transfer import fetch

        return fetch(file, credentials, save_to)

    def upload(self, file: FileDraft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
        from threadline.platforms.slack.transfer import upload

        return upload(file.blob, file.name, to, credentials)

    def needs(self) -> Needs:
        from threadline.platforms.slack.needs import NEEDS

        return NEEDS

    def guide(self, app: Registration) -> tuple[Step, ...]:
        from threadline.platforms.slack.guide import guide

        return guide(app)

    def examine(self, app: Registration, now: float) -> Flow[tuple[Finding, ...]]:  # noqa: ARG002
        from threadline.platforms.slack.examine import examine

        return examine(app)


PLATFORM = Slack()
