"""How far each socket has been read, kept in the store over restarts and hand-overs."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import batched
from typing import Final

from threadline.core import keys
from threadline.core.json import JsonObject
from threadline.core.ports import MAX_CHANGES, Change, Delete, Expect, Item, ItemStore, Key, Put
from threadline.core.schema import SCHEMA
from threadline.core.settings import AppSettings

MOST: Final = 10_000
"""Names of one cursor: a bot of Discord's has one for each server, thread and direct chat."""

_PREFIX: Final = "cursor#"


@dataclass(frozen=True, slots=True)
class Offset:
    """How far an app's updates were read, as one number."""

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


@dataclass(frozen=True, slots=True)
class Cursors:
    """The cursor of an app's socket: small texts by name, each an item of its own."""

    store: ItemStore
    app: AppSettings

    def load(self) -> dict[str, str]:
        """Give everything that was saved. Raises StoreError."""
        found = {}
        for item in self.store.query("settings", self._partition, _PREFIX, limit=MOST):
            text = item.attributes.get("text")
            if isinstance(text, str):
                found[keys.unescape(item.key.sort.removeprefix(_PREFIX))] = text
        return found

    def save(self, changed: Mapping[str, str]) -> None:
        """Keep what has changed; "" forgets a name. Raises StoreError."""
        for some in batched(changed.items(), MAX_CHANGES, strict=False):
            self.store.write([self._change(name, text) for name, text in some])

    def _change(self, name: str, text: str) -> Change:
        key = Key("settings", self._partition, _PREFIX + keys.escape(name))
        if not text:
            return Delete(key, Expect.ANY)
        attributes: JsonObject = {"kind": "cursor", "schema": SCHEMA, "text": text}
        return Put(Item(key, attributes), Expect.ANY)

    @property
    def _partition(self) -> str:
        return keys.join(("socket", self.app.platform, self.app.app))
