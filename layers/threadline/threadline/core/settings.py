"""The configuration as the running code sees it: compiled, complete, without secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from threadline.core.apps import AppSettings as AppSettings  # noqa: PLC0414 - found here too
from threadline.core.ids import AgentName, AppName, BindingName, OwnerId, PlatformName
from threadline.core.json import JsonObject


class Busy(StrEnum):
    """What becomes of a message that arrives while a turn is under way."""

    QUEUE = "queue"
    COLLECT = "collect"
    INTERRUPT = "interrupt"
    REJECT = "reject"


class ReplyMode(StrEnum):
    """`CHAT`: a first sign of life that grows. `COMMENT`: one post at the end. `LOG`: nothing."""

    CHAT = "chat"
    COMMENT = "comment"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Allow:
    """Who may talk. `everyone` and `members` (of the installation) beside lists of ids.

    `admitted`: people let in by a code are allowed too. An `Allow()` admits nobody.
    """

    everyone: bool = False
    members: bool = False
    admitted: bool = False
    senders: frozenset[str] = frozenset()
    chats: frozenset[str] = frozenset()
    bots: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Trigger:
    """When an event of a platform that fans out fires a binding.

    `actions` and `require_mention` None leave the choice to the platform's defaults; no actions
    at all fire nothing.
    """

    event: str
    actions: frozenset[str] | None = None
    require_mention: bool | None = None
    allow_authors: frozenset[str] = frozenset()
    mention: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """Run parameters of one layer; later layers win."""

    assistant: str = ""
    config: JsonObject = field(default_factory=dict)
    context: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Which agent answers where.

    `chats` empty means every chat of the app; patterns are literal ids or, on GitHub, repositories.
    `sessions` are the layers default, platform, binding in that order; `user_sessions` by sender id
    come last. `owner` names one owner for all; "" derives it from the sender or group.
    """

    name: BindingName
    platform: PlatformName
    app: AppName
    agent: AgentName
    chats: frozenset[str] = frozenset()
    owner: OwnerId = OwnerId("")
    busy: Busy = Busy.QUEUE
    reply: ReplyMode = ReplyMode.CHAT
    mention: bool = True
    mention_name: str = ""
    triggers: tuple[Trigger, ...] = ()
    allow: Allow = Allow()
    sessions: tuple[Session, ...] = ()
    user_sessions: Mapping[str, Session] = field(default_factory=dict)
    backlog: int = 20
    rate: int = 0
    paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """One agent: `dialect` names the codec, `assistant` "" takes the agent's only one.

    Times in seconds. `webhook`: ask the agent to call `/agents/{agent}/ended` back.
    `event_streaming`: runs tell their text as events, in a quarter of the bytes.
    """

    name: AgentName
    dialect: str
    url: str
    assistant: str = ""
    webhook: bool = False
    event_streaming: bool = False
    time_limit: float = 3600.0
    give_up: float = 3600.0
    image_limit: int = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything compiled; `version` changes with the content, `namespace` never.

    `namespace` is the installation's random UUID from which agent thread ids are derived.
    """

    version: str
    namespace: str
    language: str = "en"
    public_url: str = ""
    stage: str = "dev"
    agents: Mapping[str, AgentSettings] = field(default_factory=dict)
    apps: tuple[AppSettings, ...] = ()
    bindings: tuple[Binding, ...] = ()

    def app(self, platform: str, app: str) -> AppSettings | None:
        """Find an app's settings, or None where the configuration does not name it."""
        for candidate in self.apps:
            if candidate.platform == platform and candidate.app == app:
                return candidate
        return None

    def binding(self, name: str) -> Binding | None:
        """Find a binding by name."""
        for candidate in self.bindings:
            if candidate.name == name:
                return candidate
        return None
