import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from long_running import following
from long_running.following import Follower
from threadline.backends.clock import SystemClock
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.queue import SqliteQueue
from threadline.core.ports import Outgoing


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[SqliteQueue]:
    """Give an empty queue of hints."""
    with Database(tmp_path / "db", SystemClock(), synchronous="NORMAL") as database:
        yield SqliteQueue(database, "runs", fifo=False)


class Watching:
    """Follows by the bodies: `quick` is over at once, `fault` raises, others last until told."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self.handed_over = asyncio.Event()

    async def follow(self, body: str) -> None:
        self.begun.append(body)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if body == "fault":
                raise ValueError("what the agent said")
            if body != "quick":
                await self.handed_over.wait()
        finally:
            self.at_once -= 1

    def hand_over(self) -> None:
        self.handed_over.set()


def follow(
    runs: SqliteQueue, act: Callable[[Watching], Awaitable[None]], at_once: int = 200
) -> Watching:
    """Run a follower while `act` lasts, then stop it."""

    async def run() -> Watching:
        watching = Watching()
        follower = Follower(runs, watching, at_once)
        running = asyncio.create_task(follower.run())
        async with asyncio.timeout(60):
            await act(watching)
            follower.stop()
            await running
        return watching

    return asyncio.run(run())


async def until(true: Callable[[], bool]) -> None:
    """Wait until it is so."""
    while not true():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def test_a_followed_hint_is_deleted(runs: SqliteQueue) -> None:
    """When following returns the hint is gone from the queue."""
    runs.send([Outgoing("quick"), Outgoing("quick")])

    async def act(_: Watching) -> None:
        await until(lambda: runs.depth() == 0)

    assert follow(runs, act).begun == ["quick", "quick"]


def test_a_hint_whose_following_fails_comes_again(
    runs: SqliteQueue, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault leaves the hint to its visibility, and the log has no text of the error."""
    runs.send([Outgoing("fault"), Outgoing("quick")])

    async def act(_: Watching) -> None:
        await until(lambda: runs.depth() == 1 and "ValueError" in caplog.text)

    follow(runs, act)
    assert runs.depth() == 1
    assert "what the agent said" not in caplog.text


def test_many_runs_are_followed_at_once_but_no_more_than_allowed(runs: SqliteQueue) -> None:
    """At the limit further hints stay in the queue for others to take."""
    runs.send([Outgoing(f"long {number}") for number in range(10)])
    runs.send([Outgoing("long 10"), Outgoing("long 11")])

    async def act(watching: Watching) -> None:
        await until(lambda: watching.at_once == 11)
        await asyncio.sleep(0.1)

    watching = follow(runs, act, at_once=11)
    assert watching.most_at_once == 11
    assert len(watching.begun) == 11


def test_stopping_hands_over_and_waits(runs: SqliteQueue) -> None:
    """On stop every follower is told to hand over, and none is left running."""
    runs.send([Outgoing("long"), Outgoing("long")])

    async def act(watching: Watching) -> None:
        await until(lambda: watching.at_once == 2)

    watching = follow(runs, act)
    assert watching.handed_over.is_set()
    assert watching.at_once == 0
    assert runs.depth() == 0


def test_a_long_run_keeps_its_hint(runs: SqliteQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a run is followed its hint stays hidden, however much longer than its visibility."""
    monkeypatch.setattr(following, "VISIBILITY", 1.0)
    monkeypatch.setattr(following, "RENEW_EVERY", 0.1)
    runs.send([Outgoing("long")])

    async def act(watching: Watching) -> None:
        await until(lambda: watching.at_once == 1)
        await asyncio.sleep(1.5)

    assert follow(runs, act).begun == ["long"]
