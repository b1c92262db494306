"""Which process holds a socket: a lease in the store, so that two never hold the same one."""

from dataclasses import dataclass, field
from typing import Final

from threadline.core.errors import Conflict, StoreError
from threadline.core.json import JsonObject
from threadline.core.ports import Expect, Item, ItemStore, Key, Put
from threadline.core.schema import SCHEMA

LENGTH: Final = 30.0
RENEW_EVERY: Final = 10.0
SPARE: Final = 5.0
"""Seconds before its end from which a lease that could not be renewed no longer counts."""


@dataclass(slots=True)
class SocketLease:
    """The lease of one socket as one process sees it.

    Times are this process's own, from a clock that is never set: see `backends.clock.steady`.
    Somebody else's is taken over once it stood still for a lease length; with `alone`, where it is
    certain that no other process runs, at once.
    """

    store: ItemStore
    name: str
    holder: str
    alone: bool = False
    _version: int = field(default=0, init=False)
    _renewed_at: float = field(default=0.0, init=False)
    _others: tuple[int, float] = field(default=(0, 0.0), init=False)

    def held(self, now: float) -> bool:
        """Tell whether this process may hold the socket now. Asks nobody."""
        return self._version > 0 and 0.0 <= now - self._renewed_at < LENGTH - SPARE

    def keep(self, now: float) -> bool:
        """Renew the lease, or take it where it is free; tell whether it is held."""
        if self.held(now) and now - self._renewed_at < RENEW_EVERY:
            return True
        try:
            self._renew_or_take(now)
        except Conflict:
            self._version = 0
        except StoreError:
            pass  # what was held is held until it ends
        return self.held(now)

    def give_back(self) -> None:
        """Let anybody take the lease at once; trouble only means that they wait longer."""
        version, self._version = self._version, 0
        if version:
            try:
                self.store.write([Put(self._item(""), version)])
            except StoreError:
                return

    def _renew_or_take(self, now: float) -> None:
        (item,) = self.store.get([self._key])
        holder = item.attributes.get("holder") if item else ""
        version = item.version if item else 0
        if holder in {"", self.holder} or self.alone or self._stood_still(version, now):
            self.store.write([Put(self._item(self.holder), version or Expect.ABSENT)])
            self._version, self._renewed_at = version + 1, now
        else:
            self._version = 0

    def _stood_still(self, version: int, now: float) -> bool:
        if self._others[0] != version or now < self._others[1]:
            self._others = (version, now)
        return now - self._others[1] >= LENGTH

    @property
    def _key(self) -> Key:
        return Key("settings", "sockets", f"lease#{self.name}")

    def _item(self, holder: str) -> Item:
        attributes: JsonObject = {"kind": "socket_lease", "schema": SCHEMA, "holder": holder}
        return Item(self._key, attributes)
