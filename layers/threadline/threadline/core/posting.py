"""What goes out: reply (the agent's Markdown) → draft (one postable part) → receipt (proof)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from threadline.core.http import BlobRef
from threadline.core.ids import AppName, PlatformName


class Stage(StrEnum):
    """What becomes of a message, as a platform may show it by a reaction or typing mark."""

    ACCEPTED = "accepted"
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"


class Tone(StrEnum):
    """What a reply is: the agent's words, its question, our own notice, or work in progress."""

    ANSWER = "answer"
    QUESTION = "question"
    NOTICE = "notice"
    PROGRESS = "progress"


@dataclass(frozen=True, slots=True)
class Reply:
    """Markdown to be posted; `PROGRESS` replies must fit one draft (the head is shown).

    `options` are the answers that a question offers; the text names them, too, and a platform that
    has buttons may offer them as such.
    """

    markdown: str
    tone: Tone = Tone.ANSWER
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """One postable part within the platform's limits; `facts` are the platform's own.

    `at` is set when it is posted or edited: epoch seconds, the same for every repeat of one part.
    """

    text: str
    facts: Mapping[str, str] = field(default_factory=dict)
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class FileDraft:
    """A file to be posted as a message of its own; `name` is shown to people, `at` as a draft's."""

    name: str
    blob: BlobRef
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Destination:
    """Where an answer goes; `anchor` is the message it replies to ("" for none).

    `only` is the one person who is to see it; a platform that cannot do that shows it to all.
    """

    platform: PlatformName
    app: AppName
    workspace: str
    chat: str
    anchor: str = ""
    private: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)
    only: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof that a part stands in the chat: the platform's id of it."""

    id: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a platform needs to act for one app; secrets by name, never shown.

    `identity` and `identity_name` are the bot's own account, so that its posts are recognised
    without a look-up. `base_url` is a configured API address, admitted exactly as written.
    `options` are what the configuration says of the app beyond that, such as its domain.
    """

    platform: PlatformName
    app: AppName
    identity: str = ""
    identity_name: str = ""
    base_url: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Mapping[str, str] = field(default_factory=dict)

    def secret(self, name: str) -> str:
        """Give one secret, or "" where it is not set: callers fail closed on that."""
        return self.secrets.get(name, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """A platform's limits as data; times in seconds, sizes in bytes.

    `max_text` counts in `text_unit`. `edit_interval` is the shortest time between two edits in
    one chat, `group_edit_interval` the same where others read along. `placeholder`: a first sign
    of life is posted and grows into the answer. `shows_queue`: a waiting message shows that it
    waits. `dedupes_posts`: the nonce makes a repeated post harmless, for `dedupe_window` seconds
    where that is not 0. `follows_threads`: who writes on in a thread that was answered in needs no
    mention. `reply_window` 0 means none.
    `mark_again_after`: when a running turn's mark has to be shown again, 0 where it stays.
    """

    max_text: int
    text_unit: Literal["utf16", "utf8", "json", "chars"]
    edit_interval: float = 1.0
    group_edit_interval: float = 1.0
    ack_deadline: float = 10.0
    reply_window: float = 0.0
    mark_again_after: float = 0.0
    max_delivery: int = 1_000_000
    max_file: int = 20_000_000
    max_upload: int = 0
    placeholder: bool = False
    shows_queue: bool = False
    dedupes_posts: bool = False
    dedupe_window: float = 0.0
    follows_threads: bool = False
    api_hosts: frozenset[str] = frozenset()
    file_hosts: frozenset[str] = frozenset()
