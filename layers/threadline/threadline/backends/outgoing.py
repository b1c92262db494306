"""The one place through which every call passes that leaves the process.

Each call has a point, such as `store.write`, `queue.mailbox.send` or `http.create run`. The gate
decides what becomes of a call there: in production it goes through; a test counts it, lets it fail
before or after it took effect, lets the client repeat it by itself, or kills the worker.
"""

import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from threadline.core.errors import StoreError, StoreUnavailable
from threadline.core.http import BlobRef
from threadline.core.ports import (
    Blobs,
    Change,
    Hindrance,
    Item,
    ItemStore,
    Key,
    Outgoing,
    Queue,
    Received,
    Secrets,
)


class Gate(Protocol):
    """Decides what becomes of a call.

    A gate reports a lost call as the network would: ConnectionRefusedError where it never arrived,
    ConnectionResetError or TimeoutError where it may have. Callers see the error of their port.
    """

    def call[T](self, point: str, work: Callable[[], T]) -> T:
        """Make a blocking call."""
        ...

    async def acall[T](self, point: str, work: Callable[[], Awaitable[T]]) -> T:
        """Make a call in asyncio."""
        ...


class OpenGate:
    """Lets everything through."""

    def call[T](self, point: str, work: Callable[[], T]) -> T:  # noqa: ARG002
        return work()

    async def acall[T](self, point: str, work: Callable[[], Awaitable[T]]) -> T:  # noqa: ARG002
        return await work()


@dataclass(frozen=True, slots=True)
class Passage:
    """What becomes of one call: `before` is raised instead of it, `after` once it took effect.

    `times` above 1 is a client library that repeats the call by itself; the last answer counts.
    """

    before: BaseException | None = None
    times: int = 1
    after: BaseException | None = None


class PlannedGate:
    """Asks a plan about every call, and writes down its point.

    `points` are all that were passed so far, in order; calls of several threads in the order in
    which they began.
    """

    def __init__(self, plan: Callable[[str], Passage] = lambda _: Passage()) -> None:
        self._plan = plan
        self._lock = threading.Lock()
        self.points: list[str] = []

    def call[T](self, point: str, work: Callable[[], T]) -> T:
        passage = self._enter(point)
        for _ in range(passage.times - 1):
            work()
        answer = work()
        if passage.after:
            raise passage.after
        return answer

    async def acall[T](self, point: str, work: Callable[[], Awaitable[T]]) -> T:
        passage = self._enter(point)
        for _ in range(passage.times - 1):
            await work()
        answer = await work()
        if passage.after:
            raise passage.after
        return answer

    def _enter(self, point: str) -> Passage:
        with self._lock:
            self.points.append(point)
            passage = self._plan(point)
        if passage.before:
            raise passage.before
        return passage


class CountingGate(PlannedGate):
    """Counts the calls by point and lets them through."""

    def counts(self, *prefixes: str) -> Mapping[str, int]:
        """Count the calls by point, those only that begin with one of the prefixes if any."""
        with self._lock:
            return Counter(point for point in self.points if point.startswith(prefixes or ("",)))

    def reset(self) -> None:
        """Forget what was counted."""
        with self._lock:
            self.points.clear()


@runtime_checkable
class WritesOnce(Protocol):
    """A store that takes the id of a write from outside, so that a repeat can be recognised."""

    def write_once(self, changes: Sequence[Change], write_id: str) -> None:
        """Write as `ItemStore.write`, however often it is called with the same id."""
        ...


class _Gated:
    def __init__(self, name: str, gate: Gate) -> None:
        self._name = name
        self._gate = gate

    def _call[T](self, verb: str, work: Callable[[], T]) -> T:
        point = f"{self._name}.{verb}"
        with _as_unavailable(point):
            return self._gate.call(point, work)


