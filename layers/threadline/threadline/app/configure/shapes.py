"""The shape of `threadline.yaml`: what may be written where. Editors get it as JSON Schema.

A field's description is its documentation: faults and the schema show it.
"""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, StringConstraints
from pydantic_core import PydanticCustomError

from threadline.app.configure.kinds import USUAL_DIALECT, Dialect
from threadline.app.configure.values import (
    STAGE,
    Address,
    AnyAddress,
    Backlog,
    Config,
    Id,
    ImageLimit,
    Login,
    Name,
    PlatformKey,
    Rate,
    Seconds,
    Section,
)
from threadline.core.settings import Busy, ReplyMode

ALLOW_WORDS: Final = ("everyone", "members", "admitted", "nobody")
AllowWord = Literal["everyone", "members", "admitted", "nobody"]


def _allow(value: object) -> object:
    """Read the one-word forms of an allow list; an empty one is a fault, never a default."""
    if value == "nobody":
        return {}
    if isinstance(value, str) and value in ALLOW_WORDS:
        return {value: True}
    if isinstance(value, dict):
        return value
    words = ", ".join(ALLOW_WORDS)
    raise PydanticCustomError(
        "allow", "admits nobody, since it cannot be read; write one of {words}, or `senders: [id]`",
        {"words": words},
    )  # fmt: skip


class Shape(BaseModel):
    """A section: its keys are known, and values are taken as they are written."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SessionShape(Shape):
    """Run parameters; a later layer wins key by key."""

    assistant_id: str = Field(
        default="", min_length=1, description="assistant (graph) that answers"
    )
    config: Config = Field(
        default_factory=dict, description="`config` of the run, such as recursion_limit"
    )
    context: Section[dict[str, JsonValue]] = Field(
        default_factory=dict, description="`context` of the run"
    )


class UsersSessionShape(SessionShape):
    """Run parameters, and further ones for single people."""

    users: Section[dict[str, Section[SessionShape]]] = Field(
        default_factory=dict, description="layers by sender id"
    )


class AllowShape(Shape):
    """Who may talk; what is not written is not allowed."""

    everyone: bool = Field(default=False, description="anybody at all")
    members: bool = Field(default=False, description="members of the workspace or repository")
    admitted: bool = Field(default=False, description="people let in by a `/start` code")
    senders: list[Id] = Field(default_factory=list, description="people by the platform's id")
    chats: list[Id] = Field(
        default_factory=list, description="everybody in these chats or repositories"
    )
    bots: list[Id] = Field(
        default_factory=list, description="automatic accounts by the platform's id"
    )


AllowList = Annotated[
    AllowShape | None, BeforeValidator(_allow, json_schema_input_type=AllowShape | AllowWord)
]


class AgentShape(Shape):
    """One agent that speaks the LangGraph API."""

    url: Address = Field(description="its address, such as http://127.0.0.1:2024")
    dialect: Dialect = Field(default=USUAL_DIALECT, description="how its API differs")
    assistant_id: str = Field(default="", min_length=1, description="needed where it has several")
    webhook: bool = Field(default=False, description="ask it to call back at a run's end")
    event_streaming: bool = Field(default=False, description="let runs tell their text as events")
    time_limit: Seconds | None = Field(default=None, description="longest run in seconds")
    give_up: Seconds | None = Field(
        default=None, description="seconds to keep trying while it is down"
    )
    image_limit: ImageLimit | None = Field(
        default=None, description="bytes of images sent inside a message"
    )


class AppShape(Shape):
    """One app (bot) of a platform; its secrets are kept elsewhere."""

    enabled: bool = Field(default=True, description="switch this app off")
    identity: Id = Field(default="", description="the bot's own account id")
    identity_name: Login = Field(default="", description="the bot's own user name")
    base_url: AnyAddress = Field(
        default="",
        description="another address of the platform's API, in dev only; on Buzz the relay's",
    )
    transport: str = Field(
        default="",
        description="webhook, or polling or long_connection, where the platform has a choice",
    )
    options: Section[dict[str, str]] = Field(
        default_factory=dict, description="further choices, such as `domain: lark`"
    )


class PlatformShape(Shape):
    """A platform; it is on when its secrets are there."""

    enabled: bool | None = Field(default=None, description="switch the platform off")
    allow: AllowList = Field(
        default=None, description="who may talk where no binding says otherwise"
    )
    session: Section[UsersSessionShape] = Field(
        default_factory=UsersSessionShape, description="run parameters"
    )
    mention_login: Login = Field(default="", description="name to mention where no binding has one")
    apps: Section[dict[Name, Section[AppShape]]] = Field(
        default_factory=dict, description="apps by name"
    )


class TriggerShape(Shape):
    """When an event fires; what is not written is the platform's default."""

    actions: list[str] | None = Field(default=None, description="actions that fire")
    require_mention: bool | None = Field(
        default=None, description="only where the bot is mentioned"
    )
    allow_authors: list[Login] = Field(
        default_factory=list, description="logins that need no mention"
    )
    mention_login: Login = Field(default="", description="name to mention for this event")


