"""A strict Telegram: the Bot API over HTTP on 127.0.0.1, refusing what the real one refuses.

with TelegramStub() as telegram:
telegram.add_chat(810001, "private")
update = telegram.say(810001, "hello")        # waits for getUpdates; or post it yourself
telegram.fault("sendMessage", Fault.status(500), times=2)
...                                            # base_url=telegram.url, token=telegram.token
assert [m.text for m in telegram.shown(810001)] == ["hello", "hello back"]
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self

from tests import planted
from tests.stubs.serving import Server
from tests.stubs.telegram_chats import Chat, Chats, Shown
from tests.stubs.telegram_http import Handler
from tests.stubs.telegram_rules import Answer, Refusal, refused, too_many

BOT = {
    "id": 7000000001,
    "is_bot": True,
    "first_name": "Threadline Demo",
    "username": "ThreadlineDemoBot",
    "can_join_groups": True,
    "can_read_all_group_messages": False,
    "supports_inline_queries": False,
}
LONGEST_POLL = 50.0


@dataclass(frozen=True, slots=True)
class Call:
    """A call that came in, in order; `at` by the stub's clock, `status` of the answer (0: none)."""

    method: str
    parameters: Mapping[str, Any]
    at: float
    status: int


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with a call: an answer instead of its effect, or no answer after it.

    `seconds` is waited first, so that a caller's time limit can pass.
    """

    answer: Answer | None = None
    takes_effect: bool = False
    seconds: float = 0.0

    @classmethod
    def status(cls, status: int) -> Self:
        """Answer with this status; nothing was done."""
        return cls(refused(status, "Internal Server Error" if status >= 500 else "Bad Request"))

    @classmethod
    def too_many(cls, seconds: int) -> Self:
        """Ask to wait; nothing was done."""
        return cls(too_many(seconds))

    @classmethod
    def drop(cls, when: Literal["before", "after"]) -> Self:
        """Close the connection without an answer, before or after the call took effect."""
        return cls(Answer(0, None), takes_effect=when == "after")

    @classmethod
    def slow(cls, seconds: float) -> Self:
        """Answer late."""
        return cls(None, takes_effect=True, seconds=seconds)


@dataclass(slots=True)
class TelegramStub:
    """One bot and its chats. Enter it to serve; `edit_interval` 0 lets edits come at any rate.

    `last_error` is when (epoch seconds) and why a delivery failed last, as Telegram remembers it.
    """

    token: str = "7000000001:a-token-of-nobody"
    edit_interval: float = 0.9
    group_edit_interval: float = 2.9
    clock: Callable[[], float] = time.monotonic
    calls: list[Call] = field(default_factory=list)
    webhook: str = ""
    webhook_secret: str = ""
    allowed_updates: list[str] = field(default_factory=list)
    max_connections: int = 40
    last_error: tuple[int, str] | None = None
    bot: dict[str, Any] = field(default_factory=lambda: dict(BOT))
    url: str = ""
    _chats: Chats = field(init=False)
    _updates: list[dict[str, Any]] = field(default_factory=list)
    _files: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    _faults: dict[str, deque[Fault]] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _poll: int = 0
    _next_update: int = 900
    _server: Server | None = None

    def __post_init__(self) -> None:
        self._chats = Chats(self.clock, self.edit_interval, self.group_edit_interval)

    def __enter__(self) -> Self:
        server = Server(("127.0.0.1", 0), type("Bound", (Handler,), {"stub": self}))
        self._server = server
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        with self._changed:
            self._poll += 1
            self._changed.notify_all()

    def add_chat(self, chat: int, kind: str = "private", threads: tuple[int, ...] = ()) -> Chat:
        """Let the bot know a chat: private, group or supergroup, with these forum topics."""
        self._chats.chats[chat] = Chat(chat, kind, set(threads))
        return self._chats.chats[chat]

    def chat(self, chat: int) -> Chat:
        """Give a chat, to block it, move it or look at its reactions."""
        return self._chats.chats[chat]

    def shown(self, chat: int) -> list[Shown]:
        """Give what a person sees in a chat, oldest first."""
        with self._changed:
            messages = self._chats.chats[chat].messages
            return [messages[number] for number in sorted(messages)]

    def calls_of(self, *methods: str) -> list[Call]:
        """Give the calls of these methods."""
        return [call for call in self.calls if call.method in methods]

    def say(
        self, chat: int, text: str, *, sender: int = 0, number: int | None = None, **more: Any
    ) -> dict[str, Any]:
        """Let a person write; the update waits for getUpdates and is given back, too."""
        planted.words(text)
        with self._changed:
            place = self._chats.chats[chat]
            message_id = place.take_id(number)
            place.messages[message_id] = Shown(message_id, text, by_bot=False)
            person = {"id": sender or abs(chat), "is_bot": False, "first_name": "Ada"}
            message = {
                "message_id": message_id,
                "from": person,
                "chat": {"id": chat, "type": place.kind},
                "date": int(time.time()),
                "text": text,
                **more,
            }
        return self.push({"message": message})

    def push(self, update: Mapping[str, Any]) -> dict[str, Any]:
        """Queue an update of any kind under the next number."""
        with self._changed:
            numbered = {"update_id": self._next_update, **update}
            self._next_update += 1
            self._updates.append(numbered)
            self._changed.notify_all()
        return numbered

    def add_file(self, file_id: str, content: bytes, announced: int | None = None) -> None:
        """Let a file be fetched; `announced` is the size that getFile tells."""
        self._files[file_id] = (content, len(content) if announced is None else announced)

    def fault(self, method: str, fault: Fault, times: int = 1) -> None:
        """Let the next calls of a method go wrong."""
        self._faults.setdefault(method, deque()).extend([fault] * times)

    def answer(self, token: str, method: str, parameters: Mapping[str, Any]) -> Answer:
        """Answer a call, which is then on the list of calls."""
        at = self.clock()
        queued = self._faults.get(method)
        fault = queued.popleft() if queued else Fault(takes_effect=True)
        if fault.seconds:
            time.sleep(fault.seconds)
        answer = Answer()
        if fault.takes_effect:
            answer = self._done(token, method, parameters)
        if fault.answer is not None:
            answer = fault.answer
        self.calls.append(Call(method, parameters, at, answer.status))
        return answer

    def download(self, token: str, path: str) -> Answer:
        """Answer a download."""
        found = self._files.get(path.removeprefix("documents/"))
        if token != self.token or found is None:
            return refused(404, "Not Found")
        return Answer(200, found[0])

    def _done(self, token: str, method: str, parameters: Mapping[str, Any]) -> Answer:
        if token != self.token:
            return refused(401, "Unauthorized")
        try:
            if method == "getUpdates":
                return Answer(200, {"ok": True, "result": self._get_updates(parameters)})
            with self._changed:
                return Answer(200, {"ok": True, "result": self._result(method, parameters)})
        except Refusal as refusal:
            return refusal.answer

    def _result(self, method: str, parameters: Mapping[str, Any]) -> Any:
        match method:
            case "getMe":
                return self.bot
            case "sendMessage":
                return _message(*self._chats.send(parameters))
            case "sendDocument" | "sendPhoto":
                name = "document" if method == "sendDocument" else "photo"
                return _message(*self._chats.send(parameters, parameters[name]))
            case "editMessageText":
                return _message(*self._chats.edit(parameters))
            case "sendChatAction":
                self._chats.act(parameters)
            case "setMessageReaction":
                self._chats.react(parameters)
            case "getFile":
                return self._file(str(parameters.get("file_id")))
            case "setWebhook" | "deleteWebhook" | "getWebhookInfo":
                return self._webhook(method, parameters)
            case _:
                raise Refusal(404, "Not Found")
        return True

    def _webhook(self, method: str, parameters: Mapping[str, Any]) -> Any:
        if method == "getWebhookInfo":
            return self._webhook_told()
        self.webhook = str(parameters.get("url", ""))
        if self.webhook and not self.webhook.startswith("https://"):
            raise Refusal(
                400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook"
            )
        self.webhook_secret = str(parameters.get("secret_token", ""))
        self.allowed_updates = list(parameters.get("allowed_updates") or [])
        self.max_connections = int(parameters.get("max_connections", 40))
        self.last_error = None
        if str(parameters.get("drop_pending_updates", "")).lower() == "true":
            self._updates.clear()
        return True

    def _webhook_told(self) -> Mapping[str, Any]:
        """Give what getWebhookInfo tells; what is empty is left out, as the Bot API does."""
        told: dict[str, Any] = {
            "url": self.webhook,
            "has_custom_certificate": False,
            "pending_update_count": len(self._updates),
        }
        if self.webhook:
            told |= {"max_connections": self.max_connections, "ip_address": "203.0.113.7"}
        if self.allowed_updates:
            told["allowed_updates"] = self.allowed_updates
        if self.last_error:
            told["last_error_date"], told["last_error_message"] = self.last_error
        return told

    def _file(self, file_id: str) -> Mapping[str, Any]:
        if file_id not in self._files:
            raise Refusal(400, "Bad Request: wrong file_id or the file is temporarily unavailable")
        size = self._files[file_id][1]
        if size > 20_000_000:
            raise Refusal(400, "Bad Request: file is too big")
        return {"file_id": file_id, "file_size": size, "file_path": f"documents/{file_id}"}

    def _get_updates(self, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Give updates from `offset` on, forgetting those before it; one caller at a time."""
        kinds = parameters.get("allowed_updates") or None
        offset, most = int(parameters.get("offset", 0)), int(parameters.get("limit", 100))
        ends = time.monotonic() + min(float(parameters.get("timeout", 0)), LONGEST_POLL)
        with self._changed:
            self._poll += 1
            mine = self._poll
            self._changed.notify_all()
            while True:
                self._refuse_conflict(mine)
                self._updates = [one for one in self._updates if one["update_id"] >= offset]
                ready = [one for one in self._updates if kinds is None or set(kinds) & set(one)]
                left = ends - time.monotonic()
                if ready or left <= 0:
                    return ready[:most]
                self._changed.wait(left)

    def _refuse_conflict(self, mine: int) -> None:
        if self.webhook:
            raise Refusal(
                409,
                "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook "
                "to delete the webhook first",
            )
        if self._poll != mine:
            raise Refusal(
                409,
                "Conflict: terminated by other getUpdates request; make sure that only one bot "
                "instance is running",
            )


def _message(chat: Chat, shown: Shown) -> Mapping[str, Any]:
    message = {
        "message_id": shown.id,
        "from": BOT,
        "chat": {"id": chat.id, "type": chat.kind},
        "date": int(time.time()),
        "text": shown.text,
        "entities": shown.entities,
    }
    return json.loads(json.dumps(message))  # type: ignore[no-any-return]
