"""Flows driven over the network."""

import asyncio
import threading

import pytest

from tests.unit.http.wire import Connection, serving
from threadline.backends.calls import Network
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import adrive, drive
from threadline.backends.files import FileBlobs
from threadline.backends.http_asyncio import AsyncioHttp
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.errors import AgentRejected
from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost, ask, pause


def two_steps() -> Flow[tuple[str, str]]:
    """Ask, wait, ask again."""
    first = yield from ask(HttpRequest("GET", "http://a.example", "first"))
    yield from pause(90.0)
    second = yield from ask(HttpRequest("GET", "http://b.example", "second"))
    assert isinstance(first, HttpResponse)
    assert isinstance(second, Lost)
    return first.body.decode(), second.why


def canned(request: HttpRequest) -> HttpResponse | Lost:
    """Answer the first request and lose the second."""
    if request.label == "first":
        return HttpResponse(200, {}, b"one")
    return Lost("reset", sent=True)


def refusing() -> Flow[None]:
    """Raise what a flow raises."""
    yield from pause(1.0)
    raise AgentRejected("no")


def test_a_flow_runs_to_its_end() -> None:
    """Answers come back to where they were asked for, and a pause is waited for."""
    clock = VirtualClock()
    assert drive(two_steps(), canned, clock) == ("one", "reset")
    assert clock.passed() == 90.0


def test_a_flow_runs_to_its_end_in_asyncio() -> None:
    """The same flow does the same in a loop."""
    clock = VirtualClock()

    async def perform(request: HttpRequest) -> HttpResponse | Lost:
        return canned(request)

    driven = asyncio.run(adrive(two_steps(), perform, clock), loop_factory=clock.loop)
    assert driven == ("one", "reset")
    assert clock.passed() == 90.0


def test_errors_of_a_flow_come_out_as_they_are() -> None:
    """A driver neither hides nor wraps what a flow raises."""
    with pytest.raises(AgentRejected, match="no"):
        drive(refusing(), canned, VirtualClock())


def test_the_network_runs_flows_both_ways(blobs: FileBlobs) -> None:
    """One flow goes out by either driver."""

    def asked(url: str) -> Flow[int]:
        answer = yield from ask(HttpRequest("GET", url, "get", configured=True))
        assert isinstance(answer, HttpResponse)
        return answer.status

    async def by_asyncio(url: str) -> int:
        status = await network.arun(asked(url))
        await network.close()
        return status

    blocking = BlockingHttp(blobs)
    network = Network(blocking, AsyncioHttp(blobs), VirtualClock())

    def answers(connection: Connection) -> None:
        connection.answer()

    with serving(answers, answers) as wire:
        assert network.run(asked(wire.url)) == 200
        blocking.close()
        assert asyncio.run(by_asyncio(wire.url)) == 200


def test_each_loop_has_its_own_connections(blobs: FileBlobs) -> None:
    """A loop that ends closes its connections unasked, and the next one starts with new ones."""
    http = AsyncioHttp(blobs)
    ended = []

    def keeps(connection: Connection) -> None:
        connection.answer()
        connection.wait_for_end()
        ended.append(True)

    with serving(keeps, keeps) as wire:
        request = HttpRequest("GET", wire.url, "get", configured=True)
        for _ in range(2):
            assert isinstance(asyncio.run(http.perform(request)), HttpResponse)
    assert len(ended) == 2


def test_closing_is_not_the_end(blobs: FileBlobs) -> None:
    """After `close` the same loop may go on with new connections, closed like the first."""
    http = AsyncioHttp(blobs)

    async def twice(request: HttpRequest) -> list[HttpResponse | Lost]:
        first = await http.perform(request)
        await http.close()
        return [first, await http.perform(request)]

    def keeps(connection: Connection) -> None:
        connection.answer()
        connection.wait_for_end()

    with serving(keeps, keeps) as wire:
        answers = asyncio.run(twice(HttpRequest("GET", wire.url, "get", configured=True)))
    assert all(isinstance(answer, HttpResponse) for answer in answers)


def test_each_thread_has_its_own_connections(blobs: FileBlobs) -> None:
    """Threads never share a connection, and those of a thread that ended are closed."""
    http = BlockingHttp(blobs)

    def keeps(connection: Connection) -> None:
        connection.answer()
        connection.wait_for_end()

    with serving(keeps, keeps) as wire:
        request = HttpRequest("GET", wire.url, "get", configured=True)
        for _ in range(2):
            thread = threading.Thread(target=http.perform, args=(request,))
            thread.start()
            thread.join()
        http.close()
    assert wire.accepted == 2
    assert isinstance(http.perform(HttpRequest("GET", "http://127.0.0.1", "get")), Lost)
