"""What travels through the queues: mailbox mail, hints and timers."""

from dataclasses import dataclass
from typing import Final, Literal

from threadline.core.agent import StoredFile
from threadline.core.arrived import MAX_BODY as MAX_BODY  # noqa: PLC0414 - others import it from here
from threadline.core.arrived import Arrived as Arrived  # noqa: PLC0414 - as above
from threadline.core.ids import ConversationKey, MailboxKey, TurnId
from threadline.core.message import FileRef
from threadline.core.records import Conversation, Turn

MAX_DELAY: Final = 900
"""Longest delay of a standard queue in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """A followed run is over and its answer is in the ledger; a question since `asked_at`."""

    conversation: ConversationKey
    mailbox: MailboxKey
    turn: TurnId
    outcome: str
    asked: bool = False
    asked_at: float = 0.0
    options: tuple[str, ...] = ()
    kind: Literal["run_ended"] = "run_ended"
    schema: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesReady:
    """The files of a turn are stored, or each says why not."""

    conversation: ConversationKey
    mailbox: MailboxKey
    turn: TurnId
    files: tuple[StoredFile, ...] = ()
    kind: Literal["files_ready"] = "files_ready"
    schema: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Wake:
    """Look at this conversation: something is due.

    `snapshot` with its `version` spares a read where nothing has changed since; a write fenced by
    that version tells.
    """

    conversation: ConversationKey
    mailbox: MailboxKey
    why: str = ""
    snapshot: Conversation | None = None
    version: int = 0
    kind: Literal["wake"] = "wake"
    schema: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Leave nothing of this conversation, or only no waiting message of this sender."""

    conversation: ConversationKey
    mailbox: MailboxKey
    sender: str = ""
    kind: Literal["forget"] = "forget"
    schema: int = 1


type Mail = Arrived | RunEnded | FilesReady | Wake | Forget


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowRun:
    """Hint: follow this run, or fetch this turn's files.

    `turns` names for each file the turn id that its message had from acceptance.
    `observed` is the version at which somebody else's lease was seen a lease length ago.
    """

    conversation: ConversationKey
    mailbox: MailboxKey
    turn: Turn
    topic: str = ""
    files: tuple[FileRef, ...] = ()
    turns: tuple[TurnId, ...] = ()
    observed: int = 0
    job: Literal["follow", "fetch"] = "follow"
    kind: Literal["follow_run"] = "follow_run"
    schema: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushOutbox:
    """Hint: parts wait to be posted at this destination (`keys.destination_key`)."""

    destination: str
    kind: Literal["flush_outbox"] = "flush_outbox"
    schema: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """Do this at `at`: put a Wake into a mailbox, or a hint into runs or outbox."""

    at: float
    mail: Wake | FollowRun | FlushOutbox
    kind: Literal["timer"] = "timer"
    schema: int = 1
