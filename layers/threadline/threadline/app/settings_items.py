"""Settings in the store: an item for each agent, app and binding, an index, and what is paused.

All entries carry the version of the settings they belong to; settings are read whole or not at
all. Pauses are items of their own, so that they outlive a change of the file.
"""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from threadline.app import codec, settings_index
from threadline.app.codec import Unreadable
from threadline.app.settings_index import PARTITION, TABLE
from threadline.core.errors import Conflict, StoreUnavailable, ThreadlineError
from threadline.core.json import JsonObject
from threadline.core.ports import Change, Clock, Delete, Expect, Item, ItemStore, Key, Put
from threadline.core.schema import SCHEMA
from threadline.core.settings import AgentSettings, AppSettings, Binding, Settings

KEPT: Final = 60.0
"""Seconds after which settings are read again."""
AGAIN: Final = 5.0
"""Seconds between two tries while the store does not answer."""

_TRIES: Final = 3
_ALL: Final = 1000
_VERSION: Final = "settings_version"
_INSTALLATION: Final = Key(TABLE, PARTITION, "installation")
_PAUSED: Final = "paused#"


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """What is not an entry, and which entries there are; apps once more, for ingest alone."""

    version: str
    namespace: str
    language: str
    public_url: str
    stage: str
    entries: tuple[str, ...]
    apps: tuple[JsonObject, ...]
    updated_at: str


def installation(store: ItemStore, fresh: str) -> str:
    """Give the installation's namespace: `fresh`, a random UUID, the first time and for good."""
    item = Item(_INSTALLATION, {"kind": "installation", "schema": SCHEMA, "namespace": fresh})
    try:
        store.write([Put(item, Expect.ABSENT)])
    except Conflict:
        found = store.get([_INSTALLATION])[0]
        if found is not None:
            return str(found.attributes["namespace"])
        raise
    return fresh


def store_settings(store: ItemStore, settings: Settings, now: float) -> bool:
    """Write settings, all at once; False where these are stored already.

    Raises Conflict where somebody else writes others at the same time.
    """
    stored = {item.key.sort: item for item in _read(store)}
    index = stored.get(settings_index.KEY.sort)
    entries = dict(_entries(settings))
    changed = index is None or index.attributes.get("version") != settings.version
    if changed:
        changes: list[Change] = [
            Put(Item(_key(sort), {**attributes, _VERSION: settings.version}), Expect.ANY)
            for sort, attributes in entries.items()
        ]
        expected = Expect.ABSENT if index is None else index.version
        changes.append(Put(Item(settings_index.KEY, _index(settings, entries, now)), expected))
        store.write(changes)
    stale = [sort for sort in stored if _is_entry(sort) and sort not in entries]
    for start in range(0, len(stale), 100):
        store.write([Delete(_key(sort), Expect.ANY) for sort in stale[start : start + 100]])
    return changed


def load_settings(store: ItemStore) -> Settings:
    """Read the settings as of one version, with the pauses in force now.

    Raises StoreUnavailable where there are none, or only halves of two versions; Unreadable where
    an entry is unfit. An allow list that cannot be read admits nobody.
    """
    for _ in range(_TRIES):
        items = {item.key.sort: item for item in _read(store)}
        if settings_index.KEY.sort not in items:
            raise StoreUnavailable("no settings are stored yet")
        index = codec.record(Index, items[settings_index.KEY.sort].attributes)
        entries = [items[name] for name in index.entries if name in items]
        entries = [item for item in entries if item.attributes.get(_VERSION) == index.version]
        if len(entries) == len(index.entries):
            return _paused(_settings(index, entries), _targets(items))
    raise StoreUnavailable("the settings are being replaced")


def pause(store: ItemStore, target: str, now: float) -> None:
    """Pause `PLATFORM`, `PLATFORM/APP` or `binding/NAME` until it is resumed."""
    attributes: JsonObject = {
        "kind": "pause",
        "schema": SCHEMA,
        "target": target,
        "updated_at": _iso(now),
    }
    store.write([Put(Item(_key(_PAUSED + target), attributes), Expect.ANY)])


