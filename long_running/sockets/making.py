"""Which sockets an app wants, and what makes them."""

import functools
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol
from urllib.parse import urlsplit

from long_running.cursors import Cursors, Offset
from long_running.sockets.accepting import Accept
from long_running.sockets.session import SessionSocket
from long_running.sockets.sparing import Sparing
from long_running.sockets.state import SocketState
from threadline.app import posting
from threadline.app.ingest import Ingest
from threadline.app.world import World
from threadline.core.message import Webhook
from threadline.core.policy import admitted_host
from threadline.core.reasons import Reason
from threadline.core.settings import AppSettings, Settings
from threadline.core.socket import (
    Backfills,
    Cursor,
    HoldsSocket,
    Inquires,
    Missed,
    Note,
    Opening,
)

BY_LIBRARY: Final[Mapping[tuple[str, str], tuple[str, ...]]] = MappingProxyType(
    {
        ("feishu", "long_connection"): ("app_id", "app_secret"),
        ("slack", "socket"): ("app_token",),
        ("telegram", "polling"): ("bot_token",),
    }
)
"""The secrets wanted by connections that a vendor's library holds, by platform and transport."""


class Held(Protocol):
    """A connection that brings messages until it is stopped."""

    @property
    def state(self) -> SocketState:
        """How it is doing."""
        ...

    def start(self) -> None:
        """Begin in the background."""
        ...

    def stop(self) -> bool:
        """End within 20 seconds, after what is in hand; tell whether it has ended."""
        ...


type May = Callable[[], bool]
"""Whether this process may hand over what a socket brings: it holds the socket's lease now."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A socket to be held; another `mark`: its secrets or settings are others now."""

    app: AppSettings
    mark: str
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """Platform and app."""
        return f"{self.app.platform}/{self.app.app}"


@dataclass(frozen=True, slots=True)
class Making:
    """Makes sockets on a world; `random` gives a number between 0 and 1."""

    world: World
    ingest: Ingest
    random: Callable[[], float]

    def wanted(self, settings: Settings) -> tuple[Wanted, ...]:
        """List the sockets that the settings and the secrets ask for."""
        found = []
        for app in settings.apps:
            needs = self._needs(app) if app.enabled else ()
            secrets = self.world.secrets.get(f"{app.platform}/{app.app}") if needs else {}
            if needs and all(secrets.get(name) for name in needs):
                found.append(Wanted(app, _mark(app, secrets), secrets))
        return tuple(found)

    def make(self, wanted: Wanted, may: May) -> Held:
        """Make a socket, not started yet. Asks nobody, so that it never has to wait."""
        app, secrets = wanted.app, wanted.secrets
        codec = self.world.platform(app.platform)
        if isinstance(codec, HoldsSocket) and app.transport == codec.socket_transport:
            return self._session(codec, app, may)
        accept = functools.partial(self._accept, app, may)
        if app.platform == "feishu":
            return self._feishu(app, secrets, accept)
        if app.platform == "slack":
            return self._slack(app, secrets["app_token"], accept)
        return self._telegram(app, secrets["bot_token"], accept)

    def _needs(self, app: AppSettings) -> tuple[str, ...]:
        codec = self.world.platform(app.platform)
        if isinstance(codec, HoldsSocket) and app.transport == codec.socket_transport:
            return codec.socket_needs
        return BY_LIBRARY.get((app.platform, app.transport), ())

    def _telegram(self, app: AppSettings, token: str, accept: Accept) -> Held:
        from long_running.sockets.telegram import TelegramPolling

        offset = Offset(self.world.store, app)
        return TelegramPolling(
            token=token, accept=accept, load=offset.load, save=offset.save,
            clock=self.world.clock.now, random=self.random, base_url=app.base_url,
        )  # fmt: skip

    def _feishu(self, app: AppSettings, secrets: Mapping[str, str], accept: Accept) -> Held:
        from long_running.sockets.feishu import FeishuConnection
        from threadline.platforms.feishu.rest import root

        return FeishuConnection(
            app_id=secrets["app_id"], app_secret=secrets["app_secret"],
            domain=root(app.base_url, app.options), accept=accept,
            clock=self.world.clock.now, random=self.random,
        )  # fmt: skip

    def _slack(self, app: AppSettings, token: str, accept: Accept) -> Held:
        from long_running.sockets.slack import SlackSocket

        return SlackSocket(
            app_token=token, accept=accept,
            clock=self.world.clock.now, random=self.random, base_url=app.base_url,
        )  # fmt: skip

    def _session(self, codec: HoldsSocket, app: AppSettings, may: May) -> SessionSocket:
        world, cursors = self.world, Cursors(self.world.store, app)

        def opened(cursor: Cursor, now: float, random: float) -> Opening:
            using = posting.credentials(world, app.platform, app.app)
            if isinstance(codec, Inquires):
                flow = codec.inquire(using, app, cursor, now)
                told = world.calls.run(posting.under_policy(codec, using, flow))
                cursor = {**cursor, **told}
            return codec.connect(using, app, cursor, now, random)

        def log(note: Note) -> None:
            event = "alarm" if note.alarm else "socket"
            world.log(
                event, reason=note.code, detail=note.detail, platform=app.platform, app=app.app
            )

        def backfill(cursor: Cursor) -> Missed:
            assert isinstance(codec, Backfills)
            using = posting.credentials(world, app.platform, app.app)
            flow = codec.backfill(using, app, cursor, world.clock.now())
            return world.calls.run(posting.under_policy(codec, using, flow))

        def set_aside(body: bytes) -> bool:
            log(Note(str(Reason.SOCKET_FAULT), "a delivery that breaks ingest", alarm=True))
            return self.ingest.set_aside(body, app.platform, app.app)

        def save(changed: Cursor) -> None:
            if may():  # whoever holds the socket now knows better
                cursors.save(changed)

        return SessionSocket(
            open=opened, admits=lambda url: admits(codec, app, url), may=may,
            accept=functools.partial(self._accept, app, may), load=cursors.load, save=save,
            set_aside=set_aside, log=Sparing(log, world.clock.now), clock=world.clock.now,
            random=self.random,
            backfill=backfill if isinstance(codec, Backfills) else None,
        )  # fmt: skip

    def _accept(self, app: AppSettings, may: May, body: bytes) -> bool:
        headers = {"content-type": "application/json"}
        request = Webhook("POST", f"/webhooks/{app.platform}/{app.app}", {}, headers, body)
        return may() and self.ingest.fetched(request, app.platform, app.app).status < 300


def admits(codec: HoldsSocket, app: AppSettings, url: str) -> bool:
    """Tell whether a socket may go there: to the configured host, else by TLS to the platform's."""
    try:
        parts, configured = urlsplit(url), urlsplit(app.base_url)
        hosts = (parts.hostname, parts.port), (configured.hostname, configured.port)
    except ValueError:
        return False
    if app.base_url:
        return parts.scheme in {"ws", "wss"} and hosts[0] == hosts[1]
    if parts.scheme != "wss" or parts.username is not None or parts.port not in {None, 443}:
        return False
    return admitted_host(parts.hostname or "", codec.traits.api_hosts)


def _mark(app: AppSettings, secrets: Mapping[str, str]) -> str:
    """Name what a connection depends on, so that a change of it is noticed; nothing shows in it."""
    parts = [app.base_url, app.transport, sorted(app.options.items()), sorted(secrets.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
