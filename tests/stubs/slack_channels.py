"""The channels of the Slack stub: who is there, what stands in them, how often it may change."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.stubs.serving import Answer
from tests.stubs.slack_rules import (
    MOST_BYTES_OF_AN_EDIT,
    PINGS,
    Refusal,
    check_attachments,
    check_client_id,
    check_literal,
    check_metadata,
    check_text,
    too_many,
)

BOT, BOT_ID, APP, TEAM = "U0BOT0001", "B0BOT0001", "A0APP0001", "T0ACME001"


@dataclass(slots=True)
class Shown:
    """A post as it stands in a channel; `edits` counts the changes since it was posted."""

    ts: str
    text: str
    user: str
    thread: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    buttons: list[str] = field(default_factory=list)
    client_id: str = ""
    file: str = ""
    edits: int = 0
    reactions: list[str] = field(default_factory=list)

    @property
    def by_bot(self) -> bool:
        """Whether the app posted it."""
        return self.user == BOT

    @property
    def pings(self) -> list[str]:
        """Whom the text would call."""
        return PINGS.findall(self.text)

    def told(self, *, metadata: bool) -> dict[str, Any]:
        """Give the post as history lists it."""
        told: dict[str, Any] = {"type": "message", "user": self.user, "text": self.text,
                                "ts": self.ts, "team": TEAM}  # fmt: skip
        if self.by_bot:
            told |= {"bot_id": BOT_ID, "app_id": APP}
        if self.thread:
            told["thread_ts"] = self.thread
        if self.file:
            told["files"] = [{"id": self.file}]
        if metadata and self.metadata:
            told["metadata"] = self.metadata
        return told


@dataclass(slots=True)
class Channel:
    """A channel, its kind told by its id; `joined`: the app is a member.

    `whispers`: who was shown something that others did not see, in which thread, and what.
    """

    id: str
    joined: bool = True
    archived: bool = False
    posts: dict[str, Shown] = field(default_factory=dict)
    whispers: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """Give the channel's type as events tell it."""
        if self.id.startswith("D"):
            return "im"
        return "mpim" if self.id.startswith("G") else "channel"


@dataclass(slots=True)
class Rates:
    """How often something may be done: `most` times in `seconds`."""

    clock: Callable[[], float]
    most: int
    seconds: float
    done: dict[str, deque[float]] = field(default_factory=dict)

    def wait(self, what: str) -> float:
        """Count one more time, or give the seconds to wait."""
        times = self.done.setdefault(what, deque())
        now = self.clock()
        while times and times[0] <= now - self.seconds:
            times.popleft()
        if len(times) >= self.most:
            return times[0] + self.seconds - now
        times.append(now)
        return 0.0


class TooMany(Exception):
    """A call that came too soon."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.answer: Answer = too_many(int(seconds) + 1)


@dataclass(slots=True)
class Channels:
    """All channels; with `dedupes` a repeated client id gives the first post again."""

    clock: Callable[[], float]
    posting: Rates
    editing: Rates
    dedupes: bool = False
    metadata_shown: bool = True
    channels: dict[str, Channel] = field(default_factory=dict)
    _last: int = 0

    def take_ts(self) -> str:
        """Give the next moment, later than any before."""
        self._last = max(int(self.clock() * 1_000_000), self._last + 1)
        return f"{self._last // 1_000_000:010d}.{self._last % 1_000_000:06d}"

    def find(self, channel: object) -> Channel:
        """Give a channel that may be written to, or refuse as Slack does."""
        found = self.channels.get(str(channel))
        if found is None:
            raise Refusal("channel_not_found")
        if found.archived:
            raise Refusal("is_archived")
        if not found.joined:
            raise Refusal("not_in_channel")
        return found

    def post(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Put a post of the app into a channel."""
        channel = self.find(parameters.get("channel"))
        check_literal(parameters)
        text, client_id = check_text(parameters.get("text")), check_client_id(
            parameters.get("client_msg_id")
        )  # fmt: skip
        thread = str(parameters.get("thread_ts", ""))
        if thread and thread not in channel.posts:
            raise Refusal("thread_not_found")
        twin = [one for one in channel.posts.values() if client_id and one.client_id == client_id]
        if twin and self.dedupes:
            return {"channel": channel.id, "ts": twin[0].ts, "is_duplicate": True}
        _unless(self.posting.wait(channel.id))
        shown = Shown(
            self.take_ts(), text, BOT, thread, check_metadata(parameters.get("metadata")),
            check_attachments(parameters.get("attachments")), client_id,
        )  # fmt: skip
        channel.posts[shown.ts] = shown
        return {"channel": channel.id, "ts": shown.ts, "message": shown.told(metadata=False)}

    def whisper(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Show a post to one person of a channel; it stands nowhere."""
        channel = self.find(parameters.get("channel"))
        check_literal(parameters)
        thread, user = str(parameters.get("thread_ts", "")), str(parameters.get("user"))
        unknown = set(parameters) - {"channel", "user", "text", "thread_ts", "parse", "link_names"}
        if unknown or (thread and thread not in channel.posts):
            raise Refusal("invalid_arguments")
        if user not in {one.user for one in channel.posts.values()}:
            raise Refusal("user_not_in_channel")
        channel.whispers.append((user, thread, check_text(parameters.get("text"))))
        return {"message_ts": self.take_ts()}

    def edit(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Change the text of a post of the app."""
        channel = self.find(parameters.get("channel"))
        check_literal(parameters)
        shown = channel.posts.get(str(parameters.get("ts")))
        if shown is None:
            raise Refusal("message_not_found")
        if not shown.by_bot:
            raise Refusal("cant_update_message")
        text = check_text(parameters.get("text"), MOST_BYTES_OF_AN_EDIT)
        buttons = check_attachments(parameters.get("attachments"))
        _unless(self.editing.wait("workspace"))
        shown.text, shown.buttons, shown.edits = text, buttons, shown.edits + 1
        return {"channel": channel.id, "ts": shown.ts, "text": text}

    def react(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Put the app's reaction on a post."""
        channel = self.find(parameters.get("channel"))
        shown = channel.posts.get(str(parameters.get("timestamp")))
        name = str(parameters.get("name", ""))
        if shown is None:
            raise Refusal("message_not_found")
        if not name.replace("_", "").isalnum():
            raise Refusal("invalid_name")
        if name in shown.reactions:
            raise Refusal("already_reacted")
        shown.reactions.append(name)
        return {}

    def history(self, method: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        """List posts: of a thread oldest first and with its root, of a channel newest first."""
        channel = self.find(parameters.get("channel"))
        thread, oldest = parameters.get("ts", ""), parameters.get("oldest", "")
        if method == "conversations.replies":
            if thread not in channel.posts:
                raise Refusal("thread_not_found")
            listed = [one for one in channel.posts.values() if thread in {one.ts, one.thread}]
        else:
            listed = [one for one in channel.posts.values() if not one.thread][::-1]
        listed = [one for one in listed if one.ts > oldest or one.ts == thread]
        start, limit = int(parameters.get("cursor") or 0), int(parameters.get("limit", 100))
        page, more = listed[start : start + limit], start + limit < len(listed)
        metadata = parameters.get("include_all_metadata") == "true" and self.metadata_shown
        return {
            "messages": [one.told(metadata=metadata) for one in page],
            "has_more": more,
            "response_metadata": {"next_cursor": str(start + limit) if more else ""},
        }


def _unless(wait: float) -> None:
    if wait > 0:
        raise TooMany(wait)
