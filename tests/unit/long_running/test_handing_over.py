"""Between a socket and ingest: in order, nothing lost, the cursor behind what was accepted."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from long_running.sockets.accepting import MOST_FAULTS, Accepting
from long_running.sockets.state import Backoff
from threadline.core.errors import PlatformUnavailable, StoreUnavailable
from threadline.core.socket import Cursor, Missed, Step

NOBODY: Any = None


@dataclass(slots=True)
class Ingest:
    """Takes deliveries, unless something is planned for one of them."""

    plans: dict[bytes, list[bool | Exception]] = field(default_factory=dict)
    kept: list[bytes] = field(default_factory=list)
    aside: list[bytes] = field(default_factory=list)
    saved: list[Mapping[str, str]] = field(default_factory=list)
    unsaved: list[Exception] = field(default_factory=list)
    missed: list[Missed | Exception] = field(default_factory=list)
    asked: list[Cursor] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def accept(self, body: bytes) -> bool:
        """Do as planned, else keep it."""
        planned = self.plans.get(body)
        what = planned.pop(0) if planned else True
        if isinstance(what, Exception):
            raise what
        if what:
            self.kept.append(body)
        return what

    def set_aside(self, body: bytes) -> bool:
        """Keep what breaks ingest."""
        self.aside.append(body)
        return True

    def save(self, changed: Mapping[str, str]) -> None:
        """Keep a cursor."""
        if self.unsaved:
            raise self.unsaved.pop(0)
        self.saved.append(changed)

    def backfill(self, cursor: Cursor) -> Missed:
        """Give what is planned."""
        self.asked.append(cursor)
        missed = self.missed.pop(0)
        if isinstance(missed, Exception):
            raise missed
        return missed


def step(*deliveries: bytes, gap: bool = False, **save: str) -> Step:
    """Make a step of a session that nobody looks at."""
    return Step(session=NOBODY, deliveries=deliveries, save=save, gap=gap)


def taken(ingest: Ingest, *steps: Step, until: Callable[[], Any] = lambda: True) -> None:
    """Let steps be handed over, and wait until all is settled and something is so."""

    async def take() -> None:
        accepting = Accepting(
            accept=ingest.accept, save=ingest.save, random=lambda: 0.0, told=ingest.told.append,
            set_aside=ingest.set_aside, backfill=ingest.backfill, backoff=Backoff(0.001, 0.01),
            fill_again=Backoff(0.01, 0.02),
        )  # fmt: skip
        running = asyncio.create_task(accepting.run())
        for one in steps:
            accepting.take(one)
        async with asyncio.timeout(10):
            while True:
                settled = asyncio.create_task(accepting.settled())
                await asyncio.wait([settled, running], return_when=asyncio.FIRST_COMPLETED)
                (running if running.done() else settled).result()
                if until():
                    break
                await asyncio.sleep(0.005)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(take())


def cursor(ingest: Ingest) -> dict[str, str]:
    """Give the cursor as it was saved."""
    return {name: text for changed in ingest.saved for name, text in changed.items()}


def test_what_is_not_kept_is_tried_until_it_is() -> None:
    """Order stays, nothing is left out, and only what was kept is behind the cursor."""
    ingest = Ingest({b"1": [False, StoreUnavailable("throttled"), False]})
    taken(ingest, step(b"1", seq="1"), step(b"2", seq="2"))
    assert ingest.kept == [b"1", b"2"]
    assert cursor(ingest) == {"seq": "2"}
    assert ingest.told[-1] == ""


def test_a_delivery_that_breaks_ingest_is_set_aside() -> None:
    """It is tried a few times, kept apart, and those behind it arrive."""
    ingest = Ingest({b"bad": [KeyError("x")] * MOST_FAULTS})
    taken(ingest, step(b"1", seq="1"), step(b"bad", seq="2"), step(b"3", seq="3"))
    assert (ingest.kept, ingest.aside) == ([b"1", b"3"], [b"bad"])
    assert cursor(ingest) == {"seq": "3"}


def test_a_fault_that_passes_costs_nothing() -> None:
    """Where ingest breaks once, the delivery is handed over again."""
    ingest = Ingest({b"1": [RuntimeError("can't start new thread")]})
    taken(ingest, step(b"1"))
    assert (ingest.kept, ingest.aside) == ([b"1"], [])


def test_a_cursor_that_could_not_be_saved_is_saved_later() -> None:
    """Trouble with the store only delays the cursor; the last value of a name counts."""
    ingest = Ingest(unsaved=[StoreUnavailable("throttled")])
    taken(
        ingest, step(b"1", seq="1", gap_="x"), step(b"2", seq="2"),
        until=lambda: cursor(ingest).get("seq") == "2",
    )  # fmt: skip
    assert cursor(ingest) == {"seq": "2", "gap_": "x"}


def test_what_is_being_saved_is_saved_however_it_is_left() -> None:
    """A stop in the middle of a save loses nothing of it, and nothing older comes after newer."""
    ingest, slow = Ingest(), threading.Event()
    written: list[Mapping[str, str]] = []

    def save(changed: Mapping[str, str]) -> None:
        slow.wait(10)
        written.append(changed)

    async def leave() -> None:
        accepting = Accepting(
            accept=ingest.accept, save=save, random=lambda: 0.0, told=ingest.told.append,
            set_aside=ingest.set_aside,
        )  # fmt: skip
        running = asyncio.create_task(accepting.run())
        accepting.take(step(b"1", seq="1"))
        await asyncio.sleep(0.05)
        impatient = asyncio.create_task(accepting.settled())
        await asyncio.sleep(0.05)
        impatient.cancel()
        accepting.take(step(b"2", seq="2"))
        running_out = asyncio.create_task(accepting.settled())
        slow.set()
        await running_out
        running.cancel()
        await asyncio.gather(running, impatient, return_exceptions=True)

    asyncio.run(leave())
    assert written == [{"seq": "1"}, {"seq": "2"}]


def test_what_is_new_is_saved_at_once() -> None:
    """The first word of a session is kept before anything else, so that a kill is noticed."""
    ingest = Ingest(plans={b"2": [False] * 3})
    taken(ingest, step(session="a", seq="1"), step(b"2", seq="2"), step(b"3", seq="3"))
    assert ingest.saved[0] == {"session": "a", "seq": "1"}


def test_a_gap_is_filled_in_its_place() -> None:
    """What was missed comes before what is said afterwards, and is asked for by the cursor."""
    ingest = Ingest(missed=[Missed((b"old",), {"gap": ""})])
    taken(ingest, step(b"1", gap=True, seq="1", gap_from="5"), step(b"2"))
    assert ingest.kept == [b"1", b"old", b"2"]
    assert ingest.asked == [{"seq": "1", "gap_from": "5"}]


def test_a_gap_that_cannot_be_filled_is_asked_for_again() -> None:
    """Live messages go on meanwhile, and a person may see why; later the gap is filled."""
    trouble = PlatformUnavailable("down")
    ingest = Ingest(missed=[trouble, trouble, Missed((b"old",), {"gap": ""})])
    taken(ingest, step(gap=True), step(b"live"), until=lambda: b"old" in ingest.kept)
    assert ingest.kept == [b"live", b"old"]
    assert "could not be read" in ingest.told[0]
    assert ingest.told[-1] == ""


def test_gaps_that_fail_are_asked_for_once_at_a_time() -> None:
    """Several gaps in a row do not multiply the questions."""
    trouble = PlatformUnavailable("down")
    missed: list[Missed | Exception] = [trouble, trouble, trouble, Missed(), Missed()]
    ingest = Ingest(missed=missed)
    taken(ingest, *[step(gap=True)] * 3, until=lambda: len(ingest.asked) >= 4)
    assert len(ingest.asked) == 4


def test_a_fault_behind_the_socket_is_not_silent() -> None:
    """Whatever else breaks ends the handing over with an error: its socket then begins anew."""
    ingest = Ingest(unsaved=[TypeError("a fault of ours")])
    with pytest.raises((TypeError, BaseExceptionGroup)):
        taken(ingest, step(b"1", seq="1"), until=lambda: False)
    ingest = Ingest(missed=[TypeError("a fault of ours")])
    with pytest.raises(BaseExceptionGroup):
        taken(ingest, step(b"1", gap=True), until=lambda: False)
