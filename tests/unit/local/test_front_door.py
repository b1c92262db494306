import asyncio
import gzip
import json
import threading
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from threadline.local import log
from threadline.local.front_door import FrontDoor, listen
from threadline.local.function import Function, Handler
from threadline.local.http_event import Route
from threadline.local.uploads import Uploads


class Now:
    def now(self) -> float:
        return 1583348638.39

    def sleep(self, seconds: float) -> None:
        raise NotImplementedError

    async def pause(self, seconds: float) -> None:
        raise NotImplementedError


def visit(
    handler: Handler,
    visitor: Callable[[aiohttp.ClientSession, str], Awaitable[None]],
    pages: tuple[web.AbstractRouteDef, ...] = (),
    uploads: Uploads | None = None,
) -> None:
    """Open a front door with one function, let the visitor in, close it."""
    ids = count(1)

    async def run() -> None:
        function = Function("ingest", handler, 10.0, Now(), lambda: str(next(ids)))
        door = FrontDoor(
            [(Route("POST", "/webhooks/{platform}"), function)], Now(), lambda: "id", pages, uploads
        )
        listener = listen(28_100)
        await door.open(listener)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        try:
            async with aiohttp.ClientSession(auto_decompress=False) as session:
                await visitor(session, url)
        finally:
            await door.close()

    asyncio.run(run())


