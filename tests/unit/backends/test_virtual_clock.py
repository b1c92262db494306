import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from threadline.backends.clock import SystemClock, VirtualClock
from threadline.backends.virtual_loop import VirtualLoop

START = 1_000_000_000.0


def test_time_stands_still_until_told() -> None:
    """Virtual time moves by what it is told and by sleeping, and never backwards."""
    clock = VirtualClock(START)
    assert clock.now() == START
    clock.advance(1.5)
    clock.sleep(0.25)
    clock.advance(-5)
    clock.sleep(0)
    assert clock.now() == START + 1.75
    assert clock.passed() == 1.75


def test_no_step_is_lost_between_threads() -> None:
    """Many threads that sleep at once move the time by the sum of their sleeps."""
    clock = VirtualClock(START)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(clock.sleep, [0.001] * 1000))
    assert clock.now() == START + 1


def test_pauses_end_in_the_order_of_their_times() -> None:
    """Tasks that pause at the same time wake in order, each exactly at its time."""
    clock = VirtualClock(START)
    woken: list[tuple[str, float]] = []

    async def beat(name: str, seconds: float, times: int) -> None:
        for _ in range(times):
            await clock.pause(seconds)
            woken.append((name, clock.passed()))

    async def both() -> None:
        await asyncio.gather(beat("slow", 15.0, 2), beat("quick", 6.0, 4))

    asyncio.run(both(), loop_factory=clock.loop)
    assert woken == [
        ("quick", 6.0),
        ("quick", 12.0),
        ("slow", 15.0),
        ("quick", 18.0),
        ("quick", 24.0),
        ("slow", 30.0),
    ]


def test_hours_pass_at_once() -> None:
    """A day of pauses takes as long as its code; timeouts of asyncio go by the same time."""
    clock = VirtualClock(START)

    async def day() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3600):
                await asyncio.Event().wait()
        for _ in range(23):
            await asyncio.sleep(3600)

    began = time.monotonic()
    asyncio.run(day(), loop_factory=clock.loop)
    assert clock.passed() == 24 * 3600
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("seconds", [0.1, 1 / 3, 1e-7, 12345.678901234, 1e6 + 1 / 3])
def test_any_pause_ends(seconds: float) -> None:
    """A pause that is no whole number of microseconds ends, at most one of them off."""
    clock = VirtualClock()

    async def pauses() -> None:
        for _ in range(10):
            await clock.pause(seconds)

    asyncio.run(pauses(), loop_factory=clock.loop)
    assert clock.passed() == pytest.approx(10 * seconds, abs=2e-5)


def test_time_waits_for_threads() -> None:
    """While a thread works for the loop, time does not run away from it."""
    clock = VirtualClock(START)
    working = threading.Event()

    def work() -> float:
        working.wait(0.2)
        return clock.passed()

    async def both() -> tuple[float, None]:
        return await asyncio.gather(asyncio.to_thread(work), clock.pause(100.0))

    assert asyncio.run(both(), loop_factory=clock.loop)[0] == 0.0
    assert clock.passed() == 100.0


def test_sockets_are_given_their_grace() -> None:
    """With a grace, bytes on their way arrive before the next timer goes off."""
    clock = VirtualClock(START)
    near, far = socket.socketpair()
    near.setblocking(False)

    async def read() -> bytes:
        async with asyncio.timeout(1.0):
            return await asyncio.get_running_loop().sock_recv(near, 10)

    sender = threading.Timer(0.05, far.sendall, [b"late"])
    with near, far:
        sender.start()
        got = asyncio.run(read(), loop_factory=lambda: VirtualLoop(clock, grace=30.0))
        sender.join()
    assert got == b"late"
    assert clock.passed() == 0.0


def test_a_pause_elsewhere_is_refused() -> None:
    """In a loop of real time a virtual pause says what is missing instead of hanging."""
    with pytest.raises(RuntimeError, match="loop_factory"):
        asyncio.run(VirtualClock().pause(1.0))
    with pytest.raises(RuntimeError, match="loop_factory"):
        asyncio.run(VirtualClock().pause(1.0), loop_factory=VirtualClock().loop)


def test_the_system_clock_is_the_machines() -> None:
    """The real clock gives the machine's epoch seconds and waits in both manners."""
    clock = SystemClock()
    before = time.time()
    clock.sleep(0.01)
    clock.sleep(-1)
    asyncio.run(clock.pause(0.01))
    assert before + 0.02 <= clock.now() <= time.time()
