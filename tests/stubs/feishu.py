"""A strict Feishu: the open API on 127.0.0.1 or in the process, refusing what the real one does.

with FeishuStub() as feishu:
    feishu.add_chat("oc_ada")
    event = feishu.say("oc_ada", "hello")               # the event to be sent, in the clear
    feishu.fault(Do.REPLY, Fault.code(230020))
    ...                                                 # base_url=feishu.url, feishu.secrets
    assert [one.text for one in feishu.shown("oc_ada")] == ["hello", "hello back"]
"""

import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, Final, Literal, Self

from tests import planted
from tests.stubs.feishu_chats import (
    APP,
    BOT,
    BOT_NAME,
    TENANT,
    Chat,
    Chats,
    Shown,
)
from tests.stubs.feishu_http import Asked, respond
from tests.stubs.feishu_rules import Do, Refusal, refused, succeeded, too_many
from tests.stubs.feishu_scopes import EVERY, check_scope, told_scopes
from tests.stubs.serving import Answer, Served

ADA: Final = "ou_ada01"
LASTS: Final = 7200
"""Seconds a token is good; it is handed out again until half an hour before its end."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that came in, in order; `at` by the stub's clock, `code` of the answer (-1: none)."""

    what: str
    ids: tuple[str, ...]
    body: Mapping[str, Any]
    at: float
    code: int


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with a call: an answer instead of its effect, or no answer after it."""

    answer: Answer
    takes_effect: bool = False

    @classmethod
    def code(cls, code: int, *, status: int = 400) -> Self:
        """Refuse with a code of Feishu's; nothing was done."""
        return cls(refused(code, status=status))

    @classmethod
    def status(cls, status: int) -> Self:
        """Answer with this status and a page; nothing was done."""
        return cls(Answer(status, b"<html>"))

    @classmethod
    def too_many(cls, seconds: int) -> Self:
        """Ask to wait; nothing was done."""
        return cls(too_many(seconds))

    @classmethod
    def drop(cls, when: Literal["before", "after"]) -> Self:
        """Close the connection without an answer, before or after the call took effect."""
        return cls(Answer(0), takes_effect=when == "after")


