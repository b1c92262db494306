"""What stands at `/`: a few lines for whoever opens the address of `threadline serve`."""

from collections.abc import Callable

from aiohttp import web

from threadline.app.configure.surroundings import DEFAULT_APP
from threadline.core.settings import Settings
from threadline.local.playground import guard
from threadline.platforms.playground import PLATFORM

WELCOME = """This is Threadline. It connects chats to an agent.

Platforms deliver to /webhooks/PLATFORM; there is nothing else to be read here.
"""
PLAYGROUND = f"To talk to the agent from this machine, open {guard.PAGE}\n"
HEALTH = "To see whether all is well, run in the directory it was started in: threadline doctor\n"


def routes(settings: Callable[[], Settings]) -> list[web.RouteDef]:
    """Give the route; the page names the playground where that is on, and no secret or version."""

    async def read(_: web.Request) -> web.Response:
        app = settings().app(PLATFORM.name, DEFAULT_APP)
        playground = PLAYGROUND if app is not None and app.enabled else ""
        text = WELCOME + playground + HEALTH
        return web.Response(text=text, headers={"x-content-type-options": "nosniff"})

    return [web.get("/", read)]
