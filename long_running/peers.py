"""Other tasks that follow runs: each says that it lives, and what a dead one held goes on here."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from threadline.app import followed, lease
from threadline.app.world import World
from threadline.backends.clock import steady
from threadline.core.errors import StoreError
from threadline.core.ports import Delete, Expect, Item, Key, Put
from threadline.core.schema import SCHEMA

BEAT_EVERY: Final = 7.5
LATE: Final = 15.0
"""Seconds without a sign of life after which a task may be dead."""

FORGOTTEN_AFTER: Final = 86_400.0
MOST: Final = 100

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Peer:
    """Another task: its last sign of life, and since when each of its leases has stood still."""

    version: int
    since: float
    leases: Mapping[tuple[Key, int], float] = field(default_factory=dict)


@dataclass(slots=True)
class Peers:
    """Says that this process follows runs, and hints at the runs of those that no longer do.

    Times are this process's own, from a clock that is never set. A run is hinted at only once its
    own lease stood still for its length; who takes it is for the lease to say.
    """

    world: World
    steady: Callable[[], float] = steady
    _peers: dict[str, _Peer] = field(default_factory=dict)

    def look(self) -> None:
        """Give a sign of life and look for those of others. Raises StoreError."""
        now, store = self.steady(), self.world.store
        own = _key(self.world.holder)
        ends = self.world.clock.now() + FORGOTTEN_AFTER
        beat = Item(own, {"kind": "follower", "schema": SCHEMA}, expires_at=ends)
        store.write([Put(beat, Expect.ANY)])
        found = store.query(own.table, own.partition, limit=MOST)
        versions = {item.key.sort: item.version for item in found if item.key != own}
        self._peers = {name: self._met(name, version, now) for name, version in versions.items()}
        for name, peer in tuple(self._peers.items()):
            if now - peer.since >= LATE:
                self._peers[name] = replace(peer, leases=self._look_after(name, peer, now))

    def leave(self) -> None:
        """Say that this process follows nothing any more; trouble only means a look in vain."""
        try:
            self.world.store.write([Delete(_key(self.world.holder), Expect.ANY)])
        except StoreError as trouble:
            log.warning("followers: %s", trouble)

    def _met(self, name: str, version: int, now: float) -> _Peer:
        """Tell how long a task has been silent; one that is new to us may be dead already."""
        known = self._peers.get(name)
        if known is None:
            return _Peer(version, now - LATE)
        return known if known.version == version else _Peer(version, now)

    def _look_after(self, name: str, peer: _Peer, now: float) -> Mapping[tuple[Key, int], float]:
        """Hint at what stood still, and forget a task that has been silent and holds nothing."""
        world, held = self.world, followed.held_by(self.world, name)
        since = {at: peer.leases.get(at, now) for at in held}
        stood = [at for at, begun in since.items() if now - begun >= lease.LENGTH]
        if stood:
            followed.hint(world, [held[at] for at in stood])
            world.log("follower", state="dead", runs=len(stood))
        elif not held and now - peer.since >= LATE + lease.LENGTH:
            world.store.write([Delete(_key(name), peer.version)])
        return {**since, **dict.fromkeys(stood, now)}


def _key(holder: str) -> Key:
    return Key("settings", "followers", holder)
