"""The network of the simulation: two stubs behind ordinary transports, each call taking time."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from tests.simulation.agent import AgentStub
from tests.stubs.telegram import TelegramStub
from tests.stubs.telegram_http import parameters_of
from threadline.backends.http_exchange import outgoing
from threadline.backends.http_listening import LONGEST_SILENCE
from threadline.core.http import HttpRequest, HttpResponse, Lost, Take
from threadline.core.ports import Blobs, Clock

AGENT = "http://agent.test"
TELEGRAM = "http://telegram.test"
LATENCY = 0.01


@dataclass(slots=True)
class Stubs:
    """Everything outside; `slow` gives the seconds of a call by the beginning of its address."""

    clock: Clock
    agent: AgentStub
    telegram: TelegramStub
    blobs: Blobs
    slow: Mapping[str, float] = field(init=False, default_factory=dict)

    def takes(self, request: HttpRequest) -> float:
        """Give the seconds a call takes: one that is slow is answered just before its timeout."""
        for address, seconds in self.slow.items():
            if request.url.startswith(address):
                return min(seconds, request.timeout - 0.1)
        return LATENCY

    def respond(self, request: HttpRequest) -> HttpResponse | Lost:
        """Answer a request as the addressed stub does."""
        assert request.configured, "only configured addresses exist here"
        if request.url.startswith(AGENT):
            return self.agent.respond(request, self.blobs)
        path = urlsplit(request.url).path
        if path.startswith("/file/"):
            return self._download(path, request)
        _, bot, method = path.split("/")
        body = b"".join(outgoing(request, self.blobs))
        parameters = parameters_of(request.headers.get("content-type", ""), body) if body else {}
        answer = self.telegram.answer(unquote(bot).removeprefix("bot"), method, parameters)
        if answer.status == 0:
            return Lost("reset", sent=True)
        return HttpResponse(answer.status, {}, _json(answer.body))

    def _download(self, path: str, request: HttpRequest) -> HttpResponse | Lost:
        _, _, bot, *rest = path.split("/")
        answer = self.telegram.download(unquote(bot).removeprefix("bot"), "/".join(rest))
        body = answer.body if isinstance(answer.body, bytes) else _json(answer.body)
        if answer.status != 200 or request.save_to is None:
            return HttpResponse(answer.status, {}, body)
        if len(body) > request.save_to.limit:
            return Lost("too_large", sent=True)
        return HttpResponse(200, {}, saved=self.blobs.put(request.save_to.name, body))


@dataclass(slots=True)
class BlockingStubs:
    """The blocking transport."""

    stubs: Stubs

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        self.stubs.clock.sleep(self.stubs.takes(request))
        return self.stubs.respond(request)

    def close(self) -> None:
        """Nothing is open."""


@dataclass(slots=True)
class AsyncioStubs:
    """The asyncio transport."""

    stubs: Stubs

    async def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        await asyncio.sleep(self.stubs.takes(request))
        return self.stubs.respond(request)

    async def listen(
        self, request: HttpRequest, take: Take, *, idle: float = LONGEST_SILENCE
    ) -> None:
        assert idle > 0
        await asyncio.sleep(LATENCY)
        async with aclosing(self.stubs.agent.follow(request, asyncio.sleep)) as chunks:
            async for chunk in chunks:
                if take(chunk):
                    return

    async def close(self) -> None:
        """Nothing is open."""


def _json(told: object) -> bytes:
    return json.dumps(told).encode()
