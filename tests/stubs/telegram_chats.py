"""The chats of the Telegram stub: who is there, what stands in them, what may be done when."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.stubs.telegram_rules import (
    Refusal,
    check_entities,
    check_reactions,
    check_text,
)


@dataclass(slots=True)
class Shown:
    """A message as it stands in a chat; `edits` counts the changes since it was sent."""

    id: int
    text: str
    entities: Sequence[Mapping[str, Any]] = ()
    reply_to: int | None = None
    thread: int | None = None
    file: bytes | None = None
    edits: int = 0
    by_bot: bool = True


@dataclass(slots=True)
class Chat:
    """A chat that the bot may know; a group that became a supergroup says so in `moved_to`."""

    id: int
    kind: str
    threads: set[int] = field(default_factory=set)
    messages: dict[int, Shown] = field(default_factory=dict)
    reactions: dict[int, str] = field(default_factory=dict)
    actions: list[str] = field(default_factory=list)
    blocked: bool = False
    moved_to: int | None = None
    last_change: float = -math.inf
    next_id: int = 1

    def take_id(self, wanted: int | None = None) -> int:
        """Give the next number of a message in this chat, or the wanted one."""
        given = self.next_id if wanted is None else wanted
        self.next_id = max(self.next_id, given + 1)
        return given


@dataclass(slots=True)
class Chats:
    """All chats. `edit_interval` and `group_edit_interval` are the seconds between two edits."""

    clock: Callable[[], float]
    edit_interval: float
    group_edit_interval: float
    chats: dict[int, Chat] = field(default_factory=dict)

    def find(self, parameters: Mapping[str, Any]) -> Chat:
        """Give the chat of a call, or refuse as Telegram does."""
        try:
            chat = self.chats.get(int(parameters["chat_id"]))
        except (KeyError, TypeError, ValueError):
            raise Refusal(400, "Bad Request: chat_id is empty") from None
        if chat is None:
            raise Refusal(400, "Bad Request: chat not found")
        if chat.moved_to is not None:
            raise Refusal(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=chat.moved_to,
            )
        if chat.blocked:
            raise Refusal(403, "Forbidden: bot was blocked by the user")
        return chat

    def send(self, parameters: Mapping[str, Any], file: bytes | None = None) -> tuple[Chat, Shown]:
        """Put a message of the bot into a chat."""
        chat = self.find(parameters)
        thread = _thread(chat, parameters)
        text = "" if file is not None else check_text(parameters.get("text"))
        entities = check_entities(text, parameters.get("entities", []))
        shown = Shown(
            chat.take_id(), text, entities, _reply(chat, parameters, thread), thread, file
        )
        chat.messages[shown.id] = shown
        return chat, shown

    def edit(self, parameters: Mapping[str, Any]) -> tuple[Chat, Shown]:
        """Change the text of a message of the bot."""
        chat = self.find(parameters)
        shown = chat.messages.get(int(parameters.get("message_id", 0)))
        if shown is None:
            raise Refusal(400, "Bad Request: message to edit not found")
        if not shown.by_bot or shown.file is not None:
            raise Refusal(400, "Bad Request: message can't be edited")
        text = check_text(parameters.get("text"))
        entities = check_entities(text, parameters.get("entities", []))
        self._not_too_soon(chat)
        if (shown.text, list(shown.entities)) == (text, list(entities)):
            raise Refusal(
                400,
                "Bad Request: message is not modified: specified new message content and reply "
                "markup are exactly the same as a current content and reply markup of the message",
            )
        shown.text, shown.entities, shown.edits = text, entities, shown.edits + 1
        return chat, shown

    def act(self, parameters: Mapping[str, Any]) -> None:
        """Show that the bot is doing something."""
        chat = self.find(parameters)
        _thread(chat, parameters)
        chat.actions.append(str(parameters.get("action")))

    def react(self, parameters: Mapping[str, Any]) -> None:
        """Put the bot's reaction on a message, or take it away."""
        chat = self.find(parameters)
        message = int(parameters.get("message_id", 0))
        if message not in chat.messages:
            raise Refusal(400, "Bad Request: message to react not found")
        reactions = parameters.get("reaction", [])
        check_reactions(reactions)
        chat.reactions.pop(message, None)
        for one in reactions:
            chat.reactions[message] = one["emoji"]

    def _not_too_soon(self, chat: Chat) -> None:
        interval = self.edit_interval if chat.kind == "private" else self.group_edit_interval
        now = self.clock()
        wait = chat.last_change + interval - now
        if wait > 0:
            raise Refusal(
                429,
                f"Too Many Requests: retry after {math.ceil(wait)}",
                retry_after=math.ceil(wait),
            )
        chat.last_change = now


def _thread(chat: Chat, parameters: Mapping[str, Any]) -> int | None:
    thread = parameters.get("message_thread_id")
    if thread is None:
        return None
    if int(thread) not in chat.threads:
        raise Refusal(400, "Bad Request: message thread not found")
    return int(thread)


def _reply(chat: Chat, parameters: Mapping[str, Any], thread: int | None) -> int | None:
    reply = parameters.get("reply_parameters")
    if reply is None:
        return None
    target = int(reply["message_id"])
    if target in chat.messages:
        return target
    if thread is not None or not reply.get("allow_sending_without_reply"):
        raise Refusal(400, "Bad Request: message to be replied not found")
    return None
