import asyncio
from itertools import chain, repeat

import pytest

from threadline.backends.http_listening import LONGEST_SILENCE, StreamBroken
from threadline.backends.outgoing import OpenGate, Passage, PlannedGate
from threadline.backends.outgoing_http import GatedAsyncioHttp, GatedHttp
from threadline.core.http import HttpRequest, HttpResponse, Lost, Take

REQUEST = HttpRequest("POST", "http://127.0.0.1/threads", "create run")
ANSWER = HttpResponse(200, body=b"{}")
POINT = "http.create run"


class Canned:
    """A blocking transport that answers and counts."""

    def __init__(self) -> None:
        self.asked: list[HttpRequest] = []
        self.closed = False

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Answer as canned."""
        self.asked.append(request)
        return ANSWER

    def close(self) -> None:
        """Note it."""
        self.closed = True


class AsyncioCanned:
    """An asyncio transport that answers, streams three pieces, and counts."""

    def __init__(self) -> None:
        self.asked: list[HttpRequest] = []
        self.open = 0
        self.closed = False

    async def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Answer as canned."""
        self.asked.append(request)
        return ANSWER

    async def listen(
        self, request: HttpRequest, take: Take, *, idle: float = LONGEST_SILENCE
    ) -> None:
        """Stream as canned."""
        assert idle == 5.0
        self.asked.append(request)
        self.open += 1
        try:
            for piece in (b"one", b"two", b"three"):
                if take(piece):
                    return
        finally:
            self.open -= 1

    async def close(self) -> None:
        """Note it."""
        self.closed = True


FAULTS = {
    "refused": (Passage(before=ConnectionRefusedError()), Lost("refused", sent=False), 0),
    "timeout before": (Passage(before=TimeoutError()), Lost("timeout", sent=True), 0),
    "timeout after": (Passage(after=TimeoutError()), Lost("timeout", sent=True), 1),
    "reset after": (Passage(after=ConnectionResetError()), Lost("reset", sent=True), 1),
    "repeated": (Passage(times=2), ANSWER, 2),
    "through": (Passage(), ANSWER, 1),
}


@pytest.mark.parametrize(("passage", "answer", "asked"), FAULTS.values(), ids=FAULTS)
def test_a_request_is_lost_where_the_plan_says(
    passage: Passage, answer: HttpResponse | Lost, asked: int
) -> None:
    """A request lost at the gate is answered as a transport would, before or after it was sent."""
    gate = PlannedGate(lambda _: passage)
    transport, in_asyncio = Canned(), AsyncioCanned()
    assert GatedHttp(transport, gate).perform(REQUEST) == answer
    assert asyncio.run(GatedAsyncioHttp(in_asyncio, gate).perform(REQUEST)) == answer
    assert transport.asked == in_asyncio.asked == [REQUEST] * asked
    assert gate.points == [POINT, POINT]


async def read(transport: AsyncioCanned, gate: PlannedGate | OpenGate) -> list[bytes]:
    """Read the stream through the gate."""
    pieces: list[bytes] = []

    def take(piece: bytes) -> bool:
        pieces.append(piece)
        return False

    try:
        await GatedAsyncioHttp(transport, gate).listen(REQUEST, take, idle=5.0)
    except StreamBroken as broken:
        pieces.append(broken.lost.why.encode())
    return pieces


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (0, [b"timeout"]),
        (1, [b"timeout"]),
        (2, [b"one", b"timeout"]),
        (4, [b"one", b"two", b"three", b"timeout"]),
        (5, [b"one", b"two", b"three"]),
    ],
)
def test_a_stream_is_cut_where_the_plan_says(at: int, expected: list[bytes]) -> None:
    """A stream can break at its opening, between any two pieces and at its end."""
    transport = AsyncioCanned()
    plan = chain(repeat(Passage(), at), repeat(Passage(before=TimeoutError())))
    gate = PlannedGate(lambda _: next(plan))
    assert asyncio.run(read(transport, gate)) == expected
    assert gate.points == [POINT, *[f"{POINT} piece"] * min(at, 4)]
    assert transport.open == 0


def test_an_open_gate_lets_a_stream_through() -> None:
    """Behind an open gate a stream comes whole, and closing reaches the transports."""
    transport, blocking = AsyncioCanned(), Canned()

    async def read_and_close() -> list[bytes]:
        pieces = await read(transport, OpenGate())
        await GatedAsyncioHttp(transport, OpenGate()).close()
        return pieces

    assert asyncio.run(read_and_close()) == [b"one", b"two", b"three"]
    GatedHttp(blocking, OpenGate()).close()
    assert transport.closed
    assert blocking.closed


def test_a_stream_that_is_left_is_closed() -> None:
    """Whoever has enough leaves no stream open, and hears nothing more."""
    transport = AsyncioCanned()
    seen: list[bytes] = []

    def enough(piece: bytes) -> bool:
        seen.append(piece)
        return True

    asyncio.run(GatedAsyncioHttp(transport, OpenGate()).listen(REQUEST, enough, idle=5.0))
    assert seen == [b"one"]
    assert transport.open == 0
