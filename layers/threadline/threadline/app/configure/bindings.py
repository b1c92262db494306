"""Bindings: those of the file, and one for every app that answers without being told more."""

from collections.abc import Iterable

from threadline.app.configure import sessions
from threadline.app.configure.kinds import KINDS, Kind
from threadline.app.configure.shapes import BindingShape, FileShape, PlatformShape
from threadline.app.configure.surroundings import Surroundings
from threadline.core.ids import AgentName, AppName, BindingName, OwnerId, PlatformName
from threadline.core.keys import owner_id
from threadline.core.settings import Allow, Binding, ReplyMode, Trigger


def build(
    file: FileShape, around: Surroundings, apps: Iterable[tuple[str, str]], agent: str
) -> tuple[Binding, ...]:
    """Build every binding; those that name their chats come before those that take the rest.

    `agent` answers where no agent is named; without one an app gets no binding of its own.
    """
    shapes = dict(file.bindings)
    bound = {(shape.platform, shape.app) for shape in shapes.values()}
    for platform, app in apps:
        if agent and KINDS[platform].by_default and (platform, app) not in bound:
            shapes[f"{platform}/{app}"] = BindingShape(platform=platform, app=app, agent=agent)
    built = [_binding(name, shape, file, around, agent) for name, shape in shapes.items()]
    return tuple(sorted(built, key=lambda one: not one.chats))


def _binding(
    name: str, shape: BindingShape, file: FileShape, around: Surroundings, agent: str
) -> Binding:
    kind = KINDS[shape.platform]
    platform = file.platforms.get(shape.platform, PlatformShape())
    return Binding(
        name=BindingName(name),
        platform=PlatformName(shape.platform),
        app=AppName(shape.app),
        agent=AgentName(shape.agent or agent),
        chats=frozenset(shape.repositories or shape.chats),
        owner=owner_id(shape.owner) if shape.owner else OwnerId(""),
        busy=shape.busy or kind.busy,
        reply=shape.reply or reply(kind, around.secrets(shape.platform, shape.app)),
        mention=not kind.fans_out if shape.mention is None else shape.mention,
        mention_name=_mention_name(shape, platform, kind, agent),
        triggers=_triggers(shape),
        allow=_allow(shape, platform, kind),
        sessions=sessions.layers(file, platform, shape, kind),
        user_sessions=sessions.people(platform, shape, kind),
        backlog=file.limits.backlog if shape.backlog is None else shape.backlog,
        rate=file.limits.rate if shape.rate is None else shape.rate,
    )


def reply(kind: Kind, secrets: frozenset[str]) -> ReplyMode:
    """Choose how answers are shown where the binding does not say; without credentials, a log."""
    return kind.replies[0] if can_post(kind, secrets) else ReplyMode.LOG


def can_post(kind: Kind, secrets: frozenset[str]) -> bool:
    """Tell whether an app with these secrets can post at all."""
    return not kind.posts_with or any(secrets.issuperset(some) for some in kind.posts_with)


def _mention_name(shape: BindingShape, platform: PlatformShape, kind: Kind, agent: str) -> str:
    if not kind.fans_out:
        return ""
    app = platform.apps.get(shape.app)
    name = app.identity_name if app else ""
    return shape.mention_login or name or platform.mention_login or shape.agent or agent


def _triggers(shape: BindingShape) -> tuple[Trigger, ...]:
    """Leave to the platform what is not written, down to which events fire at all."""
    return tuple(
        Trigger(
            event=event,
            actions=None if trigger.actions is None else frozenset(trigger.actions),
            require_mention=trigger.require_mention,
            allow_authors=frozenset(author.lower() for author in trigger.allow_authors),
            mention=trigger.mention_login,
        )
        for event, trigger in (shape.triggers or {}).items()
    )


def _allow(shape: BindingShape, platform: PlatformShape, kind: Kind) -> Allow:
    written = platform.allow if shape.allow is None else shape.allow
    if written is not None:
        return Allow(
            everyone=written.everyone,
            members=written.members,
            admitted=written.admitted,
            senders=frozenset(kind.sender.normal(one) for one in written.senders),
            chats=frozenset(written.chats),
            bots=frozenset(kind.sender.normal(one) for one in written.bots),
        )
    default = kind.allow
    chats = frozenset(shape.chats) if kind.chats_admit else frozenset()
    return Allow(default.everyone, default.members, default.admitted, chats=chats)
