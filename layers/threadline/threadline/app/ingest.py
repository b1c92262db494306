"""Take a webhook: verify, parse, put its messages into the mailbox, answer.

No table, no agent, no platform call; every delivery leaves one log line that says what became of
it. This module is imported on a cold start: standard library and core only.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from threadline.core import keys, wire
from threadline.core.apps import AppSettings
from threadline.core.arrived import MAX_BODY, Arrived
from threadline.core.errors import (
    DeliveryRejected,
    DeliveryTooLarge,
    SignatureInvalid,
    StoreError,
)
from threadline.core.http import BlobRef
from threadline.core.message import Handshake, Ignored, Messages, Parsed, Webhook
from threadline.core.platform import Parses, Platform, ReceivesHttp
from threadline.core.ports import Clock, Outgoing
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason

UNACCEPTED: Final = "unaccepted/"
UNREADABLE: Final = "unreadable/"
LARGE: Final = "mail/"
SEND_AGAIN_AFTER: Final = (0.05, 0.2)


class Sends(Protocol):
    """The one thing ingest does to a queue."""

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Send all messages or raise StoreUnavailable."""
        ...


class Keeps(Protocol):
    """Where a body that cannot be sent, or read, is kept."""

    def put(self, name: str, body: bytes, mime: str = ...) -> BlobRef:
        """Store a body under a name or raise StoreUnavailable."""
        ...


class Knows(Protocol):
    """Where secrets are read."""

    def get(self, entry: str, *, fresh: bool = False) -> Mapping[str, str]:
        """Read an entry, {} where it does not exist."""
        ...


