"""The stored items as values. Each kind has one writer role, named in its docstring."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from threadline.core.agent import StoredFile
from threadline.core.ids import (
    AgentName,
    BindingName,
    ConversationKey,
    DeliveryId,
    MailboxKey,
    MessageId,
    OwnerId,
    RunId,
    ThreadId,
    TurnId,
)
from threadline.core.message import Message
from threadline.core.posting import Destination, Draft, Receipt, Stage
from threadline.core.settings import ReplyMode
from threadline.core.turn import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Message → run → replies: everything about it that does not change once the run exists.

    `waits` are the sort keys of the backlog items it answers. `lost`: the answer of a create
    call was, which may have taken effect. `tries` counts create calls. `observed` is the
    version at which the follower's item was last seen. Times are epoch seconds.
    """

    id: TurnId
    binding: BindingName
    agent: AgentName
    owner: OwnerId
    thread: ThreadId
    sender: str
    destination: Destination
    reply: ReplyMode
    waits: tuple[str, ...]
    deliveries: tuple[str, ...]
    accepted_at: float
    limit_at: float
    run: RunId = RunId("")
    assistant: str = ""
    new_thread: bool = False
    answers: bool = False
    lost: bool = False
    stopped: bool = False
    tries: int = 0
    first_try_at: float = 0.0
    told: bool = False
    queued_part: str = ""
    foreign: RunId = RunId("")
    observed: int = 0
    files: tuple[StoredFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What the agent asked; only `sender` (of `owner`) may answer, after `asked_at`."""

    turn: TurnId
    owner: OwnerId
    sender: str
    asked_at: float
    thread: ThreadId
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The turn state of a conversation, at most 4 KB. Writer: dispatch.

    `due` is the state's own time, `held_due` that of the first held edit; the item's is the nearer.
    `person` is the sender of a private chat, "" in a group.
    """

    key: ConversationKey
    mailbox: MailboxKey
    platform: str
    app: str
    workspace: str
    chat: str
    topic: str
    state: State = State.IDLE
    epoch: str = ""
    owner: OwnerId = OwnerId("")
    thread: ThreadId = ThreadId("")
    thread_known: bool = False
    turn: Turn | None = None
    question: Question | None = None
    waiting: int = 0
    held: int = 0
    held_due: float = 0.0
    due: float = 0.0
    next_wait: int = 1
    recent: tuple[float, ...] = ()
    capped_told: bool = False
    hops: int = 0
    why: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Says that a conversation of this key was forgotten, under a digest of it. Writer: dispatch.

    What was on its way for the former one finds out that it may not write.
    """

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A message not yet answered by a run. Writer: dispatch.

    `turn` is its turn id from acceptance; `hold_until` is set on an edit whose original is missing.
    `prompt` and `thread` are what the platform prescribes for this binding. A long text rests in
    `blob` and the message's own text is then empty.
    """

    message: Message
    binding: BindingName
    owner: OwnerId
    turn: TurnId
    identity: str
    accepted_at: float
    hold_until: float = 0.0
    queued_part: str = ""
    edited: bool = False
    prompt: str = ""
    thread: ThreadId = ThreadId("")
    blob: str = ""


class Fate(StrEnum):
    """What became of a message identity."""

    TAKEN = "taken"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The dedupe row of a message identity; `digest` tells its text. Writer: dispatch.

    By its `sender` everything that came of the message is found when somebody is to be forgotten.
    """

    identity: str
    delivery: DeliveryId
    conversation: ConversationKey
    turn: TurnId
    fate: Fate = Fate.TAKEN
    reason: str = ""
    digest: str = ""
    sender: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRow:
    """One step of a delivery's journey, append-only. Writer: whoever takes the step."""

    delivery: DeliveryId
    at: float
    step: str
    detail: str = ""
    conversation: str = ""
    turn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What following a run needs to outlive its follower. Writer: the lease holder.

    `visible` is the text last shown, `message` the one it is of, `broken` where something of it was
    lost; `cursor` resumes the stream after it. `lease` counts holders; `lease_end` is the holder's
    own clock. `answered`: the final parts are planned.
    """

    turn: TurnId
    conversation: ConversationKey
    run: RunId
    lease: int = 0
    holder: str = ""
    lease_end: float = 0.0
    cursor: str = ""
    visible: str = ""
    message: str = ""
    broken: bool = False
    shown: str = ""
    placeholder: Receipt | None = None
    edits: int = 0
    answered: bool = False
    ended: bool = False
    outcome: str = ""
    asked: bool = False
    asked_at: float = 0.0
    options: tuple[str, ...] = ()


class PartState(StrEnum):
    """Where a part stands. `PLANNED` and `SENDING` are open, the others settled."""

    PLANNED = "planned"
    SENDING = "sending"
    SENT = "sent"
    UNKNOWN = "unknown"
    FAILED = "failed"


type PartAction = Literal["post", "edit", "signal", "upload"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of what is said, in the ledger. Writer: whoever moved it to sending.

    `id` is deterministic (turn and number), so a repeat is the same part. `target` is the post an
    edit changes. `order` is the time of planning, `moved_at` of the last change of state. `holder`
    posts it until `moved_at` is a minute old. `alias` names the topic its post belongs to. `over`
    is the part whose post this one takes the place of, where that one stands. After `lapses`, where
    that is not 0, it is not worth posting.
    """

    id: str
    turn: TurnId
    number: int
    conversation: ConversationKey
    destination: Destination
    action: PartAction
    draft: Draft
    order: float
    state: PartState = PartState.PLANNED
    target: Receipt | None = None
    receipt: Receipt | None = None
    stage: Stage | None = None
    delivery: DeliveryId = DeliveryId("")
    tries: int = 0
    not_before: float = 0.0
    window_ends: float = 0.0
    moved_at: float = 0.0
    holder: str = ""
    reason: str = ""
    alias: str = ""
    mailbox: MailboxKey = MailboxKey("")
    over: str = ""
    lapses: float = 0.0


@dataclass(frozen=True, slots=True)
class Cooling:
    """A destination that answered 429: no post before `until`. Writer: whoever met the 429."""

    destination: str
    until: float


@dataclass(frozen=True, slots=True)
class Admitted:
    """A person let in by a code. Writer: dispatch."""

    platform: str
    app: str
    sender: str
    name: str
    at: float


@dataclass(frozen=True, slots=True)
class AdmitCode:
    """A one-time code that lets its sender in; `digest` is SHA-256, the code itself rests nowhere.

    Writer: the command that printed it, then dispatch.
    """

    digest: str
    platform: str
    app: str
    expires_at: float
    used_by: str = ""


@dataclass(frozen=True, slots=True)
class Alias:
    """Which conversation a platform's message belongs to. Written once, by whoever knew first."""

    message: MessageId
    conversation: ConversationKey
    mailbox: MailboxKey
    topic: str


@dataclass(frozen=True, slots=True)
class Claim:
    """Whose a thread of prescribed id is; claimed before the thread is made. Writer: dispatch."""

    thread: ThreadId
    owner: OwnerId
    conversation: ConversationKey


@dataclass(frozen=True, slots=True)
class Facts:
    """Free text pairs of an audit row. Writer: the operator's command."""

    action: str
    at: float
    by: str
    values: Mapping[str, str] = field(default_factory=dict)
