from collections.abc import Iterator
from pathlib import Path

import pytest

from threadline.app import admission
from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.store import SqliteStore
from threadline.core.errors import Conflict
from threadline.core.ports import ItemStore
from threadline.core.records import Admitted

LIFETIME = 600.0


@pytest.fixture
def clock() -> VirtualClock:
    """Stand still until told."""
    return VirtualClock()


@pytest.fixture
def store(tmp_path: Path, clock: VirtualClock) -> Iterator[ItemStore]:
    """Give an empty embedded store."""
    with Database(tmp_path / "store.db", clock) as database:
        yield SqliteStore(database)


def make(store: ItemStore, clock: VirtualClock, app: str = "default", byte: int = 7) -> str:
    """Make a code and store it."""
    code, change = admission.make_code("telegram", app, bytes([byte] * 16), clock.now(), LIFETIME)
    store.write([change])
    return code


def sender(clock: VirtualClock, name: str = "42", app: str = "default") -> Admitted:
    """Somebody who sends a code now."""
    return Admitted("telegram", app, name, "Ada", clock.now())


def is_in(store: ItemStore, name: str, app: str = "default") -> bool:
    """Ask as dispatch does."""
    return store.get([admission.admitted_key("telegram", app, name)])[0] is not None


def test_a_code_lets_its_sender_in(store: ItemStore, clock: VirtualClock) -> None:
    """Whoever sends the code is in from then on, and nobody else is."""
    code = make(store, clock)
    assert not admission.anybody_in(store, "telegram", "default")
    store.write(admission.redeem(store, code, sender(clock)))
    assert is_in(store, "42")
    assert not is_in(store, "43")
    assert not is_in(store, "42", app="work")
    assert admission.anybody_in(store, "telegram", "default")
    assert not admission.anybody_in(store, "telegram", "work")


def test_the_code_itself_rests_nowhere(
    store: ItemStore, clock: VirtualClock, tmp_path: Path
) -> None:
    """A code has 128 bits and only its digest is stored."""
    code = make(store, clock)
    assert len(code) == 22
    assert not any(code.encode() in file.read_bytes() for file in tmp_path.iterdir())


def test_a_code_works_once(store: ItemStore, clock: VirtualClock) -> None:
    """A second person cannot use a code; its sender may send it again."""
    code = make(store, clock)
    store.write(admission.redeem(store, code, sender(clock)))
    assert admission.redeem(store, code, sender(clock, "43")) == ()
    store.write(admission.redeem(store, code, sender(clock)))
    assert is_in(store, "42")


def test_of_two_who_race_one_gets_in(store: ItemStore, clock: VirtualClock) -> None:
    """Two senders that both found the code unused cannot both write."""
    code = make(store, clock)
    first = admission.redeem(store, code, sender(clock, "42"))
    second = admission.redeem(store, code, sender(clock, "43"))
    store.write(first)
    with pytest.raises(Conflict):
        store.write(second)
    assert not is_in(store, "43")


@pytest.mark.parametrize(("seconds", "valid"), [(LIFETIME, True), (LIFETIME + 0.001, False)])
def test_a_code_ends(store: ItemStore, clock: VirtualClock, seconds: float, *, valid: bool) -> None:
    """A code is good up to its last instant and not after."""
    code = make(store, clock)
    clock.advance(seconds)
    assert bool(admission.redeem(store, code, sender(clock))) is valid


@pytest.mark.parametrize("code", ["", "AAAA", "x" * 10_000, "\ud800", "日本"])
def test_what_is_no_code_lets_nobody_in(store: ItemStore, clock: VirtualClock, code: str) -> None:
    """Any text may come as a code, and none but a code has an effect."""
    make(store, clock)
    assert admission.redeem(store, code, sender(clock)) == ()


def test_a_code_is_for_one_app(store: ItemStore, clock: VirtualClock) -> None:
    """The code of one app opens no other."""
    code = make(store, clock, app="work")
    assert admission.redeem(store, code, sender(clock)) == ()
    assert admission.redeem(store, code, sender(clock, app="work"))


def test_fewer_bytes_are_no_code() -> None:
    """A code that could be guessed is never made."""
    with pytest.raises(ValueError, match="16 random bytes"):
        admission.make_code("telegram", "default", b"short", 0.0)
