"""Platforms that are asked for messages, where no public address lets them call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from long_running.sockets.state import Phase, SocketState
from long_running.sockets.telegram import TelegramPolling
from threadline.app.ingest import Ingest
from threadline.app.world import World
from threadline.core.json import JsonObject
from threadline.core.message import Webhook
from threadline.core.ports import Expect, Item, ItemStore, Key, Put
from threadline.core.schema import SCHEMA
from threadline.core.settings import AppSettings, Settings

POLLING: Final = "polling"


class Poller(Protocol):
    """A connection that brings messages until it is stopped."""

    @property
    def state(self) -> SocketState:
        """How it is doing."""
        ...

    def start(self) -> None:
        """Begin in the background."""
        ...

    def stop(self) -> bool:
        """End within seconds; tell whether it has ended."""
        ...


type Key3 = tuple[str, str, str]
"""Platform, app and token: another token is another connection."""


@dataclass(slots=True)
class Polling:
    """Holds a poller for each app that is to be polled; `say` prints a line when one changes."""

    world: World
    ingest: Ingest
    random: Callable[[], float]
    say: Callable[[str], None]
    program: str
    _pollers: dict[Key3, Poller] = field(default_factory=dict)
    _told: dict[Key3, SocketState] = field(default_factory=dict)

    def follow(self, settings: Settings) -> None:
        """Start what is to be polled, stop what no longer is, and say what has changed."""
        wanted: dict[Key3, AppSettings] = {
            (app.platform, app.app, token): app
            for app in settings.apps
            if app.platform == "telegram" and app.transport == POLLING
            if (token := self._secrets(app).get("bot_token"))
        }
        for gone in self._pollers.keys() - wanted.keys():
            self._pollers.pop(gone).stop()
        for key in wanted.keys() - self._pollers.keys():
            self._pollers[key] = self._telegram(wanted[key], key[2])
            self._pollers[key].start()
        for key, poller in self._pollers.items():
            self._tell(key, poller.state)

    def stop(self) -> None:
        """Stop every poller after the message in hand."""
        for poller in self._pollers.values():
            poller.stop()
        self._pollers = {}

    def _secrets(self, app: AppSettings) -> Mapping[str, str]:
        return self.world.secrets.get(f"{app.platform}/{app.app}")

    def _tell(self, key: Key3, state: SocketState) -> None:
        told = self._told.get(key, SocketState())
        if (state.phase, state.why) != (told.phase, told.why):
            self._told[key] = state
            name = f"{key[0]}/{key[1]}"
            if state.phase is Phase.CONNECTED:
                self.say(f"{name} is polled.")
            elif state.why:
                self.say(f"{name}: {state.why.replace(': threadline ', f': {self.program} ')}")

    def _telegram(self, app: AppSettings, token: str) -> Poller:
        offset = Offset(self.world.store, app)
        return TelegramPolling(
            token=token, accept=lambda update: self._accept(app, update),
            load=offset.load, save=offset.save, clock=self.world.clock.now,
            random=self.random, base_url=app.base_url,
        )  # fmt: skip

    def _accept(self, app: AppSettings, update: bytes) -> bool:
        headers = {"content-type": "application/json"}
        request = Webhook("POST", f"/webhooks/{app.platform}/{app.app}", {}, headers, update)
        return self.ingest.fetched(request, app.platform, app.app).status < 300


@dataclass(frozen=True, slots=True)
class Offset:
    """How far an app has been read, kept in the store over restarts."""

    store: ItemStore
    app: AppSettings

    def load(self) -> int:
        """Give the offset, 0 where nothing was read yet."""
        (item,) = self.store.get([self._key])
        offset = item.attributes.get("offset") if item else None
        return offset if isinstance(offset, int) else 0

    def save(self, offset: int) -> None:
        """Keep the offset. Raises StoreError."""
        attributes: JsonObject = {"kind": "offset", "schema": SCHEMA, "offset": offset}
        self.store.write([Put(Item(self._key, attributes), Expect.ANY)])

    @property
    def _key(self) -> Key:
        return Key("settings", "sockets", f"offset#{self.app.platform}/{self.app.app}")