class Log(Protocol):
    """Writes one structured line."""

    def __call__(self, event: str, **fields: str | float | bool) -> None:
        """Write the line."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP answer to a delivery."""

    status: int
    body: bytes = b"{}"
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """What ingest needs. `apps` are those of the configuration; `random` gives fresh ids."""

    mailbox: Sends
    blobs: Keeps
    secrets: Knows
    clock: Clock
    apps: Callable[[], Sequence[AppSettings]]
    platform: Callable[[str], Platform | None]
    random: Callable[[], str]
    log: Log

    def receive(self, request: Webhook, platform: str, app: str) -> Answer:
        """Answer one delivery: 2xx once its signature is accepted, 503 only if nothing was kept."""
        codec = self.platform(platform) if self._configured(platform, app) else None
        if not isinstance(codec, ReceivesHttp):
            return self._refuse(404, Reason.NO_ROUTE, platform, app)
        credentials = self._credentials(codec, platform, app, fresh=False)
        if credentials is None:
            return self._refuse(404, Reason.NO_ROUTE, platform, app)
        if request.method != "POST":
            return self._refuse(405, Reason.METHOD, platform, app)
        try:
            if len(request.body) > codec.traits.max_delivery:
                raise DeliveryTooLarge
            credentials = self._verified(codec, request, credentials)
        except DeliveryRejected as rejected:
            return self._refuse(rejected.status, rejected.reason, platform, app)
        parsed = codec.parse(request, credentials, self.clock.now())
        return self._settle(parsed, request, platform, app)

    def fetched(self, request: Webhook, platform: str, app: str) -> Answer:
        """Take what a connection of our own brought: as `receive`, but nothing had to be signed."""
        codec = self.platform(platform) if self._configured(platform, app) else None
        credentials = self._app(platform, app, self.secrets.get(f"{platform}/{app}"))
        if not isinstance(codec, Parses) or credentials is None:
            return self._refuse(404, Reason.NO_ROUTE, platform, app)
        parsed = codec.parse(request, credentials, self.clock.now())
        return self._settle(parsed, request, platform, app)

    def set_aside(self, body: bytes, platform: str, app: str) -> bool:
        """Keep a delivery that cannot be taken apart from the others; tell whether it is kept."""
        kept = self._keep(UNREADABLE, body)
        self._line(Reason.UNREADABLE, platform, app, detail=kept)
        return bool(kept)

    def _configured(self, platform: str, app: str) -> bool:
        return any(
            one.platform == platform and one.app == app and one.enabled for one in self.apps()
        )

    def _credentials(
        self, codec: ReceivesHttp, platform: str, app: str, *, fresh: bool
    ) -> Credentials | None:
        secrets = self.secrets.get(f"{platform}/{app}", fresh=fresh)
        if not all(secrets.get(name) for name in codec.secrets_needed):
            return None
        return self._app(platform, app, secrets)

    def _app(self, platform: str, app: str, secrets: Mapping[str, str]) -> Credentials | None:
        for one in self.apps():
            if one.platform == platform and one.app == app:
                return Credentials(
                    one.platform, one.app, one.identity, one.identity_name, one.base_url, secrets,
                    one.options,
                )  # fmt: skip
        return None

    def _verified(
        self, codec: ReceivesHttp, request: Webhook, credentials: Credentials
    ) -> Credentials:
        """Verify; on a wrong signature look once whether the secret was rotated meanwhile."""
        try:
            codec.verify(request, credentials, self.clock.now())
        except SignatureInvalid:
            fresh = self._credentials(codec, credentials.platform, credentials.app, fresh=True)
            if fresh is None or fresh.secrets == credentials.secrets:
                raise
            codec.verify(request, fresh, self.clock.now())
            return fresh
        return credentials

    def _settle(self, parsed: Parsed, request: Webhook, platform: str, app: str) -> Answer:
        match parsed:
            case Handshake(body, content_type, status):
                self._line(Reason.HANDSHAKE, platform, app)
                return Answer(status, body, content_type)
            case Ignored(reason, detail, delivery):
                if reason == Reason.UNREADABLE:
                    detail = self._keep(UNREADABLE, request.body)
                self._line(reason, platform, app, detail=detail, delivery=delivery)
                return Answer(200)
            case Messages():
                return self._accept(parsed, platform, app)

    def _accept(self, parsed: Messages, platform: str, app: str) -> Answer:
        now, messages = self.clock.now(), parsed.messages
        outgoing = [
            self._outgoing(Arrived(message=message, accepted_at=now), number)
            for number, message in enumerate(messages)
        ]
        how = self._send(outgoing)
        for message in messages:
            self._line(
                how, platform, app, delivery=message.delivery, mailbox=message.mailbox,
                message=message.id, type=message.event,
            )  # fmt: skip
        if how is Reason.NOT_KEPT:
            return Answer(503, _error(how))
        return Answer(200, parsed.answer)

    def _outgoing(self, mail: Arrived, number: int) -> Outgoing:
        body = wire.encode(mail)
        if len(body) > MAX_BODY:
            name = self.blobs.put(LARGE + self.random(), body.encode(), "application/json").name
            body = json.dumps({"kind": "stored", "blob": name, "schema": 1})
        return Outgoing(
            body,
            group=keys.queue_id(mail.message.mailbox),
            dedup=keys.queue_id(f"{mail.message.delivery}#{number}"),
        )

    def _send(self, outgoing: list[Outgoing]) -> Reason:
        for wait in (*SEND_AGAIN_AFTER, None):
            try:
                self.mailbox.send(outgoing)
            except StoreError:
                if wait is not None:
                    self.clock.sleep(wait)
                continue
            return Reason.ACCEPTED
        kept = [{"body": one.body, "group": one.group, "dedup": one.dedup} for one in outgoing]
        return (
            Reason.KEPT_ASIDE
            if self._keep(UNACCEPTED, json.dumps(kept).encode())
            else Reason.NOT_KEPT
        )

    def _keep(self, folder: str, body: bytes) -> str:
        name = f"{folder}{int(self.clock.now() * 1000):013d}-{self.random()}"
        try:
            return self.blobs.put(name, body).name
        except StoreError:
            return ""

    def _refuse(self, status: int, reason: str, platform: str, app: str) -> Answer:
        self._line(reason, platform, app, status=status)
        return Answer(status, _error(reason))

    def _line(self, reason: str, platform: str, app: str, **more: str | float) -> None:
        self.log("delivery", reason=str(reason), platform=platform[:40], app=app[:40], **more)


def _error(reason: str) -> bytes:
    return json.dumps({"error": str(reason)}).encode()