def resume(store: ItemStore, target: str) -> bool:
    """End a pause; False where there was none."""
    if target not in paused(store):
        return False
    store.write([Delete(_key(_PAUSED + target), Expect.ANY)])
    return True


def paused(store: ItemStore) -> frozenset[str]:
    """List what is paused."""
    return _targets(item.key.sort for item in _read(store, _PAUSED))


class SettingsCache:
    """Gives settings that were read at most 60 s ago; the last good ones while reading fails."""

    def __init__(self, store: ItemStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: Settings | None = None
        self._read_at = 0.0
        self._wait = 0.0

    def __call__(self) -> Settings:
        """Give the settings. Raises what reading raises where none were ever read."""
        with self._lock:
            now = self._clock.now()
            if self._kept is not None and 0 <= now - self._read_at < self._wait:
                return self._kept
            try:
                self._kept = load_settings(self._store)
                self._wait = KEPT
            except ThreadlineError:
                if self._kept is None:
                    raise
                self._wait = AGAIN
            self._read_at = now
            return self._kept


def _read(store: ItemStore, prefix: str = "") -> tuple[Item, ...]:
    return store.query(TABLE, PARTITION, prefix, limit=_ALL)


def _key(sort: str) -> Key:
    return Key(TABLE, PARTITION, sort)


def _is_entry(sort: str) -> bool:
    return sort.startswith(("agent#", "app#", "binding#"))


def _entries(settings: Settings) -> Iterable[tuple[str, JsonObject]]:
    for agent in settings.agents.values():
        yield f"agent#{agent.name}", codec.attributes(agent)
    for app in settings.apps:
        yield f"app#{app.platform}/{app.app}", codec.attributes(app)
    for binding in settings.bindings:
        yield f"binding#{binding.name}", codec.attributes(binding)


def _index(settings: Settings, entries: Iterable[str], now: float) -> JsonObject:
    index = Index(
        version=settings.version,
        namespace=settings.namespace,
        language=settings.language,
        public_url=settings.public_url,
        stage=settings.stage,
        entries=tuple(entries),
        apps=tuple(settings_index.app_entry(app) for app in settings.apps),
        updated_at=_iso(now),
    )
    return codec.attributes(index)


def _settings(index: Index, entries: Sequence[Item]) -> Settings:
    agents = [codec.record(AgentSettings, one.attributes) for one in _kind(entries, "agent#")]
    return Settings(
        version=index.version,
        namespace=index.namespace,
        language=index.language,
        public_url=index.public_url,
        stage=index.stage,
        agents={agent.name: agent for agent in agents},
        apps=tuple(codec.record(AppSettings, one.attributes) for one in _kind(entries, "app#")),
        bindings=tuple(_binding(one.attributes) for one in _kind(entries, "binding#")),
    )


def _kind(entries: Sequence[Item], prefix: str) -> Iterable[Item]:
    return (item for item in entries if item.key.sort.startswith(prefix))


def _binding(stored: JsonObject) -> Binding:
    try:
        return codec.record(Binding, stored)
    except Unreadable:
        return codec.record(Binding, {**stored, "allow": {}})


def _targets(sorts: Iterable[str]) -> frozenset[str]:
    return frozenset(sort.removeprefix(_PAUSED) for sort in sorts if sort.startswith(_PAUSED))


def _paused(settings: Settings, targets: frozenset[str]) -> Settings:
    apps = tuple(
        replace(app, paused=bool({app.platform, f"{app.platform}/{app.app}"} & targets))
        for app in settings.apps
    )
    bindings = tuple(
        replace(one, paused=f"binding/{one.name}" in targets) for one in settings.bindings
    )
    return replace(settings, apps=apps, bindings=bindings)


def _iso(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds")
