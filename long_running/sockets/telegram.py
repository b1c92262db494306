"""Telegram without a public address: we ask for updates, by python-telegram-bot's Bot.

https://core.telegram.org/bots/api#getupdates
"""

import asyncio
import functools
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from telegram import Bot
from telegram.error import Conflict, InvalidToken, TelegramError
from telegram.request import HTTPXRequest

from long_running.sockets.state import Backoff, Phase, SocketState, Tries
from threadline.core.errors import StoreError
from threadline.core.http import HttpResponse
from threadline.core.policy import redact
from threadline.platforms.telegram.api import HOST
from threadline.platforms.telegram.parse import ALLOWED_UPDATES
from threadline.platforms.telegram.refusal import Refused, read

type Update = Mapping[str, Any]

POLL_SECONDS: Final = 25
STOP_WITHIN: Final = 5.0
WEBHOOK_SET: Final = (
    "a webhook is registered for this bot, so Telegram hands out no updates; "
    "to poll instead: threadline webhook delete telegram"
)
SECOND_POLLER: Final = (
    "another process polls with this bot's token; stop it, or give each its own bot "
    "(if none should be running: threadline webhook delete telegram)"
)
NOT_LET_IN: Final = (
    "Telegram does not know this bot token; put the right one in place: "
    "threadline secrets set telegram"
)


@dataclass(kw_only=True)
class TelegramPolling:
    """Asks for updates in a thread of its own until stopped.

    `accept` takes an update's JSON and tells whether it is kept: only then does the offset move,
    so that Telegram hands the update out again otherwise. `load` and `save` keep the offset over
    restarts. `clock` gives epoch seconds, `random` a number between 0 and 1.
    """

    token: str = field(repr=False)
    accept: Callable[[bytes], bool]
    load: Callable[[], int]
    save: Callable[[int], None]
    clock: Callable[[], float]
    random: Callable[[], float]
    base_url: str = ""
    backoff: Backoff = Backoff()
    _state: SocketState = field(default=SocketState(), init=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)
    _stopping: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    _cancel: Callable[[], object] | None = field(default=None, init=False, repr=False)

    @property
    def state(self) -> SocketState:
        """How polling is doing now."""
        return self._state

    def start(self) -> None:
        """Begin in the background."""
        self._thread = threading.Thread(target=self._run, name="telegram-polling", daemon=True)
        self._thread.start()

    def stop(self) -> bool:
        """End within seconds, after the update in hand; tell whether it has ended."""
        self._stopping.set()
        if self._cancel is not None:
            with suppress(RuntimeError):  # its loop has ended meanwhile
                self._cancel()
        if self._thread is not None:
            self._thread.join(STOP_WITHIN)
        return self._thread is None or not self._thread.is_alive()

    def _run(self) -> None:
        # They log every address they call, with the token in it, and people's messages.
        for name in ("telegram", "httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)
        try:
            with suppress(asyncio.CancelledError):
                asyncio.run(self._poll())
        finally:
            why = "" if self._stopping.is_set() else "a fault of ours ended it: see the log"
            self._show(Phase.STOPPED, why)

    async def _poll(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._cancel = functools.partial(loop.call_soon_threadsafe, task.cancel)
        listener = _Listener(self.token, self.base_url)
        try:
            await self._listen(listener)
        finally:
            await listener.close()

    async def _listen(self, listener: "_Listener") -> None:
        offset, tries = self.load(), Tries(self.backoff, self.random)
        while not self._stopping.is_set():
            refused = False
            try:
                # The first answer comes at once and tells whether we are let in at all.
                connected = self._state.phase is Phase.CONNECTED
                updates = await listener.updates(offset, POLL_SECONDS if connected else 0)
            except InvalidToken:
                self._show(Phase.REFUSED, NOT_LET_IN)
                refused = True
            except Conflict as conflict:
                webhook = "webhook" in str(conflict).lower()
                self._show(Phase.REFUSED, WEBHOOK_SET if webhook else SECOND_POLLER)
            except TelegramError as error:
                what = redact(f"{type(error).__name__}: {error}", (self.token,))
                self._show(Phase.BACKING_OFF, f"Telegram cannot be reached ({what[:120]})")
            else:
                self._show(Phase.CONNECTED)
                moved = self._take(updates, offset)
                if moved > offset or not updates:
                    offset = moved
                    tries.well()
                    continue
                self._show(Phase.BACKING_OFF, "the mailbox takes no messages at the moment")
            wait = tries.next_after(0.0, refused=refused)
            await asyncio.sleep(max(wait, listener.asked_to_wait))

    def _take(self, updates: Sequence[Update], offset: int) -> int:
        """Hand updates over in order and give the offset after the last one that was kept."""
        for update in updates:
            body = json.dumps(update, ensure_ascii=False).encode("utf-8", "surrogatepass")
            self._state = replace(self._state, last_event=self.clock())
            try:
                if not self.accept(body):
                    return offset
                offset = int(update["update_id"]) + 1
                self.save(offset)
            except StoreError:
                return offset
        return offset

    def _show(self, phase: Phase, why: str = "") -> None:
        self._state = replace(self._state, phase=phase, why=why)


class _Listener:
    """The library's Bot, of whose answers the updates are kept as they came."""

    def __init__(self, token: str, base_url: str) -> None:
        self._request = _Keeping(connection_pool_size=2)
        root = base_url.rstrip("/") or f"https://{HOST}"
        self._bot = Bot(
            token,
            base_url=f"{root}/bot",
            request=self._request,
            get_updates_request=self._request,
        )

    async def updates(self, offset: int, seconds: int) -> Sequence[Update]:
        """Wait for updates from `offset` on, 0 for any. Raises TelegramError."""
        try:
            await self._bot.get_updates(
                offset=offset or None,
                timeout=seconds,
                allowed_updates=ALLOWED_UPDATES,
                read_timeout=10.0,
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # What the library cannot take apart is still ours to judge, else it comes for ever.
            if not self._request.kept:
                raise TelegramError(f"unreadable answer: {type(error).__name__}") from None
        return self._request.kept

    @property
    def asked_to_wait(self) -> float:
        """The seconds that the last answer asked to wait, 0 for none."""
        return self._request.wait

    async def close(self) -> None:
        """Close its connections."""
        await self._request.shutdown()


class _Keeping(HTTPXRequest):
    """Keeps the updates of the last answer, or the seconds it asks to wait."""

    kept: Sequence[Update] = ()
    wait: float = 0.0

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        self.kept, self.wait = (), 0.0
        status, body = await super().do_request(*args, **kwargs)
        if status == 200:
            answer = json.loads(body)
            self.kept = [one for one in answer["result"] if isinstance(one["update_id"], int)]
        elif status == 429:
            # The library warns that its own error for this will change.
            refused = read(HttpResponse(status, body=body))
            self.wait = refused.after if isinstance(refused, Refused) else 0.0
            raise TelegramError("asked to wait")
        return status, body