def echo(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer with the event itself."""
    told = {"event": event, "left": context.get_remaining_time_in_millis()}
    return {"statusCode": 200, "headers": {"Content-Type": "text/x-echo", "X-A": "1"},
            "cookies": ["a=1", "b=2"], "body": json.dumps(told)}  # fmt: skip


def test_a_request_reaches_its_function_as_an_event() -> None:
    """What was sent over a socket is what the function sees, and its answer comes back whole."""

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        headers = [("X-Tag", "one"), ("X-Tag", "two"), ("Content-Type", "application/json")]
        async with session.post(
            f"{url}/webhooks/telegram?a=1&a=2", data=b'{"x": 1}', headers=headers
        ) as response:
            told = json.loads(await response.read())
            assert response.status == 200
            assert response.headers["Content-Type"] == "text/x-echo"
            assert response.headers["X-A"] == "1"
            assert response.headers.getall("Set-Cookie") == ["a=1", "b=2"]
        event = told["event"]
        assert told["left"] == 10_000
        assert event["pathParameters"] == {"platform": "telegram"}
        assert event["rawQueryString"] == "a=1&a=2"
        assert event["headers"]["x-tag"] == "one,two"
        assert event["body"] == '{"x": 1}'
        assert event["requestContext"]["http"]["method"] == "POST"
        assert event["requestContext"]["http"]["sourceIp"] == "127.0.0.1"

    visit(echo, visitor)


def test_a_compressed_body_is_passed_on_as_sent() -> None:
    """A signature is over the bytes on the wire, so nothing is decompressed on the way."""
    packed = gzip.compress(b"{}" * 100)

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        async with session.post(f"{url}/webhooks/x", data=packed, headers=headers) as response:
            event = json.loads(await response.read())["event"]
        assert event["isBase64Encoded"] is True
        assert event["headers"]["content-length"] == str(len(packed))

    visit(echo, visitor)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_limit_is_refused(*, chunked: bool) -> None:
    """413 before the function is called, whether the length is announced or not."""
    called = threading.Event()

    def handler(*_: Any) -> dict[str, Any]:
        called.set()
        return {"statusCode": 200}

    async def stream() -> Any:
        for _ in range(3):
            yield b"x" * 400

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        data = stream() if chunked else b"x" * 1001
        async with session.post(f"{url}/webhooks/x", data=data) as response:
            assert response.status == 413
            assert await response.json() == {"message": "Request Entity Too Large"}
        async with session.post(f"{url}/webhooks/x", data=b"x" * 1000) as response:
            assert response.status == 200

    visit(handler, visitor, uploads=Uploads(each=1000))
    assert called.is_set()


async def begun(url: str, sent: bytes) -> asyncio.StreamWriter:
    """Begin an upload of 1,000 bytes and leave it at those that are given."""
    _, writer = await asyncio.open_connection(*url.removeprefix("http://").split(":"))
    writer.write(b"POST /webhooks/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + sent)
    await writer.drain()
    return writer


def test_slow_uploads_keep_nobody_out() -> None:
    """A hundred senders that stop in mid-body do not keep the next delivery waiting."""

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        slow = [await begun(url, b"x") for _ in range(100)]
        async with session.post(f"{url}/webhooks/x", data=b"{}") as response:
            assert response.status == 200
        for writer in slow:
            writer.close()

    visit(echo, visitor)


def test_bodies_have_one_bound_for_all() -> None:
    """What does not fit beside the bodies held now is told 503, and fits once they are gone."""

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        async def post() -> int:
            async with session.post(f"{url}/webhooks/x", data=b"x" * 900) as response:
                return response.status

        async def until(status: int) -> None:
            async with asyncio.timeout(20):
                while await post() != status:
                    pass

        held = await begun(url, b"x" * 500)
        await until(503)
        held.close()
        await until(200)

    visit(echo, visitor, uploads=Uploads(each=1000, in_all=1000))


def test_other_paths_are_not_found() -> None:
    """A path or method that no route has is answered by the gateway itself, as AWS does."""

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        for path in ("/", "/webhooks", "/webhooks/a/b", "/webhooks/../etc"):
            async with session.post(url + path) as response:
                assert response.status == 404
                assert await response.json() == {"message": "Not Found"}
        for method in ("GET", "PUT", "DELETE", "OPTIONS"):
            async with session.request(method, f"{url}/webhooks/x") as response:
                assert response.status == 404

    visit(echo, visitor)


def test_pages_stand_beside_the_functions() -> None:
    """A page served in the loop is found before the functions' routes."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(text="a page")

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        async with session.get(f"{url}/page") as response:
            assert await response.text() == "a page"

    visit(echo, visitor, (web.get("/page", page),))


def test_a_fault_of_a_function_shows_nothing_of_itself(caplog: pytest.LogCaptureFixture) -> None:
    """An exception becomes a plain 500, and neither answer nor log quotes it."""

    def handler(*_: Any) -> dict[str, Any]:
        raise ValueError("secret words")

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        async with session.post(f"{url}/webhooks/x", data=b"{}") as response:
            assert response.status == 500
            assert await response.json() == {"message": "Internal Server Error"}

    visit(handler, visitor)
    assert "ValueError at test_front_door.py" in caplog.text
    assert "secret words" not in caplog.text


def test_a_slow_function_holds_up_no_other() -> None:
    """Functions run in threads: one that waits does not keep the next request waiting."""
    release = threading.Event()

    def handler(event: dict[str, Any], _: Any) -> dict[str, Any]:
        if event["rawPath"] == "/webhooks/slow":
            release.wait(60)
        return {"statusCode": 200}

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        slow = asyncio.ensure_future(session.post(f"{url}/webhooks/slow", data=b""))
        async with session.post(f"{url}/webhooks/quick", data=b"") as response:
            assert response.status == 200
        assert not slow.done()
        release.set()
        assert (await slow).status == 200

    visit(handler, visitor)


def test_closing_finishes_what_was_begun() -> None:
    """A request that is being answered when the door closes is still answered."""
    begun, release = threading.Event(), threading.Event()

    def handler(*_: Any) -> dict[str, Any]:
        begun.set()
        release.wait(60)
        return {"statusCode": 202}

    async def run() -> None:
        function = Function("ingest", handler, 10.0, Now(), lambda: "1")
        door = FrontDoor([(Route("POST", "/webhooks/{platform}"), function)], Now(), lambda: "id")
        listener = listen(28_100)
        await door.open(listener)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/webhooks/x"
        async with aiohttp.ClientSession() as session:
            asked = asyncio.ensure_future(session.post(url, data=b""))
            await asyncio.to_thread(begun.wait)
            closing = asyncio.ensure_future(door.close())
            await asyncio.sleep(0)
            assert not closing.done()
            release.set()
            assert (await asked).status == 202
            await closing

    asyncio.run(run())


def test_a_taken_port_means_the_next_one() -> None:
    """Two doors that want one port stand on neighbouring ones, of this machine only."""
    first = listen(28_200)
    second = listen(first.getsockname()[1])
    try:
        assert second.getsockname()[1] > first.getsockname()[1]
        assert second.getsockname()[0] == "127.0.0.1"
    finally:
        first.close()
        second.close()


def test_the_log_lines_of_a_request_bear_the_id_of_its_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What a function logs, in its own thread, can be found by the id the caller was told."""
    caplog.set_level("INFO", logger="threadline")

    def handler(*_: Any) -> dict[str, Any]:
        log.event_line("delivery", reason="signature_invalid")
        return {"statusCode": 401}

    async def visitor(session: aiohttp.ClientSession, url: str) -> None:
        async with session.post(f"{url}/webhooks/x", data=b"{}") as response:
            assert response.headers["apigw-requestid"] == "id"

    visit(handler, visitor)
    lines = [vars(record).get("values") for record in caplog.records]
    assert {"reason": "signature_invalid", "request": "id"} in lines