class BindingShape(Shape):
    """Which agent answers where."""

    platform: PlatformKey = Field(description="the platform it is on")
    app: Name = Field(default="default", description="the app it is for")
    agent: str = Field(default="", description="the agent that answers; the only one if left out")
    chats: list[Id] = Field(
        default_factory=list, min_length=1, description="chat ids; every other chat if left out"
    )
    repositories: list[str] = Field(
        default_factory=list, min_length=1, description="`owner/name`, on GitHub"
    )
    owner: str = Field(default="", min_length=1, description="one owner for all that is said here")
    busy: Busy | None = Field(
        default=None, strict=False, description="what becomes of a second message"
    )
    reply: ReplyMode | None = Field(
        default=None, strict=False, description="how the answer is shown"
    )
    mention: bool | None = Field(default=None, description="answer only when mentioned, in groups")
    mention_login: Login = Field(default="", description="name to mention, on GitHub")
    triggers: dict[str, Section[TriggerShape]] | None = Field(
        default=None, description="events that fire, on GitHub"
    )
    allow: AllowList = Field(default=None, description="who may talk here")
    session: Section[UsersSessionShape] = Field(
        default_factory=UsersSessionShape, description="run parameters"
    )
    backlog: Backlog | None = Field(default=None, description="messages that may wait")
    rate: Rate | None = Field(default=None, description="messages a minute; 0 is no cap")


class LimitsShape(Shape):
    """Limits where no agent or binding has its own."""

    backlog: Backlog = Field(default=20, description="messages that may wait in a conversation")
    rate: Rate = Field(default=0, description="messages a minute in a conversation; 0 is no cap")
    time_limit: Seconds = Field(default=3600.0, description="longest run in seconds")
    give_up: Seconds = Field(
        default=3600.0, description="seconds to keep trying while an agent is down"
    )
    image_limit: ImageLimit = Field(
        default=5_000_000, description="bytes of images inside a message"
    )


class FileShape(Shape):
    """The whole of `threadline.yaml`."""

    stage: Annotated[str, StringConstraints(pattern=STAGE)] = Field(
        default="dev", description="dev or other"
    )
    language: Literal["en", "zh"] = Field(
        default="en", description="of our own sentences in a chat"
    )
    public_url: Address = Field(default="", description="where platforms reach this installation")
    limits: Section[LimitsShape] = Field(default_factory=LimitsShape, description="limits of all")
    session: Section[SessionShape] = Field(
        default_factory=SessionShape, description="run parameters of all"
    )
    agents: Section[dict[Name, AgentShape]] = Field(
        default_factory=dict, description="agents by name"
    )
    platforms: Section[dict[str, Section[PlatformShape]]] = Field(
        default_factory=dict, description="by name"
    )
    bindings: Section[dict[Name, BindingShape]] = Field(
        default_factory=dict, description="bindings by name"
    )
