"""What a person or a load balancer may ask of this process: how each socket is doing."""

from collections.abc import Callable
from typing import Final

from aiohttp import web

from long_running.host import Host

STALLED_AFTER: Final = 60.0


def page(host: Host, clock: Callable[[], float]) -> web.Application:
    """Give `/health`: 200 while the process looks after its sockets, 503 where it stalls.

    A socket that is deaf or refused is shown and alarms, but no restart would mend it.
    """

    async def health(_: web.Request) -> web.Response:
        now = clock()
        stalled = now - host.looked_at > STALLED_AFTER
        sockets = {
            name: {"state": state.phase, "why": state.why, "last_event": state.last_event}
            for name, state in host.states().items()
        }
        return web.json_response(
            {"stalled": stalled, "at": now, "sockets": sockets}, status=503 if stalled else 200
        )

    app = web.Application()
    app.router.add_get("/health", health)
    return app
