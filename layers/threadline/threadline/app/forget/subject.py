"""Who or what is to be forgotten, and what belongs to them."""

from dataclasses import dataclass, field

from threadline.core import keys
from threadline.core.envelope import (
    Arrived,
    FilesReady,
    FlushOutbox,
    FollowRun,
    Forget,
    Mail,
    RunEnded,
    Timer,
    Wake,
)
from threadline.core.ids import ConversationKey, MailboxKey, OwnerId
from threadline.core.message import Message
from threadline.core.records import Conversation


@dataclass(frozen=True, slots=True)
class Person:
    """A sender of a platform; `app` "" means every app of it."""

    platform: str
    id: str
    app: str = ""

    def __str__(self) -> str:
        return f"{self.platform}{f'/{self.app}' if self.app else ''}:{self.id}"

    def speaks_by(self, platform: str, app: str) -> bool:
        """Tell whether the person is one of this platform and app."""
        return platform == self.platform and self.app in {"", app}

    def wrote(self, platform: str, app: str, sender: str) -> bool:
        """Tell whether this sender is the person."""
        return self.speaks_by(platform, app) and sender.casefold() == self.id.casefold()

    @property
    def owner(self) -> OwnerId:
        """The owner of what the person said in private, where no binding names another."""
        return keys.owner_id(f"{self.platform}-{self.id}")


@dataclass(frozen=True, slots=True)
class Place:
    """One conversation by its key."""

    key: ConversationKey

    def __str__(self) -> str:
        return self.key

    @property
    def platform(self) -> str:
        """The platform it is on."""
        return keys.split(self.key)[0]


type Subject = Person | Place


@dataclass(slots=True)
class Traces:
    """What is known of the subject so far: by these names everything else of it is found.

    `whole` are conversations that go as a whole, with their mailbox where they still stand;
    `shared` are those in which the person's messages wait among others'. `chats` are destinations
    in which nobody else is, `mailboxes` those of such chats. `turns` and `deliveries` are the
    subject's own.
    """

    subject: Subject
    whole: dict[ConversationKey, MailboxKey] = field(default_factory=dict)
    shared: dict[ConversationKey, MailboxKey] = field(default_factory=dict)
    chats: set[str] = field(default_factory=set)
    mailboxes: set[str] = field(default_factory=set)
    turns: set[str] = field(default_factory=set)
    deliveries: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if isinstance(self.subject, Place):
            self.whole[self.subject.key] = MailboxKey("")

    def goes(self, conversation: str) -> bool:
        """Tell whether the conversation of this key goes as a whole."""
        return conversation in self.whole

    def is_private(self, conversation: Conversation) -> bool:
        """Tell whether a conversation is the person's alone."""
        where = (conversation.platform, conversation.app)
        return self.wrote(*where, conversation.person) or (
            isinstance(self.subject, Person)
            and self.subject.speaks_by(*where)
            and conversation.owner == self.subject.owner
        )

    def wrote(self, platform: str, app: str, sender: str) -> bool:
        """Tell whether the sender is the person that is meant."""
        return isinstance(self.subject, Person) and self.subject.wrote(platform, app, sender)

    def concerns(self, mail: Mail | FollowRun | FlushOutbox | Timer) -> bool:
        """Tell whether what is in a queue is about the subject."""
        match mail:
            case Arrived():
                return self.said(mail.message)
            case RunEnded() | FilesReady():
                return self.goes(mail.conversation) or mail.turn in self.turns
            case Wake():
                return self.goes(mail.conversation)
            case Forget():
                platform, app, *_ = keys.split(mail.conversation)
                return self.goes(mail.conversation) or self.wrote(platform, app, mail.sender)
            case FollowRun():
                return self.goes(mail.conversation) or mail.turn.id in self.turns
            case FlushOutbox():
                return mail.destination in self.chats
            case Timer():
                return self.concerns(mail.mail)

    def said(self, message: Message) -> bool:
        """Tell whether the subject wrote a message, or it was written in what goes as a whole."""
        if self.wrote(message.platform, message.app, message.sender.id):
            return True
        own = keys.conversation_key(
            message.platform, message.app, message.workspace, message.chat, message.topic
        )
        # Where a message reaches several agents, each one's conversation has the agent in its name.
        return any(key == own or key.startswith(f"{own}:") for key in self.whole)
