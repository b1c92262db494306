"""The chats of the Feishu stub: who is there, what stands in them, how often it may change."""

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.stubs.feishu_rules import (
    AT,
    CODE,
    Refusal,
    check_card,
    check_content,
    check_uuid,
)

APP, BOT, BOT_NAME, TENANT = "cli_a0000000000bot01", "ou_bot01", "Threadline", "t0acme01"
REMEMBERS_FOR = 3600.0
MAY_CHANGE_FOR = 14 * 86_400.0
A_SECOND = 5
"""Posts into one chat, and changes of one card, in a second."""
EMOJI = {"OK", "DONE", "CrossMark", "THUMBSUP", "Get"}


@dataclass(slots=True)
class Shown:
    """A message as it stands in a chat; `edits` counts the changes, `texts` keeps each of them."""

    id: str
    kind: str
    content: str
    sender: str
    at: float
    root: str = ""
    parent: str = ""
    thread: str = ""
    texts: list[str] = field(default_factory=list)
    reactions: list[str] = field(default_factory=list)
    recalled: bool = False
    deleted: bool = False

    @property
    def text(self) -> str:
        """What people see."""
        return self.texts[-1] if self.texts else ""

    @property
    def edits(self) -> int:
        """How often it was changed."""
        return len(self.texts) - 1

    @property
    def by_bot(self) -> bool:
        """Whether the app posted it."""
        return self.sender == APP

    @property
    def pings(self) -> list[str]:
        """Whom the text would call."""
        return AT.findall(CODE.sub("", self.text))

    def told(self, chat: str, *, whole: bool) -> dict[str, Any]:
        """Give the message as the API lists it: a card whole only where that was asked for."""
        content = self.content
        if self.kind == "interactive" and not whole:
            seen = [[{"tag": "text", "text": self.text[:200]}]]
            content = json.dumps({"title": "", "elements": seen})
        at = str(int(self.at * 1000))
        sender = {
            "id": self.sender, "id_type": "app_id" if self.by_bot else "open_id",
            "sender_type": "app" if self.by_bot else "user", "tenant_key": TENANT,
        }  # fmt: skip
        told: dict[str, Any] = {
            "message_id": self.id, "msg_type": self.kind, "create_time": at, "update_time": at,
            "deleted": self.recalled, "updated": self.edits > 0, "chat_id": chat,
            "sender": sender, "body": {"content": content},
        }  # fmt: skip
        above = {"root_id": self.root, "parent_id": self.parent, "thread_id": self.thread}
        return told | {name: value for name, value in above.items() if value}


@dataclass(slots=True)
class Chat:
    """A chat: private, a group, or a group of topics; `joined`: the bot is in it."""

    id: str
    kind: str = "p2p"
    joined: bool = True
    dissolved: bool = False
    messages: dict[str, Shown] = field(default_factory=dict)


