"""What Threadline needs from the world: items, queues, blobs, secrets and a clock."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol

from threadline.core.errors import StoreError
from threadline.core.http import BlobRef
from threadline.core.json import Json


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """Where an item stands: a table and a partition that is read together, sorted by `sort`."""

    table: str
    partition: str
    sort: str


@dataclass(frozen=True, slots=True)
class Item:
    """A stored item; `version` counts its writes from 1.

    `due` is (kind, epoch seconds) for items that somebody must look at; `expires_at` is epoch
    seconds after which the item counts as absent.
    """

    key: Key
    attributes: Mapping[str, Json]
    version: int = 0
    due: tuple[str, float] | None = None
    expires_at: float | None = None


class Expect(Enum):
    """Expectations that are not a version number."""

    ABSENT = "absent"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Put:
    """Write the item if its stored version is as expected; `item.version` itself is ignored."""

    item: Item
    expect: int | Expect


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the item if its stored version is as expected."""

    key: Key
    expect: int | Expect


@dataclass(frozen=True, slots=True)
class Check:
    """Refuse the whole write unless the item's stored version is as expected."""

    key: Key
    expect: int | Expect


type Change = Put | Delete | Check

type Hindrance = StoreError | ValueError | None

MAX_CHANGES: Final = 100


class ItemStore(Protocol):
    """Items with versions. Expired counts as absent everywhere."""

    def get(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        """Read up to 100 items consistently, in the order asked. Raises StoreUnavailable."""
        ...

    def query(
        self,
        table: str,
        partition: str,
        prefix: str = "",
        *,
        limit: int = 100,
        descending: bool = False,
    ) -> tuple[Item, ...]:
        """Read items of one partition whose sort key starts with `prefix`, sorted, consistently."""
        ...

    def write(self, changes: Sequence[Change]) -> None:
        """Apply all or nothing, at most 100 changes, each key once.

        Raises Conflict where an expectation failed (nothing was written), StoreUnavailable where
        the outcome is unknown. A repeat by the client library after a lost answer is success.
        """
        ...

    def write_each(self, writes: Sequence[Sequence[Change]]) -> tuple[Hindrance, ...]:
        """Make writes that have nothing to do with each other, and give what hindered each.

        Each is a `write` of its own, all or nothing; together they take less time than one after
        the other. What `write` raises stands in the place of that one, None for one that was made.
        """
        ...

    def due(self, kind: str, before: float, limit: int) -> tuple[Item, ...]:
        """Read items of this kind whose due time is at or before `before`, oldest first.

        Eventually consistent: the caller reads the item again before it acts.
        """
        ...


class Scans(Protocol):
    """Reads tables from end to end: for an operator's command, which no function is."""

    def scan(self, table: str, after: Key | None = None, limit: int = 1000) -> tuple[Item, ...]:
        """Read the items that follow `after`, in an order of the backend's own, expired ones too.

        Fewer than `limit` are the last. An item that is written meanwhile may be read or missed.
        Raises StoreUnavailable.
        """
        ...


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send. FIFO queues want `group` and `dedup`; standard ones take `delay`."""

    body: str = field(repr=False)
    group: str = ""
    dedup: str = ""
    delay: int = 0


@dataclass(frozen=True, slots=True)
class Received:
    """A received message; `receipt` is valid until its visibility ends. `received` counts tries."""

    body: str = field(repr=False)
    receipt: str = field(repr=False)
    id: str
    group: str
    received: int
    sent_at: float


class Queue(Protocol):
    """A FIFO or standard queue with at-least-once delivery."""

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Send all messages, or raise StoreUnavailable (some may have been sent).

        A FIFO queue forgets a second message of the same group and dedup id for five minutes and
        refuses a delay (ValueError); a standard queue takes at most 900 s.
        """
        ...

    def receive(self, limit: int, *, visibility: float, wait: float = 0.0) -> tuple[Received, ...]:
        """Take up to `limit` (10 at most) messages, hidden for `visibility` seconds.

        FIFO: in order within a group, and none of a group that has a message in flight.
        """
        ...

    def delete(self, receipts: Iterable[str]) -> None:
        """Remove handled messages; a receipt whose visibility ended does nothing."""
        ...

    def change_visibility(self, receipts: Iterable[str], seconds: float) -> None:
        """Hide received messages for that long from now; 0 gives them back at once.

        A receipt whose visibility ended does nothing.
        """
        ...


class Blobs(Protocol):
    """Bodies too large for items and messages."""

    def put(self, name: str, body: bytes, mime: str = "application/octet-stream") -> BlobRef:
        """Store a body under a name, replacing it."""
        ...

    def get(self, name: str) -> bytes | None:
        """Read a body, None where there is none."""
        ...

    def delete(self, names: Iterable[str]) -> None:
        """Remove bodies; absent ones are fine."""
        ...

    def names(self, prefix: str, limit: int = 1000) -> tuple[str, ...]:
        """List names, sorted."""
        ...

    def link(self, name: str, seconds: int) -> str:
        """Give an address where the body can be read for that long, or "" where there is none."""
        ...


class Secrets(Protocol):
    """Secrets by entry (`telegram/default`, `agent/demo`), each a mapping of names to values.

    While a secret is being rotated its former value stands under the name with `.previous`.
    """

    def get(self, entry: str, *, fresh: bool = False) -> Mapping[str, str]:
        """Read an entry, {} where it does not exist.

        Cached; `fresh` reads again, at most once per entry and minute.
        """
        ...

    def put(self, entry: str, values: Mapping[str, str]) -> None:
        """Replace an entry."""
        ...

    def entries(self) -> tuple[str, ...]:
        """List the entries there are."""
        ...


class Clock(Protocol):
    """Time and waiting."""

    def now(self) -> float:
        """Give epoch seconds."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait in a blocking use case."""
        ...

    async def pause(self, seconds: float) -> None:
        """Wait in an asyncio use case."""
        ...
