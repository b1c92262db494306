"""The process that holds Feishu's long connection, by Feishu's own library.

`long_running.sockets.feishu` starts it with the interpreter of an environment of its own, so that
neither the library's packages nor its 160 MB are ours. It imports nothing of Threadline.

On stdin the app comes first, as a line of JSON: `app_id`, `app_secret`, `domain`. After that a line
for each event that was handed over: `event` and whether it was `kept`. On stdout a line of JSON
for what changes: `state` (`connected`, `reconnecting`, `refused`, `missing` or `ended`) and `why`;
or `event` with the number of bytes in `size`, and then those bytes. When stdin ends, so does this.

https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
"""

import importlib
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

KEPT_WITHIN: Final = 2.5
"""Seconds for an answer to an event; Feishu sends again what was not acknowledged in three."""


class Pipe:
    """The line to the process that started us."""

    def __init__(self, lines: BinaryIO, out: BinaryIO) -> None:
        self._lines = lines
        self._out = out
        self._number = 0
        self._answers: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._writing = threading.Lock()

    def listen(self) -> None:
        """Take answers in the background; when nobody is there any more, end."""
        threading.Thread(target=self._listen, daemon=True).start()

    def tell(self, state: str, why: str = "") -> None:
        """Tell where the connection stands."""
        self._write(json.dumps({"state": state, "why": why}).encode() + b"\n")

    def kept(self, event: bytes) -> bool:
        """Hand an event over and tell whether it was kept in time."""
        self._number += 1
        said = json.dumps({"event": self._number, "size": len(event)})
        self._write(said.encode() + b"\n" + event)
        ends = time.monotonic() + KEPT_WITHIN
        while (left := ends - time.monotonic()) > 0:
            try:
                answer = self._answers.get(timeout=left)
            except queue.Empty:
                return False
            if answer["event"] == self._number:
                return bool(answer["kept"])
        return False

    def _listen(self) -> None:
        for line in self._lines:
            self._answers.put(json.loads(line))
        os._exit(0)

    def _write(self, said: bytes) -> None:
        with self._writing:
            self._out.write(said)
            self._out.flush()


class NotKept(Exception):
    """An event that Feishu has to send again."""


class Handler:
    """Stands where the library has its dispatcher, which would take events apart."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    def _do_without_validation(self, payload: bytes) -> None:
        """Return once the event is kept, which acknowledges it, or raise, which does not."""
        if not self._pipe.kept(payload):
            raise NotKept


def hold(app: Mapping[str, str], pipe: Pipe) -> None:
    """Hold the connection until it cannot be had."""
    library = importlib.import_module("lark_oapi.ws.client")
    levels = importlib.import_module("lark_oapi.core.enum").LogLevel
    refused = library.ClientException

    class Watched(library.Client):  # type: ignore[misc,name-defined]
        async def _connect(self) -> None:
            await super()._connect()
            pipe.tell("connected")

    def failed(_: object, context: Mapping[str, Any]) -> None:
        """End where the library's own task ended, which nobody would notice."""
        error = context.get("exception")
        if isinstance(error, (refused, library.ServerUnreachableException)):
            pipe.tell("refused" if isinstance(error, refused) else "ended", str(error))
            os._exit(1)

    library.loop.set_exception_handler(failed)
    # At any lower level it logs addresses that hold tickets, and what people write.
    client = Watched(
        app["app_id"], app["app_secret"], log_level=levels.CRITICAL, event_handler=Handler(pipe),
        domain=app["domain"],
    )  # fmt: skip
    client.on_reconnecting = lambda: pipe.tell("reconnecting")
    try:
        client.start()
    except refused as error:
        pipe.tell("refused", str(error))


def main() -> None:
    """Hold the connection of the app that stdin names."""
    # The library's log goes to stdout, which is ours to speak on.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    pipe = Pipe(sys.stdin.buffer, out)
    app = json.loads(sys.stdin.buffer.readline())
    pipe.listen()
    try:
        hold(app, pipe)
    except ImportError as error:
        pipe.tell("missing", str(error))
    finally:
        os._exit(1)


if __name__ == "__main__":
    main()
