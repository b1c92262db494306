from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from threadline import wiring
from threadline.app import audit
from threadline.app.audit import Hand
from threadline.app.restoring import PAGE, Found, Restoring
from threadline.backends.clock import VirtualClock
from threadline.core.errors import Conflict, StoreUnavailable
from threadline.core.ports import Change, Delete, Expect, Item, ItemStore, Key, Put

TABLE = "conversations"
HANDS = count()


class Store:
    """A table and a copy of it as it was."""

    def __init__(self, folder: Path) -> None:
        self.clock = VirtualClock()
        self.table, self.copy = (
            wiring.local_ports(folder / name, self.clock) for name in ("table", "copy")
        )

    def both(self, *items: Item) -> None:
        """Let items stand in the table and in the copy."""
        for local in (self.table, self.copy):
            local.ports.store.write([Put(item, Expect.ABSENT) for item in items])

    def restoring(self, only: str = "", store: ItemStore | None = None) -> Restoring:
        """Compare the copy with the table."""
        own = store or self.table.ports.store
        return Restoring(self.copy.ports.scans, own, TABLE, self.clock.now(), only)

    def texts(self) -> dict[str, object]:
        """Read what the table has."""
        found = self.table.ports.scans.scan(TABLE)
        return {item.key.partition: item.attributes["text"] for item in found}


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Store]:
    """Give a table and its copy, closed at the end."""
    store = Store(tmp_path)
    yield store
    store.table.close()
    store.copy.close()


def item(name: str, text: str = "as it was", expires_at: float | None = None) -> Item:
    """Make an item that is due."""
    key = Key(TABLE, name, "conversation")
    attributes = {"kind": "conversation", "text": text}
    return Item(key, attributes, due=("conversation", 5.0), expires_at=expires_at)


def behind() -> Put:
    """Give an audit row to restore behind."""
    return audit.row("restore", 4e9, Hand("olga", str(next(HANDS))), items="1")


def lose(store: Store, *names: str) -> None:
    """Let items of the table be lost."""
    for name in names:
        store.table.ports.store.write([Delete(item(name).key, Expect.ANY)])


def test_what_is_missing_comes_back_and_nothing_else_changes(stored: Store) -> None:
    """Lost items are as in the copy, due ones due; what is there stays, what expired stays away."""
    stored.both(item("a"), item("b"), item("c"), item("d", expires_at=stored.clock.now() + 10))
    lose(stored, "a", "d")
    now = stored.table.ports.store.get([item("b").key])[0]
    assert now is not None
    later = replace(now, attributes={**now.attributes, "text": "as it is"})
    stored.table.ports.store.write([Put(later, now.version)])
    stored.clock.advance(20)
    restoring = stored.restoring()
    assert restoring.count() == {Found.MISSING: 1, Found.OTHER: 1, Found.SAME: 1, Found.OVER: 1}
    assert restoring.put_back(behind(), replace=False) == (1, 0)
    assert stored.texts() == {"a": "as it was", "b": "as it is", "c": "as it was"}
    due = stored.table.ports.store.due("conversation", 10.0, 10)
    assert {one.key.partition for one in due} == {"a", "b", "c"}


def test_what_differs_is_replaced_where_that_is_wanted(stored: Store) -> None:
    """`replace` takes the copy's, under a version that fences out whoever holds the other."""
    stored.both(item("a"))
    store = stored.table.ports.store
    store.write([Put(item("a", "spoilt"), 1)])
    assert stored.restoring().put_back(behind(), replace=True) == (1, 0)
    assert stored.texts() == {"a": "as it was"}
    with pytest.raises(Conflict):
        store.write([Put(item("a", "of somebody who read version 2"), 2)])


