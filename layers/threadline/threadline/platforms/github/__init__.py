"""GitHub: comments, reviews, issues and pull requests in; comments and reactions out.

Each ability but verifying imports its module when it is used, so that answering a webhook loads no
more than it needs, and posting no decoder of webhooks.
"""

from collections.abc import Sequence
from typing import ClassVar

from threadline.core.choice import Choice
from threadline.core.http import Flow
from threadline.core.ids import PlatformName
from threadline.core.message import Message, Parsed, Webhook
from threadline.core.posting import (
    Credentials,
    Destination,
    Draft,
    Receipt,
    Reply,
    Stage,
    Traits,
)
from threadline.core.settings import Binding
from threadline.core.setup import Finding, Form, Needs, Registered, Registration, Step
from threadline.platforms.github.facts import NAME
from threadline.platforms.github.verify import SECRET, verify


class GitHub:
    """GitHub and GitHub Enterprise Server, as an App or with a plain token."""

    name: ClassVar[PlatformName] = NAME
    traits: ClassVar[Traits] = Traits(
        max_text=65_536,
        text_unit="chars",
        edit_interval=5.0,
        group_edit_interval=5.0,
        ack_deadline=10.0,
        api_hosts=frozenset({"api.github.com"}),
    )
    secrets_needed: ClassVar[tuple[str, ...]] = (SECRET,)
    stages: ClassVar[frozenset[Stage]] = frozenset(Stage)

    def verify(self, request: Webhook, credentials: Credentials, now: float) -> None:
        """Accept a signed body; GitHub signs no time, so that none can be stale."""
        del now
        verify(request, credentials)

    def parse(self, request: Webhook, credentials: Credentials, now: float) -> Parsed:
        from threadline.platforms.github.parse import parse

        return parse(request, credentials, now)

    def stamp(
        self, request: Webhook, credentials: Credentials, now: float, fresh: int = 0
    ) -> Webhook:
        from threadline.platforms.github.stamp import stamp

        return stamp(request, credentials, now, fresh)

    def choose(self, message: Message, bindings: Sequence[Binding]) -> tuple[Choice, ...]:
        from threadline.platforms.github.choose import choose

        return choose(message, bindings)

    def render(self, reply: Reply) -> tuple[Draft, ...]:
        from threadline.platforms.github.render import render

        return render(reply)

    def exchange(self, credentials: Credentials, to: Destination, now: float) -> Flow[Credentials]:
        from threadline.platforms.github.app_auth import exchange

        return exchange(credentials, to, now)

    def post(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt]:
        from threadline.platforms.github.api import post

        return post(draft, to, credentials, nonce)

    def edit(
        self, draft: Draft, posted: Receipt, to: Destination, credentials: Credentials
    ) -> Flow[Receipt]:
        from threadline.platforms.github.api import edit

        return edit(draft, posted, to, credentials)

    def signal(self, stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
        from threadline.platforms.github.api import signal

        return signal(stage, to, credentials)

    def find_posted(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt | None]:
        """Look for the hidden line; the text itself may stand there many times."""
        del draft
        from threadline.platforms.github.api import find_posted

        return find_posted(to, credentials, nonce)

    def needs(self) -> Needs:
        from threadline.platforms.github.needs import NEEDS

        return NEEDS

    def guide(self, app: Registration) -> tuple[Step, ...]:
        from threadline.platforms.github.guide import guide

        return guide(app)

    def examine(self, app: Registration, now: float) -> Flow[tuple[Finding, ...]]:
        from threadline.platforms.github.examine import examine

        return examine(app, now)

    def register(self, app: Registration, now: float) -> Flow[str]:
        from threadline.platforms.github.registering import register

        return register(app, now)

    def form(self, app: Registration, back: str, state: str, organisation: str) -> Form:
        from threadline.platforms.github.registering import form

        return form(app, back, state, organisation)

    def registered(self, app: Registration, code: str) -> Flow[Registered]:
        from threadline.platforms.github.registering import registered

        return registered(app, code)


PLATFORM = GitHub()
