"""Transports that know `ws` and `wss` besides HTTP; what that takes is loaded when first needed."""

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from threadline.backends.http_listening import LONGEST_SILENCE
from threadline.backends.outgoing_http import AsyncioTransport, BlockingTransport
from threadline.core.http import HttpRequest, HttpResponse, Lost, Take

if TYPE_CHECKING:
    from threadline.backends.frames_out import FramesOut


class Frames:
    """The frames of one process, opened with the first request."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: FramesOut | None = None

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Exchange one frame; see `frames_out`."""
        from threadline.backends.frames_out import FramesOut

        with self._lock:
            frames = self._opened = self._opened or FramesOut(self._clock)
        return frames.perform(request)

    def close(self) -> None:
        """Close what was opened."""
        with self._lock:
            frames, self._opened = self._opened, None
        if frames is not None:
            frames.close()


class WithFrames:
    """A blocking transport that also knows frames."""

    def __init__(self, http: BlockingTransport, frames: Frames) -> None:
        self._http = http
        self._frames = frames

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        return (self._frames if _by_frames(request) else self._http).perform(request)

    def close(self) -> None:
        self._frames.close()
        self._http.close()


class AsyncioWithFrames:
    """An asyncio transport that also knows frames, by threads."""

    def __init__(self, http: AsyncioTransport, frames: Frames) -> None:
        self._http = http
        self._frames = frames

    async def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        if _by_frames(request):
            return await asyncio.to_thread(self._frames.perform, request)
        return await self._http.perform(request)

    async def listen(
        self, request: HttpRequest, take: Take, *, idle: float = LONGEST_SILENCE
    ) -> None:
        await self._http.listen(request, take, idle=idle)

    async def close(self) -> None:
        await asyncio.to_thread(self._frames.close)
        await self._http.close()


def _by_frames(request: HttpRequest) -> bool:
    return request.url.startswith(("ws://", "wss://"))