@dataclass(slots=True, kw_only=True)
class FeishuStub(Served):
    """One organisation with the app in it. Enter it to serve over HTTP.

    `scopes` are those it granted; `activated` is the bot's state, 2 being on.
    """

    clock: Callable[[], float] = time.time
    secrets: Mapping[str, str] = field(
        default_factory=lambda: {"app_id": APP, "app_secret": "an-app-secret-of-nobody"}
    )
    calls: list[Call] = field(default_factory=list)
    socket_url: str = ""
    activated: int = 2
    scopes: set[str] = field(default_factory=lambda: set(EVERY))
    contents: dict[tuple[str, str], bytes] = field(default_factory=dict)
    uploads: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    chats: Chats = field(init=False)
    _tokens: dict[str, float] = field(default_factory=dict)
    _faults: dict[str, deque[Fault]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock)
    _events: int = 0

    def __post_init__(self) -> None:
        self.chats = Chats(self.clock)

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer one request; header names in lower case."""
        return respond(self, method, target, headers, body)

    def add_chat(self, chat: str, kind: str = "p2p") -> Chat:
        """Let a chat be there: `p2p`, `group`, or a `topic` group."""
        made = Chat(chat, kind)
        self.chats.chats[chat] = made
        return made

    def shown(self, chat: str) -> list[Shown]:
        """Give what people see in a chat, oldest first."""
        return list(self.chats.chats[chat].messages.values())

    def calls_of(self, *what: str) -> list[Call]:
        """Give the calls of these kinds."""
        return [call for call in self.calls if call.what in what]

    def fault(self, what: str, fault: Fault, times: int = 1) -> None:
        """Let the next calls of a kind go wrong."""
        self._faults.setdefault(what, deque()).extend([fault] * times)

    def expire_tokens(self) -> None:
        """Let no token that was handed out be good any longer."""
        self._tokens = dict.fromkeys(self._tokens, 0.0)

    def say(
        self,
        chat: str,
        text: str,
        *,
        user: str = ADA,
        parent: str = "",
        mention: bool = False,
        **more: Any,
    ) -> dict[str, Any]:
        """Let a person write, and give the event of it, to be delivered as a test likes."""
        planted.words(text)
        place = self.chats.chats[chat]
        above = place.messages.get(parent)
        mentions = [mention_of(BOT, BOT_NAME, "bot")] if mention else []
        words = f"@_user_1 {text}" if mention else text
        content = more.pop("content", {"text": words})
        shown = Shown(self.chats.take_id(), "text", json.dumps(content), user, self.clock())
        shown.texts.append(text)
        if above is not None:
            shown.root, shown.parent = above.root or above.id, above.id
            shown.thread = above.thread
        if place.kind == "topic" and not shown.thread:
            shown.thread = f"omt_{shown.id[-12:]}"
        self.chats.add(shown, place)
        message: dict[str, Any] = {
            "message_id": shown.id, "create_time": str(int(shown.at * 1000)), "chat_id": chat,
            "chat_type": "p2p" if place.kind == "p2p" else "group", "message_type": "text",
            "content": shown.content, **({"mentions": mentions} if mentions else {}),
        }  # fmt: skip
        above_it = {"root_id": shown.root, "parent_id": shown.parent, "thread_id": shown.thread}
        message |= {name: value for name, value in above_it.items() if value}
        tenant = more.pop("tenant", TENANT)
        sender = {"sender_id": {"open_id": user}, "sender_type": "user", "tenant_key": tenant}
        return self.envelope(
            "im.message.receive_v1", {"sender": sender, "message": {**message, **more}}
        )  # fmt: skip

    def envelope(self, kind: str, event: Mapping[str, Any]) -> dict[str, Any]:
        """Put an event into an envelope under a new id."""
        self._events += 1
        header = {
            "event_id": f"{self._events:032x}", "event_type": kind, "app_id": APP,
            "tenant_key": TENANT, "create_time": str(int(self.clock() * 1000)), "token": "",
        }  # fmt: skip
        return {"schema": "2.0", "header": header, "event": dict(event)}

    def add_file(self, message: str, key: str, content: bytes) -> None:
        """Let a file of a message be fetched."""
        self.contents[message, key] = content

    def answer(self, asked: Asked) -> Answer:
        """Answer a call, which is then on the list of calls."""
        with self._lock:
            queued = self._faults.get(asked.what)
            fault = queued.popleft() if queued else None
            answer = Answer()
            if fault is None or fault.takes_effect:
                answer = self._done(asked)
            if fault is not None:
                answer = fault.answer
            said = answer.body if isinstance(answer.body, Mapping) else {}
            code = -1 if answer.status == 0 else int(said.get("code", 0))
            self.calls.append(Call(asked.what, asked.ids, asked.body, self.clock(), code))
            return answer

    def _done(self, asked: Asked) -> Answer:
        if asked.what == Do.TOKEN:
            return self._token(asked.body)
        if asked.what == Do.CONNECT:
            return self._endpoint(asked.body)
        if not asked.token:
            return refused(99991661)
        if self._tokens.get(asked.token, 0.0) <= self.clock():
            return refused(99991663)
        try:
            check_scope(asked.what, self.scopes)
            return self._result(asked)
        except Refusal as refusal:
            return refusal.answer

    def _result(self, asked: Asked) -> Answer:
        body, size = asked.body, asked.size
        match asked.what:
            case Do.INFO | Do.SCOPES:
                return self._about(asked.what)
            case Do.REPLY:
                return succeeded(**self.chats.reply(asked.ids[0], body, size))
            case Do.CREATE:
                if asked.query.get("receive_id_type") != "chat_id":
                    return refused(230001)
                return succeeded(**self.chats.create(body.get("receive_id"), body, size))
            case Do.PATCH:
                return succeeded(**self.chats.patch(asked.ids[0], body, size))
            case Do.REACT:
                return succeeded(**self.chats.react(asked.ids[0], body))
            case Do.HISTORY:
                return succeeded(**self.chats.listed(asked.query))
            case Do.RESOURCE:
                return self._resource(asked.ids, asked.query.get("type", ""))
            case Do.IMAGE | Do.FILE:
                return self._upload(body)
            case _:
                return Answer(404, b"404 page not found")

    def _about(self, what: str) -> Answer:
        """Tell of the bot, or of the scopes of its app."""
        if what == Do.SCOPES:
            return succeeded(scopes=told_scopes(self.scopes))
        told = {"activate_status": self.activated, "app_name": BOT_NAME, "open_id": BOT}
        return Answer(200, {"code": 0, "msg": "ok", "bot": told})

    def _token(self, body: Mapping[str, Any]) -> Answer:
        """Hand out the token there is, or a new one from half an hour before its end."""
        if body.get("app_id") != self.secrets["app_id"]:
            return refused(10003, status=200)
        if body.get("app_secret") != self.secrets["app_secret"]:
            return refused(10014, status=200)
        now = self.clock()
        token = next((one for one, ends in self._tokens.items() if ends > now + 1800), "")
        if not token:
            token = f"t-{len(self._tokens):08d}"
            self._tokens[token] = now + LASTS
        lasts = int(self._tokens[token] - now)
        return Answer(
            200, {"code": 0, "msg": "ok", "tenant_access_token": token, "expire": lasts}
        )  # fmt: skip

    def _endpoint(self, body: Mapping[str, Any]) -> Answer:
        """Give the address of a long connection."""
        if (body.get("AppID"), body.get("AppSecret")) != tuple(self.secrets.values()):
            return refused(10014, status=200)
        often = {"ReconnectCount": -1, "ReconnectInterval": 1, "ReconnectNonce": 0}
        told = {"URL": self.socket_url, "ClientConfig": {**often, "PingInterval": 1}}
        return succeeded(**told)

    def _resource(self, ids: tuple[str, ...], kind: str) -> Answer:
        message, key = ids
        self.chats.where(message)
        content = self.contents.get((message, key))
        if content is None or kind not in {"image", "file"}:
            return refused(234003)
        if len(content) > 100 * 1024 * 1024:
            return refused(234037)
        return Answer(200, content, {"content-type": "application/octet-stream"})

    def _upload(self, body: Mapping[str, Any]) -> Answer:
        kind = "image" if "image_type" in body else "file"
        name, content = body[kind]
        if not content or len(content) > (10 if kind == "image" else 30) * 1024 * 1024:
            return refused(234006)
        if kind == "image" and not content.startswith((b"\x89PNG", b"\xff\xd8", b"GIF8")):
            return refused(234011)
        key = f"{'img' if kind == 'image' else 'file'}_{len(self.uploads):08d}"
        self.uploads[key] = (name, content)
        return succeeded(**{f"{kind}_key": key})


def mention_of(account: str, name: str, kind: str, at: int = 1) -> dict[str, Any]:
    """Give one entry of a message's mentions."""
    return {
        "key": f"@_user_{at}", "id": {"open_id": account}, "name": name,
        "mentioned_type": kind, "tenant_key": TENANT,
    }  # fmt: skip
