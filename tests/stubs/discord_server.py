"""The strict Discord on 127.0.0.1: its HTTP API, and the gateway with sessions to be resumed.

with DiscordServer(DiscordStub()) as server:
    ...                                     # connect to server.url
    server.tell("MESSAGE_CREATE", server.stub.say(GENERAL, "hello"))
"""

import asyncio
import json
import threading
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from aiohttp import WSMsgType, web

from tests.stubs.discord import BOT, BOT_USER, GUILD, ROLE, DiscordStub
from tests.stubs.discord_rules import respond

INTENTS: Final = 37_377
UNRESUMABLE: Final = 4007


@dataclass(slots=True)
class Session:
    """A session of the gateway: every event it was told, so that it can be told again."""

    id: str
    events: list[dict[str, Any]] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None
    transport: asyncio.Transport | None = None


@dataclass(slots=True)
class DiscordServer:
    """Serves one stub. `refuses` is a code with which everybody is sent away.

    `answers` heartbeats, unless it is to seem dead.
    """

    stub: DiscordStub
    heartbeat: int = 41_250
    refuses: int = 0
    answers: bool = True
    sessions: dict[str, Session] = field(default_factory=dict)
    identified: int = 0
    resumed: int = 0
    beats: list[Any] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    url: str = ""
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _runner: web.AppRunner | None = None
    _thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._do(self._start())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._do(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        if self._thread is not None:
            self._thread.join()
        self._loop.close()

    def tell(self, kind: str, about: dict[str, Any]) -> None:
        """Tell every session of an event; one without a connection is told when it resumes."""
        self._do(self._tell(kind, about))

    def send(self, frame: bytes, *, text: bool = True) -> None:
        """Send every connection a frame as it is, whatever it is."""
        self._do(self._send(frame, WSMsgType.TEXT if text else WSMsgType.BINARY))

    def drop(self) -> None:
        """Cut every connection without a word."""
        self._do(self._each(code=0))

    def close(self, code: int) -> None:
        """Close every connection with a code."""
        self._do(self._each(code))

    def forget(self) -> None:
        """End every session: none can be resumed."""
        self.sessions.clear()

    @property
    def connected(self) -> bool:
        """Whether a session has a connection."""
        return any(one.socket is not None for one in self.sessions.values())

    async def _start(self) -> None:
        app = web.Application(client_max_size=20_000_000)
        app.router.add_get("/gateway/", self._gateway)
        app.router.add_route("*", "/{path:.*}", self._api)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self.stub.gateway_url = self.url.replace("http", "ws") + "/gateway/"

    async def _stop(self) -> None:
        await self._each(code=1001)
        if self._runner is not None:
            await self._runner.cleanup()

    async def _api(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        answer = respond(self.stub, request.method, request.path_qs, headers, await request.read())
        body = b"" if answer.body is None else json.dumps(answer.body).encode()
        return web.Response(
            status=answer.status, body=body, headers=answer.headers,
            content_type="application/json",
        )  # fmt: skip

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if dict(request.query) != {"v": "10", "encoding": "json"}:
            self.faults.append(f"query {dict(request.query)}")
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": self.heartbeat}})
        session: Session | None = None
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                break
            told = frame.json()
            match told["op"]:
                case 1:
                    self.beats.append(told["d"])
                    if self.answers:
                        await socket.send_json({"op": 11})
                case 2 | 6 if session is None:
                    session = await self._enter(socket, told["op"], told["d"])
                    if session is not None:
                        session.transport = request.transport
                case op:
                    self.faults.append(f"frame of kind {op}")
                    await socket.close(code=4001)
        if session is not None and session.socket is socket:
            session.socket = None
            if socket.close_code in {1000, 1001}:  # who says goodbye does not come back
                self.sessions.pop(session.id, None)
        return socket

    async def _enter(
        self, socket: web.WebSocketResponse, op: int, told: dict[str, Any]
    ) -> Session | None:
        refused = self.refuses or (4014 if op == 2 and not self.stub.application.reads else 0)
        if refused or told["token"] != self.stub.token:
            await socket.close(code=refused or 4004)
            return None
        return await (self._identify if op == 2 else self._resume)(socket, told)

    async def _identify(self, socket: web.WebSocketResponse, told: dict[str, Any]) -> Session:
        self.identified += 1
        self.stub.sessions_left -= 1
        if told["intents"] != INTENTS or not told["properties"]["browser"]:
            self.faults.append(f"identify {told}")
        session = Session(f"session-{self.identified}", socket=socket)
        self.sessions[session.id] = session
        ready = {
            "v": 10, "user": dict(BOT_USER), "session_id": session.id,
            "resume_gateway_url": self.url.replace("http", "ws") + "/gateway/",
            "guilds": [{"id": GUILD, "unavailable": True}], "application": {"id": BOT},
        }  # fmt: skip
        await self._say(session, "READY", ready)
        threads = [one.described() for one in self.stub.channels.values() if one.parent]
        roles = [{"id": GUILD, "tags": {}}, {"id": ROLE, "tags": {"bot_id": BOT}}]
        await self._say(session, "GUILD_CREATE", {"id": GUILD, "roles": roles, "threads": threads})
        return session

    async def _resume(self, socket: web.WebSocketResponse, told: dict[str, Any]) -> Session | None:
        session = self.sessions.get(told["session_id"])
        if session is None:
            await socket.send_json({"op": 9, "d": False})
            return None
        if told["seq"] > len(session.events):
            await socket.close(code=UNRESUMABLE)
            return None
        self.resumed += 1
        for event in session.events[told["seq"] :]:
            await socket.send_json(event)
        session.socket = socket
        await self._say(session, "RESUMED", {})
        return session

    async def _tell(self, kind: str, about: dict[str, Any]) -> None:
        if kind == "MESSAGE_CREATE":
            about = self.stub.application.shown(about, BOT)
        for session in self.sessions.values():
            await self._say(session, kind, about)

    async def _say(self, session: Session, kind: str, about: dict[str, Any]) -> None:
        event = {"op": 0, "s": len(session.events) + 1, "t": kind, "d": about}
        session.events.append(event)
        if session.socket is not None and not session.socket.closed:
            with suppress(ConnectionResetError):  # it is told when it resumes
                await session.socket.send_json(event)

    async def _send(self, frame: bytes, kind: WSMsgType) -> None:
        for session in self.sessions.values():
            if session.socket is not None and not session.socket.closed:
                with suppress(ConnectionResetError):
                    await session.socket.send_frame(frame, kind)

    async def _each(self, code: int) -> None:
        for session in self.sessions.values():
            socket, session.socket = session.socket, None
            if socket is None:
                continue
            if code:
                await socket.close(code=code)
            elif session.transport is not None:
                session.transport.abort()

    def _do[T](self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10.0)
