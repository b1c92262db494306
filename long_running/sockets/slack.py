"""Slack without a public address: Socket Mode, by slack_sdk's client.

https://docs.slack.dev/apis/events-api/using-socket-mode
"""

import json
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from long_running.sockets.state import STEADY, Backoff, Phase, SocketState, Tries
from threadline.core.errors import CredentialsRejected, StoreError
from threadline.core.policy import redact
from threadline.platforms.slack.interaction import SHOW_COMMAND
from threadline.platforms.slack.refusal import MEANS

STOP_WITHIN: Final = 5.0
LOOK_EVERY: Final = 0.5
ANSWERS: Final[Mapping[str, bytes]] = {"slash_commands": SHOW_COMMAND}
"""What Slack gets with the acknowledgement of an envelope, by its kind."""

NOT_LET_IN: Final = (
    "Slack does not take this app-level token ({word}); it begins with xapp-, needs the scope "
    "connections:write, and Socket Mode must be on: threadline secrets set slack"
)


@dataclass(kw_only=True)
class SlackSocket:
    """Holds a connection in a thread of its own until stopped.

    `accept` takes what the webhook's body would be and tells whether it is kept: only then is the
    envelope acknowledged, so that Slack sends it again otherwise. Envelopes are taken one after
    the other. `clock` gives epoch seconds, `random` a number between 0 and 1.
    """

    app_token: str = field(repr=False)
    accept: Callable[[bytes], bool]
    clock: Callable[[], float]
    random: Callable[[], float]
    base_url: str = ""
    backoff: Backoff = Backoff()
    ping_every: float = 5.0
    greeted_within: float = 15.0
    _state: SocketState = field(default=SocketState(), init=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)
    _stopping: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    _in_hand: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @property
    def state(self) -> SocketState:
        """How the connection is doing now."""
        return self._state

    def start(self) -> None:
        """Begin in the background."""
        self._thread = threading.Thread(target=self._run, name="slack-socket", daemon=True)
        self._thread.start()

    def stop(self) -> bool:
        """End within seconds, after the envelope in hand; tell whether it has ended."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(STOP_WITHIN)
        return self._thread is None or not self._thread.is_alive()

    def _run(self) -> None:
        # At lower levels it logs whole messages.
        logging.getLogger("slack_sdk").setLevel(logging.CRITICAL)
        tries = Tries(self.backoff, self.random)
        try:
            while not self._stopping.is_set():
                lasted, refused = 0.0, False
                try:
                    lasted = self._held()
                except SlackApiError as error:
                    refused = self._is_refusal(error)
                except (OSError, SlackClientError) as error:
                    self._show(Phase.BACKING_OFF, f"Slack cannot be reached ({self._told(error)})")
                wait = tries.next_after(lasted, refused=refused)
                # Slack ends connections that are hours old, and says so: the next one is due.
                self._stopping.wait(0 if lasted >= STEADY else wait)
        finally:
            why = "" if self._stopping.is_set() else "a fault of ours ended it: see the log"
            self._show(Phase.STOPPED, why)

    def _held(self) -> float:
        """Hold one connection until it ends; give for how long, 0 where Slack never greeted us."""
        client = self._client()
        greeted = threading.Event()
        client.message_listeners.append(self._greeting(greeted))
        client.socket_mode_request_listeners.append(self._take)
        try:
            client.connect()
            if not greeted.wait(self.greeted_within):
                self._show(Phase.BACKING_OFF, "Slack cannot be reached (no greeting)")
                return 0.0
            since = self.clock()
            while client.is_connected() and not self._stopping.wait(LOOK_EVERY):
                pass
            if not self._stopping.is_set():
                self._show(Phase.BACKING_OFF, "Slack closed the connection")
            return self.clock() - since
        finally:
            with self._in_hand:
                # It waits seconds for threads of its own, in which nobody needs to wait with it.
                threading.Thread(target=client.close, name="slack-closing", daemon=True).start()

    def _client(self) -> SocketModeClient:
        root = self.base_url.rstrip("/")
        web = WebClient(base_url=f"{root}/api/") if root else WebClient()
        return SocketModeClient(
            app_token=self.app_token, web_client=web, auto_reconnect_enabled=False,
            concurrency=1, ping_interval=self.ping_every,
        )  # fmt: skip

    def _greeting(
        self, greeted: threading.Event
    ) -> Callable[[BaseSocketModeClient, dict[str, Any], str | None], None]:
        def listen(_: BaseSocketModeClient, message: dict[str, Any], __: str | None = None) -> None:
            if message.get("type") == "hello":
                self._show(Phase.CONNECTED)
                greeted.set()

        return listen

    def _take(self, client: BaseSocketModeClient, request: SocketModeRequest) -> None:
        """Hand an envelope over; without an acknowledgement Slack sends it again."""
        body = json.dumps(request.payload, ensure_ascii=False).encode("utf-8", "surrogatepass")
        with self._in_hand:
            if self._stopping.is_set() or not self._kept(body):
                return
            answer = ANSWERS.get(request.type) if request.accepts_response_payload else None
            payload = json.loads(answer) if answer else None
            with suppress(SlackClientError, OSError):
                client.send_socket_mode_response(SocketModeResponse(request.envelope_id, payload))

    def _kept(self, body: bytes) -> bool:
        self._state = replace(self._state, last_event=self.clock())
        try:
            kept = self.accept(body)
        except StoreError:
            kept = False
        self._show(Phase.CONNECTED, "" if kept else "the mailbox takes no messages at the moment")
        return kept

    def _is_refusal(self, error: SlackApiError) -> bool:
        """Show why Slack gave no address; tell whether that will not change by itself."""
        word = str(error.response.get("error", ""))[:80]
        if MEANS.get(word) is CredentialsRejected:
            self._show(Phase.REFUSED, NOT_LET_IN.format(word=word))
            return True
        self._show(Phase.BACKING_OFF, f"Slack cannot be reached ({self._told(word)})")
        return False

    def _told(self, what: object) -> str:
        named = f"{type(what).__name__}: {what}" if isinstance(what, Exception) else str(what)
        return redact(named, (self.app_token,))[:120]

    def _show(self, phase: Phase, why: str = "") -> None:
        self._state = replace(self._state, phase=phase, why=why)
