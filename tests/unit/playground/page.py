"""A playground behind a real front door, with ingest behind it and nobody to answer."""

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import aiohttp

from threadline import wiring
from threadline.app.world import World
from threadline.backends.calls import Network
from threadline.backends.lambda_http import response, webhook
from threadline.core.ids import AppName, PlatformName
from threadline.core.posting import Credentials
from threadline.core.settings import AgentSettings, AppSettings, Settings
from threadline.local.front_door import FrontDoor, listen
from threadline.local.function import Function, Handler
from threadline.local.hosting import INGEST_ROUTES
from threadline.local.playground.guard import TOKEN
from threadline.local.playground.serving import Playground
from threadline.platforms.playground import PLATFORM

APP = AppSettings(platform=PlatformName("playground"), app=AppName("default"))
NAMESPACE = "7d6f3a52-2f5d-4d0e-9a53-6b0f2c1f7a11"


@dataclass(slots=True)
class Page:
    """An open playground; `settings` may be changed under it."""

    url: str
    session: aiohttp.ClientSession
    world: World
    playground: Playground
    box: dict[str, Settings]
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str, **headers: str) -> aiohttp.ClientResponse:
        """Ask as the page does; underscores in names stand for dashes."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.session.get(self.url + path, headers=named)

    async def post(self, path: str, value: object, **headers: str) -> aiohttp.ClientResponse:
        """Write as the page does, with its token unless another is given."""
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        return await self.session.post(
            self.url + path, json=value, headers={TOKEN: self.token, **named}
        )

    async def say(self, text: str, chat: str = "c1", key: str = "k1", **more: Any) -> Any:
        """Send a message and give the answer."""
        path = f"/playground/chats/{chat}/messages"
        answer = await self.post(path, {"key": key, "text": text, **more})
        assert answer.status == 200, await answer.text()
        return await answer.json()

    async def events(self, chat: str = "c1", after: int = 0) -> "Events":
        """Open the stream of a chat."""
        answer = await self.get(f"/playground/events?chat={chat}&after={after}")
        assert answer.status == 200
        assert answer.content_type == "text/event-stream"
        return Events(answer)

    def credentials(self) -> Credentials:
        """Give what the codec works with here."""
        return Credentials(
            PLATFORM.name, APP.app, base_url=self.url + Playground.BASE,
            secrets=self.world.secrets.get("playground/default"),
        )  # fmt: skip

    def switch(self, *, enabled: bool) -> None:
        """Switch the app on or off while it runs."""
        self.box["settings"] = replace(self.box["settings"], apps=(replace(APP, enabled=enabled),))


@dataclass(slots=True)
class Events:
    """A stream of events as it comes."""

    answer: aiohttp.ClientResponse

    async def next(self, name: str) -> tuple[int, Any]:
        """Wait for the next event of a name; give its id (0 for none) and its value."""
        while True:
            block = await self.answer.content.readuntil(b"\n\n")
            lines = dict(line.split(": ", 1) for line in block.decode().strip().split("\n"))
            if lines.get("event") == name:
                return int(lines.get("id", 0)), json.loads(lines["data"])


def visit(
    folder: Path,
    visitor: Callable[[Page], Awaitable[None]],
    handler: Callable[[World], Handler] | None = None,
) -> None:
    """Open a playground on a folder, let the visitor in, close it."""

    async def run() -> None:
        async with opened(folder, handler or ingest_handler) as page:
            await visitor(page)

    asyncio.run(run())


@asynccontextmanager
async def opened(folder: Path, handler: Callable[[World], Handler]) -> AsyncIterator[Page]:
    """Compose ports, world, playground and front door."""
    box = {"settings": settings()}
    local = wiring.local_ports(folder, synchronous="NORMAL")
    world = wiring.world_of(local.ports, lambda *_, **__: None, settings=lambda: box["settings"])
    numbers = itertools.count(1)
    playground = Playground(folder, world, lambda: f"secret-of-this-start-{next(numbers)}")
    ingest = Function("ingest", handler(world), 10.0, world.clock, lambda: "1")
    door = FrontDoor([(INGEST_ROUTES[0], ingest)], world.clock, lambda: "q1", playground.routes())
    listener = listen(28_400)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    await door.open(listener)
    try:
        async with aiohttp.ClientSession() as session:
            page = Page(url, session, world, playground, box)
            page.token = token_of(await (await page.get("/playground")).text())
            yield page
            playground.close()
            await door.close()
    finally:
        playground.shut()
        assert isinstance(world.calls, Network)
        await world.calls.close()
        local.close()


def token_of(html: str) -> str:
    """Find the token in the page."""
    found = re.search(r'data-token="([^"]+)"', html)
    assert found
    return found[1]


def settings() -> Settings:
    """Make settings with the playground on and the demo agent."""
    agent = AgentSettings(name="demo", dialect="langgraph", url="http://127.0.0.1:1")  # type: ignore[arg-type]
    return Settings(version="1", namespace=NAMESPACE, apps=(APP,), agents={agent.name: agent})


def ingest_handler(world: World) -> Handler:
    """Make the ingest function work in this world."""
    ingest = wiring.ingest_of(world)

    def handler(event: dict[str, Any], _: Any) -> dict[str, Any]:
        return response(ingest.receive(webhook(event), "playground", "default"))

    return handler