class GatedStore(_Gated):
    """An ItemStore behind a gate: `store.get`, `store.query`, `store.write`, `store.due`.

    `write_ids` names each write where the store lets it be named, so that a repeat within the gate
    is the same write.
    """

    def __init__(self, store: ItemStore, gate: Gate, write_ids: Callable[[], str]) -> None:
        super().__init__("store", gate)
        self._store = store
        self._write_ids = write_ids

    def get(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return self._call("get", lambda: self._store.get(keys))

    def query(
        self,
        table: str,
        partition: str,
        prefix: str = "",
        *,
        limit: int = 100,
        descending: bool = False,
    ) -> tuple[Item, ...]:
        return self._call(
            "query",
            lambda: self._store.query(table, partition, prefix, limit=limit, descending=descending),
        )

    def write(self, changes: Sequence[Change]) -> None:
        store = self._store
        if isinstance(store, WritesOnce):
            write_id = self._write_ids()
            self._call("write", lambda: store.write_once(changes, write_id))
        else:
            self._call("write", lambda: store.write(changes))

    def write_each(self, writes: Sequence[Sequence[Change]]) -> tuple[Hindrance, ...]:
        """Let each write pass by itself: a fault meets one and not its neighbours."""
        return tuple(self._hindrance(changes) for changes in writes)

    def due(self, kind: str, before: float, limit: int) -> tuple[Item, ...]:
        return self._call("due", lambda: self._store.due(kind, before, limit))

    def _hindrance(self, changes: Sequence[Change]) -> Hindrance:
        try:
            self.write(changes)
        except (StoreError, ValueError) as hindrance:
            return hindrance
        return None


class GatedQueue(_Gated):
    """A Queue behind a gate: `queue.<name>.send` and so on."""

    def __init__(self, queue: Queue, name: str, gate: Gate) -> None:
        super().__init__(f"queue.{name}", gate)
        self._queue = queue

    def send(self, messages: Sequence[Outgoing]) -> None:
        self._call("send", lambda: self._queue.send(messages))

    def receive(self, limit: int, *, visibility: float, wait: float = 0.0) -> tuple[Received, ...]:
        return self._call(
            "receive", lambda: self._queue.receive(limit, visibility=visibility, wait=wait)
        )

    def delete(self, receipts: Iterable[str]) -> None:
        handled = tuple(receipts)
        self._call("delete", lambda: self._queue.delete(handled))

    def change_visibility(self, receipts: Iterable[str], seconds: float) -> None:
        held = tuple(receipts)
        self._call("change_visibility", lambda: self._queue.change_visibility(held, seconds))


class GatedBlobs(_Gated):
    """Blobs behind a gate: `blobs.put` and so on; a link is made without a call."""

    def __init__(self, blobs: Blobs, gate: Gate) -> None:
        super().__init__("blobs", gate)
        self._blobs = blobs

    def put(self, name: str, body: bytes, mime: str = "application/octet-stream") -> BlobRef:
        return self._call("put", lambda: self._blobs.put(name, body, mime))

    def get(self, name: str) -> bytes | None:
        return self._call("get", lambda: self._blobs.get(name))

    def delete(self, names: Iterable[str]) -> None:
        unwanted = tuple(names)
        self._call("delete", lambda: self._blobs.delete(unwanted))

    def names(self, prefix: str, limit: int = 1000) -> tuple[str, ...]:
        return self._call("names", lambda: self._blobs.names(prefix, limit))

    def link(self, name: str, seconds: int) -> str:
        return self._blobs.link(name, seconds)


class GatedSecrets(_Gated):
    """Secrets behind a gate: `secrets.get`, `secrets.put`, `secrets.entries`."""

    def __init__(self, secrets: Secrets, gate: Gate) -> None:
        super().__init__("secrets", gate)
        self._secrets = secrets

    def get(self, entry: str, *, fresh: bool = False) -> Mapping[str, str]:
        return self._call("get", lambda: self._secrets.get(entry, fresh=fresh))

    def put(self, entry: str, values: Mapping[str, str]) -> None:
        self._call("put", lambda: self._secrets.put(entry, values))

    def entries(self) -> tuple[str, ...]:
        return self._call("entries", self._secrets.entries)


@contextmanager
def _as_unavailable(point: str) -> Iterator[None]:
    try:
        yield
    except (ConnectionError, TimeoutError) as error:
        raise StoreUnavailable(f"{point}: {type(error).__name__}") from error
