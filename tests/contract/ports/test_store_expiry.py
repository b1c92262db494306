import pytest

from tests.contract.ports.backends import Ports
from tests.contract.ports.items import key, put, stored, there
from threadline.core.errors import Conflict
from threadline.core.ports import Change, Check, Delete, Expect, Item, Put


@pytest.fixture
def ports_after(ports: Ports) -> Ports:
    """Give a store in which `gone` has expired and `kept` has not."""
    ports.store.write(
        [
            put("gone", text="old", due=("conversation", 1.0), expires_at=ports.now() + 1),
            put("kept", due=("conversation", 2.0), expires_at=ports.now() + 1000),
        ]
    )
    assert there(ports.store, "gone", "kept") == [True, True]
    ports.advance(2.5)
    return ports


def test_an_expired_item_is_not_read(ports_after: Ports) -> None:
    """What expired is absent from get, query and due, though nothing has deleted it yet."""
    store = ports_after.store
    assert there(store, "gone", "kept") == [False, True]
    assert [item.key.sort for item in store.query("conversations", "p")] == ["kept"]
    assert [item.key.sort for item in store.due("conversation", 9.0, 10)] == ["kept"]


def test_an_expired_item_does_not_use_up_the_limit(ports_after: Ports) -> None:
    """A limit counts living items only."""
    store = ports_after.store
    assert [item.key.sort for item in store.query("conversations", "p", limit=1)] == ["kept"]
    assert [item.key.sort for item in store.due("conversation", 9.0, 1)] == ["kept"]


def test_an_expired_item_can_be_made_anew(ports_after: Ports) -> None:
    """Expired counts as absent for a put, which begins at version 1 with nothing of the old."""
    ports_after.store.write([put("gone", Expect.ABSENT, text="new")])
    assert stored(ports_after.store, "gone") == Item(key("gone"), {"text": "new"}, version=1)


NEEDS_IT: dict[str, Change] = {
    "put": put("gone", 1),
    "delete": Delete(key("gone"), 1),
    "check": Check(key("gone"), 1),
}


@pytest.mark.parametrize("change", NEEDS_IT.values(), ids=NEEDS_IT.keys())
@pytest.mark.parametrize("others", [0, 1])
def test_an_expired_version_does_not_match(ports_after: Ports, change: Change, others: int) -> None:
    """An expectation of the expired item's version fails, alone and among others."""
    with pytest.raises(Conflict) as raised:
        ports_after.store.write([put("new")] * others + [change])
    assert raised.value.failed == ("gone",)
    assert there(ports_after.store, "gone", "new") == [False, False]


@pytest.mark.parametrize("change", [Check, Delete])
def test_an_expired_item_is_absent_as_expected(
    ports_after: Ports, change: type[Check] | type[Delete]
) -> None:
    """An expectation of absence holds for what expired."""
    ports_after.store.write([put("new"), change(key("gone"), Expect.ABSENT)])
    assert there(ports_after.store, "gone", "new") == [False, True]


def test_an_expiry_can_be_put_off(ports: Ports) -> None:
    """The expiry is that of the last write."""
    store = ports.store
    store.write([put("a", expires_at=ports.now() + 1), put("b", expires_at=ports.now() + 1)])
    store.write([put("a", 1, expires_at=ports.now() + 1000), put("b", 1)])
    ports.advance(2.5)
    assert there(store, "a", "b") == [True, True]


def test_what_expires_in_the_past_never_appears(ports: Ports) -> None:
    """An item written with an expiry that is over is written, and absent."""
    ports.store.write([Put(Item(key("a"), {}, expires_at=ports.now() - 10), Expect.ABSENT)])
    assert there(ports.store, "a") == [False]