@dataclass(slots=True)
class Chats:
    """All chats; `history`: the app may read what it was not mentioned in.

    Cards with `forbidden` in them are not let through.
    """

    clock: Callable[[], float]
    chats: dict[str, Chat] = field(default_factory=dict)
    history: bool = True
    forbidden: str = ""
    _number: int = 0
    _posted: dict[str, tuple[float, str, str]] = field(default_factory=dict)
    _done: dict[str, deque[float]] = field(default_factory=dict)

    def add(self, shown: Shown, chat: Chat) -> Shown:
        """Put a message into a chat."""
        chat.messages[shown.id] = shown
        return shown

    def take_id(self) -> str:
        """Give the next message's id."""
        self._number += 1
        return f"om_{self._number:032x}"

    def where(self, message: str) -> tuple[Chat, Shown]:
        """Give a message and its chat, or refuse as Feishu does."""
        for chat in self.chats.values():
            if message in chat.messages:
                return self._open(chat), chat.messages[message]
        raise Refusal(230001, "message_id is invalid")

    def reply(self, message: str, body: Mapping[str, Any], size: int) -> dict[str, Any]:
        """Reply to a message; within a topic the reply belongs to it."""
        chat, above = self.where(message)
        if above.recalled:
            raise Refusal(230011)
        if above.deleted:
            raise Refusal(230110)
        thread = above.thread or (f"omt_{above.id[-12:]}" if chat.kind == "topic" else "")
        return self._post(chat, body, size, (above.root or above.id, above.id, thread))

    def create(self, chat: object, body: Mapping[str, Any], size: int) -> dict[str, Any]:
        """Post into a chat."""
        found = self.chats.get(str(chat))
        if found is None:
            raise Refusal(230001, "receive_id is invalid")
        return self._post(self._open(found), body, size, ("", "", ""))

    def patch(self, message: str, body: Mapping[str, Any], size: int) -> dict[str, Any]:
        """Change a card of the app's own in place."""
        _, shown = self.where(message)
        if not shown.by_bot or shown.kind != "interactive":
            raise Refusal(230001, "This message is NOT a card.")
        if shown.recalled:
            raise Refusal(230011)
        if shown.deleted:
            raise Refusal(230110)
        if self.clock() - shown.at > MAY_CHANGE_FOR:
            raise Refusal(230031)
        text = self._card(check_content(body.get("content"), size))
        self._count(message)
        shown.content = str(body["content"])
        shown.texts.append(text)
        return {}

    def react(self, message: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Put the app's reaction on a message; one that stands there already stays one."""
        _, shown = self.where(message)
        if shown.recalled or shown.deleted:
            raise Refusal(231003)
        name = body.get("reaction_type", {}).get("emoji_type")
        if name not in EMOJI:
            raise Refusal(231001)
        if name not in shown.reactions:
            shown.reactions.append(name)
        return {"reaction_id": f"{message}/{name}"}

    def listed(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """List the messages of a chat or topic, newest first where that was asked for."""
        name, by_thread = asked.get("container_id", ""), asked.get("container_id_type") == "thread"
        if by_thread:
            found = [(c, m) for c in self.chats.values() for m in c.messages.values()
                     if m.thread == name]  # fmt: skip
        else:
            chat = self.chats.get(name)
            if chat is None:
                raise Refusal(230001, "container_id is invalid")
            found = [(self._open(chat), m) for m in chat.messages.values()]
        if any(chat.kind != "p2p" for chat, _ in found) and not self.history:
            raise Refusal(230027)
        if asked.get("sort_type") == "ByCreateTimeDesc":
            found.reverse()
        start, size = int(asked.get("page_token") or 0), int(asked.get("page_size") or 20)
        if not 1 <= size <= 50:
            raise Refusal(230001, "page_size is invalid")
        more = start + size < len(found)
        whole = asked.get("card_msg_content_type") == "user_card_content"
        items = [m.told(c.id, whole=whole) for c, m in found[start : start + size]]
        return {"has_more": more, "page_token": str(start + size) if more else "", "items": items}

    def _post(
        self, chat: Chat, body: Mapping[str, Any], size: int, above: tuple[str, str, str]
    ) -> dict[str, Any]:
        """Put a message of the app into a chat; one key is posted once within an hour."""
        uuid, content = check_uuid(body), check_content(body.get("content"), size)
        kind = body.get("msg_type")
        known = self._posted.get(uuid)
        if uuid and known is not None and self.clock() - known[0] < REMEMBERS_FOR:
            return self.chats[known[1]].messages[known[2]].told(known[1], whole=False)
        if kind == "interactive":
            text = self._card(content)
        elif kind in {"image", "file"}:
            text = str(content.get(f"{kind}_key", ""))
        else:
            raise Refusal(230001, "msg_type is invalid")
        self._count(chat.id)
        shown = Shown(self.take_id(), kind, str(body["content"]), APP, self.clock(), *above, [text])
        self.add(shown, chat)
        if uuid:
            self._posted[uuid] = (self.clock(), chat.id, shown.id)
        return shown.told(chat.id, whole=False)

    def _card(self, content: Mapping[str, Any]) -> str:
        text = check_card(content)
        if self.forbidden and self.forbidden in text:
            raise Refusal(230028)
        return text

    def _open(self, chat: Chat) -> Chat:
        if chat.dissolved:
            raise Refusal(232009)
        if not chat.joined:
            raise Refusal(230002)
        return chat

    def _count(self, what: str) -> None:
        """Count one more call about this, or refuse it."""
        times, now = self._done.setdefault(what, deque()), self.clock()
        while times and times[0] <= now - 1.0:
            times.popleft()
        if len(times) >= A_SECOND:
            raise Refusal(230020)
        times.append(now)
