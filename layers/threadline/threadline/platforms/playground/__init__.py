"""The playground: a chat on a page that `threadline serve` itself shows, on this machine only.

To everything past its codec it is a platform like the others: its page signs deliveries, and
answers reach it as posts and edits through an API.
"""

from typing import ClassVar

from threadline.core.http import BlobRef, Flow, SaveTo
from threadline.core.ids import PlatformName
from threadline.core.message import FileRef, Parsed, Webhook
from threadline.core.posting import Credentials, Destination, Draft, Receipt, Reply, Traits
from threadline.platforms.playground import limits
from threadline.platforms.playground.verify import SECRET, verify


class Playground:
    """The codec of the playground page."""

    name: ClassVar[PlatformName] = PlatformName("playground")
    traits: ClassVar[Traits] = Traits(
        max_text=limits.MAX_TEXT,
        text_unit="chars",
        edit_interval=limits.EDIT_INTERVAL,
        group_edit_interval=limits.EDIT_INTERVAL,
        max_delivery=limits.MAX_DELIVERY,
        max_file=limits.MAX_FILE,
        placeholder=True,
        shows_queue=True,
        dedupes_posts=True,
        api_hosts=frozenset({limits.NOWHERE}),
    )
    secrets_needed: ClassVar[tuple[str, ...]] = (SECRET, limits.TOKEN)

    def verify(self, request: Webhook, credentials: Credentials, now: float) -> None:
        verify(request, credentials, now)

    def parse(self, request: Webhook, credentials: Credentials, now: float) -> Parsed:
        del now
        from threadline.platforms.playground.parse import parse

        return parse(request.body, credentials)

    def stamp(
        self, request: Webhook, credentials: Credentials, now: float, fresh: int = 0
    ) -> Webhook:
        from threadline.platforms.playground.stamp import stamp

        return stamp(request, credentials, now, fresh)

    def render(self, reply: Reply) -> tuple[Draft, ...]:
        from threadline.platforms.playground.render import render

        return render(reply)

    def post(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt]:
        from threadline.platforms.playground.api import post

        return post(draft, to, credentials, nonce)

    def edit(
        self, draft: Draft, posted: Receipt, to: Destination, credentials: Credentials
    ) -> Flow[Receipt]:
        del to
        from threadline.platforms.playground.api import edit

        return edit(draft, posted, credentials)

    def fetch(self, file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
        from threadline.platforms.playground.api import fetch

        return fetch(file, credentials, save_to)


PLATFORM = Playground()
