import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

from long_running.sockets import accepting as waiting
from long_running.sockets.accepting import Accepting
from long_running.sockets.state import Backoff
from tests.unit.buzz.paper_relay import PaperRelay, catch_up
from tests.unit.buzz.relay import NOW, channel, says
from threadline.core.errors import StoreUnavailable
from threadline.core.socket import Step

READ = {"channel/ch-1": json.dumps([int(NOW), int(NOW), []])}


@dataclass(slots=True)
class Mailbox:
    """Keeps deliveries and the cursor, until it breaks."""

    kept: list[str] = field(default_factory=list)
    saved: dict[str, str] = field(default_factory=dict)
    breaks_after: int = 1_000_000
    refuses: set[int] = field(default_factory=set)
    tried: int = 0
    moved: Callable[[], object] = bool

    def accept(self, body: bytes) -> bool:
        """Keep a delivery, or say that the store does not answer."""
        self.tried += 1
        try:
            return self._kept(body)
        finally:
            self.moved()

    def _kept(self, body: bytes) -> bool:
        if self.tried in self.refuses:
            raise StoreUnavailable("the store does not answer")
        if len(self.kept) >= self.breaks_after:
            return False
        self.kept.append(json.loads(body)["event"]["content"])
        return True

    def save(self, changed: Mapping[str, str]) -> None:
        """Keep the cursor."""
        self.saved.update(changed)


def hand_over(steps: list[Step], mailbox: Mailbox, until: Callable[[], bool]) -> Accepting:
    """Let a host take these steps, for as long as told, and leave without another word."""

    async def take() -> Accepting:
        loop, moved = asyncio.get_running_loop(), asyncio.Event()
        mailbox.moved = lambda: loop.call_soon_threadsafe(moved.set)
        accepting = Accepting(
            accept=mailbox.accept, save=mailbox.save, random=lambda: 0.5, told=lambda _: None,
            set_aside=lambda _: False, backoff=Backoff(0.001, 0.002),
        )  # fmt: skip
        for step in steps:
            accepting.take(step)
        running = asyncio.create_task(accepting.run())
        try:
            async with asyncio.timeout(20):
                while not until():
                    await moved.wait()
                    moved.clear()
            await accepting.saved()
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        return accepting

    return asyncio.run(take())


def missed(saved: Mapping[str, str], count: int = 450) -> list[Step]:
    """Give the steps in which a session delivers what was missed since."""
    events = [says(f"{n}", at=NOW + 10 + n) for n in range(count)]
    relay = PaperRelay([channel("ch-1", at=NOW), *events])
    return catch_up(relay, saved, NOW + 1_000).steps


@pytest.mark.parametrize("taken", [0, 1, 49, 50, 249, 250, 251, 449])
def test_a_place_is_saved_once_the_mailbox_has_all_of_a_page(taken: int) -> None:
    """However many messages were taken: the saved place is behind none that was not."""
    mailbox = Mailbox(breaks_after=taken)
    hand_over(missed(READ), mailbox, lambda: mailbox.tried > taken)
    place = json.loads(mailbox.saved.get("channel/ch-1", READ["channel/ch-1"]))[1]
    assert place <= NOW + 10 + taken - 1
    again = Mailbox()
    steps = missed({**READ, **mailbox.saved})
    hand_over(steps, again, lambda: sum(len(step.deliveries) for step in steps) == len(again.kept))
    together = list(dict.fromkeys([*mailbox.kept, *again.kept]))
    assert together == [f"{n}" for n in range(450)]


def test_a_store_that_stumbles_loses_nothing() -> None:
    """A delivery that was not kept is tried again before the next one, in order."""
    mailbox = Mailbox(refuses={1, 2, 7, 200, 201})
    hand_over(missed(READ), mailbox, lambda: len(mailbox.kept) == 450)
    assert mailbox.kept == [f"{n}" for n in range(450)]


def test_what_a_place_begins_with_is_saved_before_anything_of_it_is_taken() -> None:
    """A channel seen for the first time is remembered at once: who dies then, skips nothing."""
    order: list[str] = []

    class Watched(Mailbox):
        def save(self, changed: Mapping[str, str]) -> None:
            Mailbox.save(self, changed)
            order.append("saved")

        def _kept(self, body: bytes) -> bool:
            order.append("kept")
            return Mailbox._kept(self, body)

    relay = PaperRelay([channel("ch-1", at=NOW)])
    meeting = catch_up(relay, {}, NOW)
    meeting.hear(says("hello", at=NOW + 1))
    hand_over([*meeting.steps, meeting.talk.last], Watched(), lambda: "kept" in order)
    assert order[:2] == ["saved", "kept"]


def test_reading_pauses_while_much_waits() -> None:
    """Neither many deliveries nor large ones pile up behind a mailbox that takes none."""

    async def full(step: Step) -> bool:
        accepting = Accepting(
            accept=lambda _: False, save=lambda _: None, random=lambda: 0.5, told=lambda _: None,
            set_aside=lambda _: False,
        )  # fmt: skip
        accepting.take(step)
        return accepting.full

    session = missed(READ, 1)[-1].session
    many = Step(session=session, deliveries=(b"{}",) * waiting.MOST_WAITING)
    large = Step(session=session, deliveries=(b"x" * waiting.MOST_BYTES,))
    few = Step(session=session, deliveries=(b"{}",) * 10)
    assert [asyncio.run(full(step)) for step in (many, large, few)] == [True, True, False]


def test_reading_goes_on_once_it_was_taken() -> None:
    """What was handed over no longer counts."""
    mailbox = Mailbox()
    steps = missed(READ)
    accepting = hand_over(steps, mailbox, lambda: len(mailbox.kept) == 450)
    assert not accepting.full
