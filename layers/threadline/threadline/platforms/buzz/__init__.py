"""Buzz: a workspace on a Nostr relay, held by a socket; every message is a signed event.

https://github.com/nostr-protocol/nips
"""

from typing import ClassVar, Final
from urllib.parse import urlsplit

from threadline.core.bech32 import hex_key
from threadline.core.errors import CredentialsRejected
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
    Traits,
)
from threadline.core.settings import AppSettings
from threadline.core.setup import Finding, Needs, Registration, Step
from threadline.core.socket import Cursor, Opening
from threadline.platforms.buzz import api, marks, parse, stamp
from threadline.platforms.buzz.event import PRIVATE_KEY, signer
from threadline.platforms.buzz.files import MAX_DOWNLOAD, MAX_UPLOAD
from threadline.platforms.buzz.marks import LATE
from threadline.platforms.buzz.render import MAX_BYTES, render
from threadline.platforms.buzz.session import BuzzSession
from threadline.platforms.buzz.state import State

RELAY_KEY: Final = "relay_key"


class Buzz:
    """The codec of a Buzz workspace; `base_url` of its app is the relay's address."""

    name: ClassVar[PlatformName] = PlatformName("buzz")
    traits: ClassVar[Traits] = Traits(
        max_text=MAX_BYTES,
        text_unit="json",
        edit_interval=2.5,
        group_edit_interval=2.5,
        max_file=MAX_DOWNLOAD,
        max_upload=MAX_UPLOAD,
        placeholder=True,
        shows_queue=True,
        dedupes_posts=True,
        dedupe_window=LATE - 60.0,  # later it has to be dated, and so signed, anew
        follows_threads=True,
    )
    socket_transport: ClassVar[str] = "socket"
    socket_needs: ClassVar[tuple[str, ...]] = (PRIVATE_KEY,)

    def render(self, reply: Reply) -> tuple[Draft, ...]:
        return render(reply)

    def parse(self, request: Webhook, credentials: Credentials, now: float) -> Parsed:  # noqa: ARG002
        return parse.parse(request.body, credentials)

    def stamp(
        self, request: Webhook, credentials: Credentials, now: float, fresh: int = 0
    ) -> Webhook:
        return stamp.stamp(request, credentials, now, fresh)

    def connect(
        self,
        credentials: Credentials,
        app: AppSettings,
        cursor: Cursor,
        now: float,
        random: float,  # noqa: ARG002 - nothing here is spread
    ) -> Opening:
        url = credentials.base_url
        if urlsplit(url).scheme not in {"ws", "wss"}:
            raise CredentialsRejected("base_url is no ws:// or wss:// address of a relay")
        wanted = app.options.get(RELAY_KEY, "")
        relay_key = hex_key(wanted, "npub")
        if wanted and not relay_key:
            raise CredentialsRejected("relay_key is neither 64 hex characters nor npub1…")
        state = State(
            signer=signer(credentials), relay=url, relay_key=relay_key, started=int(now),
            marks=marks.stored(cursor),
        )  # fmt: skip
        return Opening(BuzzSession(state), url)

    def identify(self, credentials: Credentials) -> Flow[Credentials]:
        return api.identify(credentials)

    def post(
        self,
        draft: Draft,
        to: Destination,
        credentials: Credentials,
        nonce: str,  # noqa: ARG002 - the event's own id marks a repeat
    ) -> Flow[Receipt]:
        return api.post(draft, to, credentials)

    def edit(
        self, draft: Draft, posted: Receipt, to: Destination, credentials: Credentials
    ) -> Flow[Receipt]:
        return api.edit(draft, posted, to, credentials)

    def fetch(self, file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
        from threadline.platforms.buzz.transfer import fetch

        return fetch(file, credentials, save_to)

    def upload(self, file: FileDraft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
        from threadline.platforms.buzz.transfer import upload

        return upload(file, to, credentials)

    def needs(self) -> Needs:
        from threadline.platforms.buzz.needs import NEEDS

        return NEEDS

    def guide(self, app: Registration) -> tuple[Step, ...]:
        from threadline.platforms.buzz.guide import guide

        return guide(app)

    def examine(self, app: Registration, now: float) -> Flow[tuple[Finding, ...]]:  # noqa: ARG002
        from threadline.platforms.buzz.examine import examine

        return examine(app)


PLATFORM = Buzz()
