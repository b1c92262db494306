"""Feishu without a public address: its own library holds a connection, in a process of its own.

https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
"""

import asyncio
import functools
import json
import threading
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from long_running.sockets import feishu_child
from long_running.sockets.state import Backoff, Phase, SocketState
from threadline.core.errors import StoreError
from threadline.core.policy import redact

PYTHON: Final = Path(__file__).resolve().parents[2] / ".tools/lark/bin/python"
"""The interpreter that has Feishu's library."""
PATIENCE: Final = 300.0
"""Seconds without a connection after which a new process may help."""
STOP_WITHIN: Final = 5.0
LONGEST_LINE: Final = 64 * 1024
ENDED: Final = "the process with the connection ended"
NOT_INSTALLED: Final = (
    "Feishu's own library is not installed: python3 setup/bootstrap.py lark, for the task on AWS "
    "threadline image push --feishu (or use a webhook: transport: webhook)"
)
NOT_LET_IN: Final = (
    "Feishu refuses the connection ({why}); see whether App ID and App Secret are right, and "
    "whether the app was made on this domain: threadline secrets set feishu"
)


@dataclass(kw_only=True)
class FeishuConnection:
    """Holds the connection in a thread and a process of its own until stopped.

    `accept` takes an event's JSON and tells whether it is kept: only then is it acknowledged, and
    Feishu sends it again otherwise. `clock` gives epoch seconds, `random` a number between 0 and 1.
    """

    app_id: str
    app_secret: str = field(repr=False)
    domain: str
    accept: Callable[[bytes], bool]
    clock: Callable[[], float]
    random: Callable[[], float]
    python: Path = PYTHON
    backoff: Backoff = Backoff(5.0, 60.0)
    patience: float = PATIENCE
    _state: SocketState = field(default=SocketState(), init=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)
    _stopping: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    _end: Callable[[], object] | None = field(default=None, init=False, repr=False)

    @property
    def state(self) -> SocketState:
        """How the connection is doing now."""
        return self._state

    def start(self) -> None:
        """Begin in the background."""
        self._thread = threading.Thread(target=self._run, name="feishu-connection", daemon=True)
        self._thread.start()

    def stop(self) -> bool:
        """End within seconds, after the event in hand; tell whether it has ended."""
        self._stopping.set()
        if self._end is not None:
            with suppress(RuntimeError):  # its loop has ended meanwhile
                self._end()
        if self._thread is not None:
            self._thread.join(STOP_WITHIN)
        return self._thread is None or not self._thread.is_alive()

    def _run(self) -> None:
        try:
            asyncio.run(self._hold())
        finally:
            why = "" if self._stopping.is_set() else "a fault of ours ended it: see the log"
            self._show(Phase.STOPPED, why)

    async def _hold(self) -> None:
        end, failures = asyncio.Event(), 0
        self._end = functools.partial(asyncio.get_running_loop().call_soon_threadsafe, end.set)
        while not self._stopping.is_set():
            if self.python.exists():
                failures = 0 if await self._one_process(end) else failures
            else:
                self._show(Phase.REFUSED, NOT_INSTALLED)
            with suppress(TimeoutError):
                async with asyncio.timeout(self.backoff.wait(failures, self.random())):
                    await end.wait()
            failures += 1

    async def _one_process(self, end: asyncio.Event) -> bool:
        """Start the process and do as it says until it or we end; tell whether it connected."""
        if self._state.phase is not Phase.REFUSED:
            self._show(Phase.CONNECTING)
        process = await asyncio.create_subprocess_exec(
            str(self.python), "-I", feishu_child.__file__, stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
            limit=LONGEST_LINE, start_new_session=True,
        )  # fmt: skip
        assert process.stdin is not None
        app = {"app_id": self.app_id, "app_secret": self.app_secret, "domain": self.domain}
        process.stdin.write(json.dumps(app).encode() + b"\n")
        listening = asyncio.create_task(self._listen(process))
        ending = asyncio.create_task(end.wait())
        await asyncio.wait([listening, ending], return_when=asyncio.FIRST_COMPLETED)
        for task in (listening, ending):
            task.cancel()
        await asyncio.gather(listening, ending, return_exceptions=True)
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
        return listening.cancelled() or listening.result()

    async def _listen(self, process: Process) -> bool:
        assert process.stdout is not None
        connected = False
        while True:
            waits = None if self._state.phase is Phase.CONNECTED else self.patience
            try:
                async with asyncio.timeout(waits):
                    line = await process.stdout.readline()
            except TimeoutError:
                self._show(Phase.BACKING_OFF, "Feishu cannot be reached for minutes")
                return connected
            if not line:
                if self._state.phase in {Phase.CONNECTED, Phase.CONNECTING}:
                    self._show(Phase.BACKING_OFF, ENDED)
                return connected
            said = json.loads(line)
            if "event" in said:
                try:
                    await self._take(said, process)
                except asyncio.IncompleteReadError:
                    self._show(Phase.BACKING_OFF, ENDED)
                    return connected
            else:
                self._tell(said["state"], said["why"])
                connected = connected or said["state"] == "connected"

    async def _take(self, said: dict[str, Any], process: Process) -> None:
        """Hand an event over, and answer whether it is kept. Raises IncompleteReadError."""
        assert process.stdout is not None
        assert process.stdin is not None
        event = await process.stdout.readexactly(said["size"])
        self._state = replace(self._state, last_event=self.clock())
        kept = await asyncio.to_thread(self._kept, event)
        process.stdin.write(json.dumps({"event": said["event"], "kept": kept}).encode() + b"\n")

    def _kept(self, event: bytes) -> bool:
        try:
            return self.accept(event)
        except StoreError:
            return False

    def _tell(self, state: str, why: str) -> None:
        why = redact(why, (self.app_secret,))[:160]
        match state:
            case "connected":
                self._show(Phase.CONNECTED)
            case "reconnecting":
                self._show(Phase.BACKING_OFF, "Feishu cannot be reached")
            case "refused":
                self._show(Phase.REFUSED, NOT_LET_IN.format(why=why))
            case "missing":
                self._show(Phase.REFUSED, NOT_INSTALLED)
            case _:
                self._show(Phase.BACKING_OFF, f"{ENDED} ({why})")

    def _show(self, phase: Phase, why: str = "") -> None:
        self._state = replace(self._state, phase=phase, why=why)
