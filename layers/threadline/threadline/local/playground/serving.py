"""The playground's routes at the front door: the page, what it asks for, and the agent's API."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from aiohttp import web

from threadline.app.configure.surroundings import DEFAULT_APP
from threadline.app.world import World
from threadline.local.playground import answers, guard, wire
from threadline.local.playground.agent_api import AgentApi
from threadline.local.playground.answers import refusal
from threadline.local.playground.chats import Chats, Said, StoredFile
from threadline.local.playground.delivering import ENTRY, Delivers, delivery_of, make_secrets
from threadline.local.playground.journey import Known, RecentLines, Told, tell
from threadline.local.playground.stream import MOST_PAGES, Bell, Stream
from threadline.local.uploads import read_body
from threadline.platforms.playground import PLATFORM
from threadline.platforms.playground.limits import (
    MAX_FILE,
    MAX_TEXT,
    MOST_FILES,
    PERSON,
    TOKEN,
)
from threadline.platforms.playground.parse import MIME, NAME

FILE: Final = "playground.db"
BODY_LIMIT: Final = 200_000
SHOWN: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
NOT_SENT: Final = "Threadline ended before this was sent."

type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Playground:
    """The page and what stands behind it; made, used and closed in the loop of `serve`.

    `random` gives a fresh secret of 128 bits or more, `program` is how a person calls the command.
    The routes are for the front door that listens on 127.0.0.1; the `base_url` of the app must be
    that address with `BASE` added. Without the app in the settings every route answers 404.
    """

    BASE: Final = f"{guard.PAGE}/api"

    def __init__(
        self, folder: Path, world: World, random: Callable[[], str], program: str = "threadline"
    ) -> None:
        make_secrets(world.secrets, random)
        self._world = world
        self._random = random
        self._program = program
        self._token = random()
        self._bell = Bell()
        self._chats = Chats(folder / FILE)
        self._chats.give_up_sending(NOT_SENT)
        self._delivers = Delivers(world.secrets, world.clock)
        self._api = AgentApi(self._chats, world.clock, self._bell)
        loop = asyncio.get_running_loop()
        self._recent = RecentLines(lambda: _in_loop(loop, self._bell.ring))
        logging.getLogger("threadline").addHandler(self._recent)

    def routes(self) -> list[web.RouteDef]:
        """Give the routes; they come before the front door's own."""
        page, api = guard.PAGE, self.BASE
        return [
            web.get(page, self._reads(self._page)),
            web.get(f"{page}/page/{{name}}", self._reads(self._asset)),
            web.get(f"{page}/events", self._reads(self._events)),
            web.get(f"{page}/journeys/{{message:\\d{{1,15}}}}", self._reads(self._journey)),
            web.get(f"{page}/files/{{file}}", self._reads(self._file)),
            web.post(f"{page}/files", self._writes(self._attach)),
            web.post(f"{page}/chats/{{chat}}/messages", self._writes(self._say)),
            web.post(f"{api}/chats/{{chat}}/posts", self._answers(self._api.post)),
            web.put(f"{api}/posts/{{post:\\d{{1,15}}}}", self._answers(self._api.edit)),
            web.get(f"{api}/files/{{file}}", self._answers(self._api.file)),
        ]

    def close(self) -> None:
        """End the open streams, so that the front door can close; nothing is read after that."""
        logging.getLogger("threadline").removeHandler(self._recent)
        self._bell.close()

    def shut(self) -> None:
        """Close the file, when nobody posts any more."""
        self._chats.close()

    @property
    def _enabled(self) -> bool:
        app = self._world.settings().app(PLATFORM.name, DEFAULT_APP)
        return app is not None and app.enabled

    def _reads(self, handler: Handler) -> Handler:
        """Let only our own page in."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            if not self._enabled:
                return refusal(404, "The playground is switched off.")
            if why := guard.stranger(request):
                self._world.log("playground", status=403, why=why)
                return refusal(403, why)
            return await handler(request)

        return guarded

    def _writes(self, handler: Handler) -> Handler:
        """Let only our own page in, with the token of this start."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            if not guard.bears(request, self._token):
                return refusal(403, "This page is from before a restart: reload it.")
            return await handler(request)

        return self._reads(guarded)

    def _answers(self, handler: Handler) -> Handler:
        """Let only the codec's calls in."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            token = self._world.secrets.get(ENTRY).get(TOKEN, "")
            if not guard.bears_authorization(request, token):
                return refusal(401, "The token is missing or wrong.")
            return await handler(request)

        return self._reads(guarded)

    async def _page(self, request: web.Request) -> web.StreamResponse:
        del request
        demo = set(self._world.settings().agents) == {"demo"}
        return answers.page(token=self._token, program=self._program, demo="yes" if demo else "")

    async def _asset(self, request: web.Request) -> web.StreamResponse:
        return answers.asset(request.match_info["name"])

    async def _events(self, request: web.Request) -> web.StreamResponse:
        chat = request.query.get("chat", "")
        after = request.headers.get("last-event-id") or request.query.get("after", "0")
        if not NAME.fullmatch(chat) or not _is_count(after):
            return refusal(422, "The chat or the revision cannot be read.")
        if self._bell.pages >= MOST_PAGES:
            return refusal(429, "Too many pages are open.")
        return await Stream(self._chats, self._tells, chat, int(after)).run(request, self._bell)

    async def _journey(self, request: web.Request) -> web.StreamResponse:
        said = self._chats.message(int(request.match_info["message"]))
        if said is None or said.who != PERSON:
            return refusal(404, "There is no such message.")
        return answers.json_answer(wire.journey(await self._tells(said)))

    async def _say(self, request: web.Request) -> web.StreamResponse:
        fields = answers.fields_of(await read_body(request, BODY_LIMIT))
        chat, key = request.match_info["chat"], answers.text_of(fields, "key")
        text = answers.text_of(fields, "text").strip()
        wanted = fields.get("files", [])
        if not NAME.fullmatch(chat) or not NAME.fullmatch(key) or not isinstance(wanted, list):
            return refusal(422, "The message cannot be read.")
        files = [self._attached(one) for one in wanted[:MOST_FILES]]
        if None in files or len(wanted) > MOST_FILES:
            return refusal(422, "An attached file is gone; attach it again.")
        if not text and not files:
            return refusal(422, "There is nothing to send.")
        if len(text) > MAX_TEXT:
            return refusal(422, f"A message has at most {MAX_TEXT} characters.")
        said = self._chats.say(
            chat, text, key, self._world.clock.now(), tuple(one for one in files if one)
        )
        self._bell.ring()
        why = await self._delivers(said, _front_door(request))
        self._chats.settle(said.id, "refused" if why else "accepted", self._world.clock.now(), why)
        self._bell.ring()
        return answers.json_answer({"message": said.id, "delivery": delivery_of(said), "why": why})

    def _attached(self, file: object) -> dict[str, object] | None:
        stored = self._chats.file(file) if isinstance(file, str) else None
        if stored is None:
            return None
        return {"id": file, "name": stored.name, "mime": stored.mime, "size": len(stored.body)}

    async def _attach(self, request: web.Request) -> web.StreamResponse:
        body = await read_body(request, MAX_FILE)
        if body is None:
            return refusal(413, f"A file has at most {MAX_FILE // 1_000_000} MB.")
        name = answers.text_of(request.query, "name").strip()[:120] or "file"
        mime = request.content_type if MIME.fullmatch(request.content_type) else ""
        file = self._random()[:32]
        stored = StoredFile(name, mime or "application/octet-stream", body)
        self._chats.keep(file, stored, self._world.clock.now())
        return answers.json_answer({"id": file})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        stored = self._chats.file(request.match_info["file"])
        if stored is None:
            return refusal(404, "The file is gone.")
        shown = stored.mime in SHOWN
        return answers.attachment(stored.name, stored.mime, stored.body, shown=shown)

    async def _tells(self, said: Said) -> Told:
        known = Known(said, self._chats.answers(said.id), self._recent.lines(), delivery_of(said))
        return await asyncio.to_thread(tell, self._world.store, known)


def _front_door(request: web.Request) -> str:
    """Give the address at which the request came in: the guard knows that it is loopback."""
    assert request.transport is not None
    host, port = request.transport.get_extra_info("sockname")
    return f"http://{host}:{port}"


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 15


def _in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Call from any thread; a loop that has ended needs no call."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)
