"""What was found of the subject, and what becomes of each item."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from threadline.app import codec
from threadline.app.codec import Unreadable
from threadline.app.forget.subject import Traces
from threadline.core.json import JsonObject
from threadline.core.ports import Change, Delete, Expect, Item, Key, Put
from threadline.core.records import Conversation

CONVERSATIONS: Final = "conversations"
WAITING: Final = "waiting messages"
POSTS: Final = "posts, made or planned"
JOURNAL: Final = "journal rows"
ALIASES: Final = "notes which conversation a message is of"
COOLING: Final = "notes that a chat cools down"
AUDITED: Final = "names in audit rows"
SHOWN: Final = "texts last shown of a run"
RUNS: Final = "followed runs"
PEOPLE: Final = "people let in"
SEEN: Final = "notes that a message was seen"

LAST: Final = (WAITING, RUNS, PEOPLE, SEEN)
"""What goes last, in this order: by these the rest is found again when a removal broke off."""


@dataclass(frozen=True, slots=True)
class Find:
    """An item that goes or is rewritten, as `change` says, if nobody changes it first."""

    kind: str
    change: Change


@dataclass(slots=True)
class Found:
    """What was found. `busy` says what has to end first, `claims` counts threads that stay owned.

    `standing` are conversations that dispatch has to remove, `waiting` are the keys of messages
    that wait, whoever removes them. `unreadable` are keys of items that this version cannot read,
    whosever they are.
    """

    traces: Traces
    now: float
    finds: list[Find] = field(default_factory=list)
    busy: list[str] = field(default_factory=list)
    waiting: set[Key] = field(default_factory=set)
    claims: int = 0
    standing: list[Conversation] = field(default_factory=list)
    unreadable: list[Key] = field(default_factory=list)

    def read[T](self, kind: type[T], item: Item) -> T | None:
        """Read an item, None where this version cannot."""
        try:
            return codec.record(kind, item.attributes)
        except Unreadable:
            self.unreadable.append(item.key)
            return None

    def take(self, kind: str, item: Item) -> None:
        """Let an item go: as it was read, or as it rests after its end."""
        self.finds.append(Find(kind, Delete(item.key, self._expected(item))))

    def rewrite(self, kind: str, item: Item, attributes: JsonObject) -> None:
        """Let an item stay with other attributes; one that is past its end goes."""
        if self._expected(item) is Expect.ABSENT:
            self.take(kind, item)
            return
        self.finds.append(Find(kind, Put(replace(item, attributes=attributes), item.version)))

    def counts(self) -> Mapping[str, int]:
        """Count what was found by kind."""
        counted = Counter(find.kind for find in self.finds)
        counted[CONVERSATIONS] += len(self.standing)
        counted[WAITING] = len(self.waiting)
        return +counted

    def _expected(self, item: Item) -> int | Expect:
        over = item.expires_at is not None and item.expires_at <= self.now
        return Expect.ABSENT if over else item.version
