"""What a page is told as it happens: server-sent events, resumed by revision.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from threadline.local.playground import answers, wire
from threadline.local.playground.chats import Chats, Said
from threadline.local.playground.journey import Told
from threadline.platforms.playground.limits import PERSON

BEAT_EVERY: Final = 15.0
CALM: Final = 0.1
"""Shortest time between two looks, so that a burst of changes is told at once."""

RETRY_AFTER: Final = 1_000
MOST_PAGES: Final = 20

type Tells = Callable[[Said], Awaitable[Told]]


@dataclass(slots=True)
class Bell:
    """Wakes every open page; `close` ends their streams."""

    closed: bool = False
    _waiting: set[asyncio.Event] = field(default_factory=set)

    @property
    def pages(self) -> int:
        """How many pages listen."""
        return len(self._waiting)

    def ring(self) -> None:
        """Something changed. Only in the loop's own thread."""
        for event in self._waiting:
            event.set()

    def close(self) -> None:
        """Let every page go."""
        self.closed = True
        self.ring()

    async def rings(self) -> AsyncGenerator[bool]:
        """Yield at once, then at every ring (True) and when nothing rang for a while (False)."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            rang = True
            while not self.closed:
                event.clear()
                yield rang
                try:
                    async with asyncio.timeout(BEAT_EVERY):
                        await event.wait()
                    rang = True
                except TimeoutError:
                    rang = False
                await asyncio.sleep(CALM if rang else 0)
        finally:
            self._waiting.discard(event)


@dataclass(slots=True)
class Stream:
    """One page's view of one chat; `after` is the last revision it knows."""

    chats: Chats
    tells: Tells
    chat: str
    after: int
    _titles: str = ""
    _journey: str = ""

    async def run(self, request: web.Request, bell: Bell) -> web.StreamResponse:
        """Tell the page everything until it leaves or we close."""
        headers = {**answers.HEADERS, "content-type": "text/event-stream"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        try:
            await response.write(f"retry: {RETRY_AFTER}\n\n".encode())
            async with contextlib.aclosing(bell.rings()) as rings:
                async for rang in rings:
                    events = await self._events() if rang else b": still here\n\n"
                    if events:
                        await response.write(events)
        except ConnectionError:
            pass  # the page left
        return response

    async def _events(self) -> bytes:
        events = [await self._messages(), self._list(), await self._latest_journey()]
        return "".join(events).encode()

    async def _messages(self) -> str:
        """Tell the messages that changed; the id of the event is where to resume."""
        changed = self.chats.changed(self.chat, self.after)
        if not changed:
            return ""
        self.after = max(said.revision for said in changed)
        # Markdown of a long chat takes a while to parse, and runs are followed in this loop.
        told = await asyncio.to_thread(lambda: json.dumps([wire.message(one) for one in changed]))
        return f"id: {self.after}\nevent: messages\ndata: {told}\n\n"

    def _list(self) -> str:
        told = json.dumps(wire.titles(self.chats.titles()))
        if told == self._titles:
            return ""
        self._titles = told
        return f"event: chats\ndata: {told}\n\n"

    async def _latest_journey(self) -> str:
        """Tell the journey of the person's latest message where it went on."""
        said = self.chats.latest(self.chat, PERSON)
        if said is None:
            return ""
        told = json.dumps(wire.journey(await self.tells(said)))
        if told == self._journey:
            return ""
        self._journey = told
        return f"event: journey\ndata: {told}\n\n"
