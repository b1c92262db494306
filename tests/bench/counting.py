"""A way to an agent on which the bytes of its answers are counted."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import web

MESSAGE = (
    "content", "additional_kwargs", "response_metadata", "type", "name", "id", "tool_calls",
    "tool_call_chunks",
)  # fmt: skip
METADATA = ("langgraph_node", "langgraph_step")


@dataclass(slots=True)
class Counter:
    """Passes everything on to an agent; `trims` gives each message the few fields a Gateway's has.

    Only bodies count: heads are the same for everybody.
    """

    agent: str
    trims: bool
    url: str = ""
    read: int = 0

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        """Ask the agent, and give what it answers as it comes."""
        kept = ("accept", "content-type", "last-event-id", "idempotency-key")
        headers = {name: request.headers[name] for name in kept if name in request.headers}
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout()) as session,
            session.request(
                request.method, self.agent + request.path_qs, data=await request.read(),
                headers=headers,
            ) as answer,
        ):  # fmt: skip
            response = web.StreamResponse(status=answer.status)
            response.content_type = answer.content_type
            await response.prepare(request)
            async for piece in self._pieces(answer):
                self.read += len(piece)
                await response.write(piece)
        await response.write_eof()
        return response

    async def _pieces(self, answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        frames = answer.content_type == "text/event-stream"
        if not (frames and self.trims):
            async for chunk in answer.content.iter_any():
                yield chunk
            return
        rest = b""
        async for chunk in answer.content.iter_any():
            *whole, rest = (rest + chunk).split(b"\r\n\r\n")
            for frame in whole:
                yield trimmed(frame) + b"\n\n"
        yield rest


def trimmed(frame: bytes) -> bytes:
    """Write a frame of messages with the fields that a DeerFlow Gateway gives it."""
    lines = frame.split(b"\r\n")
    if lines[0] != b"event: messages":
        return b"\n".join(lines)
    message, metadata = json.loads(lines[1].removeprefix(b"data: "))
    told = [_of(message, MESSAGE), _of(metadata, METADATA)]
    return b"\n".join([lines[0], b"data: " + json.dumps(told).encode(), *lines[2:]])


def _of(fields: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: fields[name] for name in names if name in fields}


@contextmanager
def counting(agent: str, *, trims: bool) -> Iterator[Counter]:
    """Listen beside this thread for as long as the block lasts."""
    counter, loop = Counter(agent, trims), asyncio.new_event_loop()
    application = web.Application(client_max_size=10**8)
    application.router.add_route("*", "/{path:.*}", counter.pass_on)
    runner = web.AppRunner(application, access_log=None)

    async def listen() -> int:
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port: int = runner.addresses[0][1]
        return port

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        port = asyncio.run_coroutine_threadsafe(listen(), loop).result(20)
        counter.url = f"http://127.0.0.1:{port}"
        yield counter
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()