def test_only_some_are_put_back_where_that_is_wanted(stored: Store) -> None:
    """A beginning of partitions leaves all others alone, over many pages."""
    names = [f"telegram/default//{number:04}/" for number in range(250)]
    for name in names:
        stored.copy.ports.store.write([Put(item(name), Expect.ABSENT)])
    restoring = stored.restoring("telegram/default//000")
    assert restoring.count()[Found.MISSING] == 10
    assert restoring.put_back(behind(), replace=False) == (10, 0)
    assert sorted(stored.texts()) == names[:10]
    assert stored.restoring().put_back(behind(), replace=False) == (240, 0)
    assert sorted(stored.texts()) == names


def test_what_changes_meanwhile_is_left(stored: Store) -> None:
    """An item that somebody writes between our look and our write stays as they wrote it."""
    stored.both(item("a"), item("b"))
    lose(stored, "a", "b")
    store = stored.table.ports.store

    class Busy:
        """The table, in which somebody writes just before us."""

        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

        def write(self, changes: list[Change]) -> None:
            if isinstance(changes[0], Put) and changes[0].item.key == item("a").key:
                store.write([Put(item("a", "of somebody else"), Expect.ABSENT)])
            store.write(changes)

    assert stored.restoring(store=Busy()).put_back(behind(), replace=False) == (1, 1)  # type: ignore[arg-type]
    assert stored.texts() == {"a": "of somebody else", "b": "as it was"}


def test_what_went_on_is_not_put_back(tmp_path: Path) -> None:
    """A message that was taken and a part that was posted stand under other keys: not missing."""
    store = Store(tmp_path)
    taken = Item(Key(TABLE, "a", "wait#000000000001"), {"text": "taken"})
    posted = Item(Key("outbox", "a", "live#part#0000000000001#t#000"), {"action": "post"})
    grown = Item(Key("outbox", "a", "live#part#0000000000002#t#000"), {"action": "edit"})
    store.both(item("a"), taken, posted, grown)
    done = Item(Key("outbox", "a", "done#t#000"), {"action": "post"})
    own = store.table.ports.store
    own.write([Delete(one.key, Expect.ANY) for one in (taken, posted, grown)])
    own.write([Put(done, Expect.ABSENT)])
    restored = [
        Restoring(store.copy.ports.scans, own, table, store.clock.now()).put_back(
            behind(), replace=False
        )
        for table in (TABLE, "outbox")
    ]
    assert restored == [(0, 0), (1, 0)]
    assert own.get([taken.key, posted.key]) == (None, None)
    assert own.get([grown.key])[0] is not None
    store.table.close()
    store.copy.close()


def test_a_lost_conversation_comes_back_with_all_that_waits(stored: Store) -> None:
    """However many messages wait: those put back after their conversation are missing, too."""
    waiting = [
        Item(Key(TABLE, "a", f"wait#{number:012d}"), {"text": str(number)})
        for number in range(PAGE + 20)
    ]
    stored.both(item("a"), *waiting[:60])
    stored.both(*waiting[60:])
    own = stored.table.ports.store
    own.write([Delete(one.key, Expect.ANY) for one in [item("a"), *waiting[:60]]])
    own.write([Delete(one.key, Expect.ANY) for one in waiting[60:]])
    assert stored.restoring().put_back(behind(), replace=False) == (len(waiting) + 1, 0)


def test_a_restore_that_breaks_off_has_its_audit_row(stored: Store) -> None:
    """Who began is known, however far it came."""
    stored.both(item("a"))
    lose(stored, "a")
    store = stored.table.ports.store

    class Breaking:
        """The table, away for whatever is put back."""

        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

        def write(self, changes: list[Change]) -> None:
            if isinstance(changes[0], Put) and changes[0].item.key.table == TABLE:
                raise StoreUnavailable("away")
            store.write(changes)

    with pytest.raises(StoreUnavailable):
        stored.restoring(store=Breaking()).put_back(behind(), replace=False)  # type: ignore[arg-type]
    assert [(row.action, row.by) for row in audit.rows(store)] == [("restore", "olga")]
