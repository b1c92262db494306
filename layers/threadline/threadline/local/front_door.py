"""The HTTP front door: what API Gateway is to the functions behind it."""

import asyncio
import contextvars
import logging
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

from aiohttp import web

from threadline.backends.log_lines import place
from threadline.core.ports import Clock
from threadline.local import log
from threadline.local.function import Function
from threadline.local.http_event import (
    HttpAnswer,
    HttpCall,
    Route,
    gateway_answer,
    http_answer,
    http_event,
)
from threadline.local.uploads import BODY_LIMIT, Uploads

AT_ONCE: Final = 32
THREADS: Final = 8

REQUEST_ID: Final = "apigw-requestid"
"""The header by which HTTP APIs tell the id of a request."""

logger = logging.getLogger(__name__)


class FrontDoor:
    """Serves routes by functions, in threads, so that the loop is never blocked.

    Beyond `AT_ONCE` requests the next ones wait, their bodies read within one bound for all.
    """

    def __init__(
        self,
        routes: Sequence[tuple[Route, Function]],
        clock: Clock,
        new_id: Callable[[], str],
        pages: Sequence[web.AbstractRouteDef] = (),
        uploads: Uploads | None = None,
    ) -> None:
        self._routes = routes
        self._clock = clock
        self._new_id = new_id
        self._uploads = uploads or Uploads()
        self._turnstile = asyncio.Semaphore(AT_ONCE)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="front-door")
        app = web.Application(client_max_size=BODY_LIMIT)
        app.router.add_routes(pages)
        app.router.add_route("*", "/{path:.*}", self._answer)
        # Bodies stay as sent: a signature is over the compressed bytes, and a bomb stays small.
        self._runner = web.AppRunner(
            app, access_log=None, auto_decompress=False, shutdown_timeout=30.0
        )

    async def open(self, listener: socket.socket) -> None:
        """Accept requests."""
        await self._runner.setup()
        await web.SockSite(self._runner, listener).start()

    async def close(self) -> None:
        """Accept no further request and finish those that are being answered."""
        await self._runner.cleanup()
        self._threads.shutdown(wait=True)

    async def _answer(self, request: web.Request) -> web.Response:
        answer = await self._ask(request)
        response = web.Response(status=answer.status, body=answer.body)
        response.headers["server"] = "threadline"
        for name, value in answer.headers:
            if name == "content-type":
                response.headers[name] = value
            else:
                response.headers.add(name, value)
        return response

    async def _ask(self, request: web.Request) -> HttpAnswer:
        target = request.raw_path if request.raw_path[:1] == "/" else request.rel_url.raw_path_qs
        route, function, parameters = self._route(request.method, request.path)
        if route is None or function is None:
            return gateway_answer(404, "Not Found")
        async with self._uploads.body(request) as body:
            if isinstance(body, HttpAnswer):
                return body
            async with self._turnstile:
                call = HttpCall(
                    method=request.method, target=target, headers=tuple(request.headers.items()),
                    body=body, peer=request.remote or "", at=self._clock.now(), id=self._new_id(),
                )  # fmt: skip
                return await self._invoke(function, call, route, parameters)

    def _route(
        self, method: str, path: str
    ) -> tuple[Route | None, Function | None, dict[str, str]]:
        for route, function in self._routes:
            parameters = route.match(method, path)
            if parameters is not None:
                return route, function, parameters
        return None, None, {}

    async def _invoke(
        self, function: Function, call: HttpCall, route: Route, parameters: dict[str, str]
    ) -> HttpAnswer:
        event = http_event(call, route, parameters)
        log.request.set(call.id)
        here = contextvars.copy_context()
        done = asyncio.get_running_loop().run_in_executor(self._threads, here.run, function, event)
        await asyncio.wait((done,))
        if error := done.exception():
            logger.error("%s failed: %s at %s", function.name, type(error).__name__, place(error))
            return gateway_answer(500, "Internal Server Error")
        answer = http_answer(done.result())
        return replace(answer, headers=(*answer.headers, (REQUEST_ID, call.id)))


def listen(first: int, tried: int = 50) -> socket.socket:
    """Listen on the first free port from `first` on, of this machine only. Raises OSError."""
    for port in range(first, first + tried):
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            continue
    return socket.create_server(("127.0.0.1", 0))
