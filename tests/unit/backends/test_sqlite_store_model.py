from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.alone import AloneDatabase
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.store import SqliteStore
from threadline.core.errors import Conflict
from threadline.core.json import Json
from threadline.core.ports import Change, Check, Delete, Expect, Item, Key, Put

TABLES = ("conversations", "deliveries")
PARTITIONS = ("p", "p2")
SORTS = ("a", "a#1", "a#2", "b", "ä", "\U0010ffff")
KINDS = ("conversation", "part")

keys = st.builds(Key, st.sampled_from(TABLES), st.sampled_from(PARTITIONS), st.sampled_from(SORTS))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**37), 10**37)
    | st.floats(-1e100, 1e100).filter(lambda number: number == 0 or abs(number) > 1e-100)
    | texts,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(texts.filter(bool), inner, max_size=2)
    ),
    max_leaves=4,
)
RIGHT = 99
"""Stands for the expectation that holds, whatever that is when the write is made."""
expectations = st.sampled_from([RIGHT, RIGHT, RIGHT, RIGHT, Expect.ABSENT, Expect.ANY, 1, 2])
instants = st.integers(-5, 30)


def _change(key: Key) -> st.SearchStrategy[Change]:
    item = st.builds(
        Item,
        st.just(key),
        st.dictionaries(st.sampled_from(["text", "version", "n"]), values, max_size=2),
        due=st.none() | st.tuples(st.sampled_from(KINDS), instants),
        expires_at=st.none() | instants,
    )
    return (
        st.builds(Put, item, expectations)
        | st.builds(Delete, st.just(key), expectations)
        | st.builds(Check, st.just(key), expectations)
    )


writes = st.lists(keys, min_size=1, max_size=4, unique=True).flatmap(
    lambda chosen: st.tuples(*(_change(key) for key in chosen))
)


class Model:
    """What an item store promises, as a dict."""

    def __init__(self) -> None:
        self.items: dict[Key, Item] = {}
        self.now = 0.0

    def living(self) -> dict[Key, Item]:
        """Give what has not expired."""
        return {
            key: item
            for key, item in self.items.items()
            if item.expires_at is None or item.expires_at > self.now
        }

    def resolved(self, drawn: Sequence[Change]) -> list[Change]:
        """Put the expectation that holds where it was asked for."""
        return [
            replace(change, expect=self.version(change)) if change.expect == RIGHT else change
            for change in drawn
        ]

    def version(self, change: Change) -> int | Expect:
        """Give the version of a change's item."""
        found = self.living().get(change.item.key if isinstance(change, Put) else change.key)
        return found.version if found else Expect.ABSENT

    def failed(self, written: Sequence[Change]) -> tuple[str, ...]:
        """Give the sort keys whose expectation does not hold."""
        return tuple(
            change.item.key.sort if isinstance(change, Put) else change.key.sort
            for change in written
            if change.expect not in {Expect.ANY, self.version(change)}
        )

    def write(self, written: Sequence[Change]) -> None:
        """Make all changes."""
        living = self.living()
        for change in written:
            match change:
                case Put(item):
                    version = living[item.key].version if item.key in living else 0
                    self.items[item.key] = replace(item, version=version + 1)
                case Delete(key):
                    self.items.pop(key, None)
                case Check():
                    pass


class StoreAgainstModel(RuleBasedStateMachine):
    """Any sequence of writes and passing time leaves SQLite with what a dict would hold."""

    opens: ClassVar[type[Database]] = Database

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.clock = VirtualClock(0.0)
        self.model = Model()
        self.writes = 0
        path = Path(self.folder.name) / "a.db"
        self.database = type(self).opens(path, self.clock, synchronous="NORMAL")
        self.store = SqliteStore(self.database)

    @rule(several=st.lists(writes, min_size=1, max_size=4), times=st.integers(1, 2))
    def write(self, several: Sequence[Sequence[Change]], times: int) -> None:
        """Write a few times, perhaps each twice under one id as a client library would."""
        for drawn in several:
            self.writes += 1
            written = self.model.resolved(drawn)
            failed = self.model.failed(written)
            for _ in range(times):
                assert self.conflict(written) == failed
            if not failed:
                self.model.write(written)

    def conflict(self, written: Sequence[Change]) -> tuple[str, ...]:
        """Write, and give the sort keys at fault."""
        try:
            self.store.write_once(written, f"w{self.writes}")
        except Conflict as conflict:
            return conflict.failed
        return ()

    @rule(seconds=st.integers(1, 5))
    def wait(self, seconds: int) -> None:
        """Let time pass."""
        self.clock.advance(seconds)
        self.model.now += seconds

    @rule(
        table=st.sampled_from(TABLES),
        partition=st.sampled_from(PARTITIONS),
        prefix=st.sampled_from(["", "a", "a#", "x", "\U0010ffff"]),
        limit=st.integers(0, 4),
        descending=st.booleans(),
    )
    def query(
        self,
        table: str,
        partition: str,
        prefix: str,
        limit: int,
        descending: bool,
    ) -> None:
        """Query a partition by prefix."""
        expected = sorted(
            (
                item
                for key, item in self.model.living().items()
                if (key.table, key.partition) == (table, partition) and key.sort.startswith(prefix)
            ),
            key=lambda item: item.key,
            reverse=descending,
        )
        found = self.store.query(table, partition, prefix, limit=limit, descending=descending)
        assert found == tuple(expected[:limit])

    @rule(kind=st.sampled_from(KINDS), before=instants)
    def due(self, kind: str, before: float) -> None:
        """Ask what is due."""
        expected = [
            item
            for item in self.model.living().values()
            if item.due and item.due[0] == kind and item.due[1] <= before
        ]
        found = self.store.due(kind, before, 100)
        assert [item.due for item in found] == sorted(item.due for item in expected if item.due)
        assert {item.key: item for item in found} == {item.key: item for item in expected}

    @invariant()
    def holds_the_same(self) -> None:
        """Read every item there could be."""
        every = [Key(t, p, s) for t in TABLES for p in PARTITIONS for s in SORTS]
        living = self.model.living()
        assert self.store.get(every) == tuple(living.get(key) for key in every)

    def teardown(self) -> None:
        """Close the database."""
        self.database.close()
        self.folder.cleanup()


class StoreAloneAgainstModel(StoreAgainstModel):
    """The same where a single thread has the file to itself."""

    opens = AloneDatabase


test_the_store_is_a_dict = StoreAgainstModel.TestCase
test_the_store_alone_is_a_dict = StoreAloneAgainstModel.TestCase
test_the_store_is_a_dict.settings = test_the_store_alone_is_a_dict.settings = settings(
    max_examples=30,
    stateful_step_count=30,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
