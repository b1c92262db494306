from tests.contract.ports.backends import Ports
from tests.contract.ports.items import key
from threadline.core.ports import Delete, Expect, Item, Key, Put

ALL = 100


def kept(*keys: Key, ports: Ports, expires_at: float | None = None) -> set[Key]:
    """Write an item under each key, and give the keys."""
    for one in keys:
        item = Item(one, {"text": one.sort}, due=("conversation", 5.0), expires_at=expires_at)
        ports.store.write([Put(item, Expect.ABSENT)])
    return set(keys)


def scanned(ports: Ports, limit: int, table: str = "conversations") -> list[Key]:
    """Read a table in pages of so many items."""
    found: list[Key] = []
    after: Key | None = None
    while page := ports.scans.scan(table, after, limit):
        found += [item.key for item in page]
        if len(page) < limit:
            break
        after = page[-1].key
    return found


def test_every_item_is_read_once(ports: Ports) -> None:
    """Whatever the pages' size, a scan gives each item of the table once, and no other table's."""
    wanted = kept(*(key(f"s{n}", f"p{n % 3}") for n in range(10)), ports=ports)
    kept(key("s0", "p0", table="outbox"), ports=ports)
    for limit in (1, 3, 10, ALL):
        found = scanned(ports, limit)
        assert len(found) == len(wanted)
        assert set(found) == wanted


def test_an_item_is_read_as_it_stands(ports: Ports) -> None:
    """A scan gives what a get gives: attributes, version, due time and end."""
    kept(key("one"), ports=ports, expires_at=float(int(ports.now()) + 1000))
    ports.store.write([Put(Item(key("one"), {"text": "new"}), 1)])
    assert ports.scans.scan("conversations") == ports.store.get([key("one")])


def test_an_empty_table_ends_at_once(ports: Ports) -> None:
    """Where nothing is, and after the last item, nothing is read."""
    assert ports.store.get([key("none")]) == (None,)
    assert ports.scans.scan("conversations") == ()
    kept(key("one"), ports=ports)
    assert ports.scans.scan("conversations", key("one")) == ()


def test_a_scan_goes_on_after_an_item_that_is_gone(ports: Ports) -> None:
    """What was read may be deleted before the next page is asked for."""
    wanted = kept(*(key(f"s{n}") for n in range(6)), ports=ports)
    first = ports.scans.scan("conversations", limit=3)
    ports.store.write([Delete(item.key, item.version) for item in first])
    rest = ports.scans.scan("conversations", first[-1].key, ALL)
    assert {item.key for item in (*first, *rest)} == wanted


def test_what_expired_is_read_and_can_be_removed(ports: Ports) -> None:
    """An expired item that still rests is in the scan; a delete that expects none removes it."""
    kept(key("gone"), ports=ports, expires_at=ports.now() + 1)
    kept(key("stays"), ports=ports)
    ports.advance(2.5)
    expired = [item for item in ports.scans.scan("conversations") if item.key == key("gone")]
    assert [item.attributes for item in expired] == [{"text": "gone"}]
    ports.store.write([Delete(key("gone"), Expect.ABSENT)])
    assert scanned(ports, ALL) == [key("stays")]
