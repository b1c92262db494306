"""Slash commands and pressed buttons: messages that come as forms and want an answer at once.

https://docs.slack.dev/interactivity/implementing-slash-commands
https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
"""

import re
from typing import Final

from threadline.core.command import recognise
from threadline.core.ids import MessageId
from threadline.core.message import (
    Ignored,
    Message,
    MessageKind,
    Messages,
    Parsed,
    Sender,
    Trust,
)
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.slack.buttons import workspace_of
from threadline.platforms.slack.events import delivery_id
from threadline.platforms.slack.payload import (
    Fields,
    flag,
    identity,
    moment,
    section,
    sections,
    text,
)
from threadline.platforms.slack.place import SINCE, Place, mailbox
from threadline.platforms.slack.spoken import Bot, visible

SHOW_COMMAND: Final = b'{"response_type":"in_channel"}'
"""The answer to a slash command: Slack shows it above ours, to everybody in the channel."""

NOTHING: Final = b""
_TRIGGER: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")


def commanded(fields: Fields, credentials: Credentials, at: float) -> Parsed:
    """Read a slash command, given at `at`; it stands in no thread and has no post of its own."""
    channel, user = identity(fields, "channel_id"), identity(fields, "user_id")
    trigger = _trigger(fields)
    workspace = identity(fields, "team_id") or identity(fields, "enterprise_id")
    if not (channel and user and trigger and workspace):
        return Ignored(Reason.UNREADABLE)
    said = _said(text(fields, "command"), text(fields, "text"), credentials)
    direct = channel.startswith("D")
    # A command is about the channel; a question begins a conversation that its answer's thread
    # goes on with.
    topic = "" if direct or recognise(said) is not None else f"command-{trigger}"
    message = Message(
        platform=credentials.platform,
        app=credentials.app,
        workspace=workspace,
        chat=channel,
        topic=topic,
        id=MessageId(trigger),
        delivery=delivery_id(credentials, trigger),
        mailbox=mailbox(credentials, workspace, channel, topic),
        order=f"{at:017.6f}",
        sent_at=at,
        sender=Sender(user, text(fields, "user_name") or user, trust=Trust.MEMBER),
        text=said,
        event="slash_command",
        action=text(fields, "command")[:40],
        private=direct,
        addressed=True,
        awaited=True,
        facts={SINCE: f"{at:017.6f}"},
    )
    return Messages((message,), answer=SHOW_COMMAND)


def pressed(fields: Fields, credentials: Credentials) -> Parsed:
    """Read a press on one of our buttons: its value answers the question it stands under."""
    actions = sections(fields, "actions")
    action = actions[0] if actions else {}
    workspace = workspace_of(text(action, "block_id"))
    if not workspace:
        return Ignored(Reason.UNKNOWN_EVENT, "block_actions")
    post, container = section(fields, "message"), section(fields, "container")
    channel = identity(section(fields, "channel"), "id") or identity(container, "channel_id")
    ts = moment(post, "ts") or moment(container, "message_ts")
    user, at = section(fields, "user"), moment(action, "action_ts")
    said = text(action, "value").strip()
    if not (channel and ts and at and identity(user, "id") and said):
        return Ignored(Reason.UNREADABLE)
    thread = moment(post, "thread_ts") or moment(container, "thread_ts")
    place = Place(channel, ts, thread, direct=channel.startswith("D"))
    alone = not place.in_thread and not place.direct
    message = Message(
        platform=credentials.platform,
        app=credentials.app,
        workspace=workspace,
        chat=channel,
        topic=place.topic,
        id=MessageId(f"{ts}.{at}.{identity(user, 'id')}"),
        delivery=delivery_id(credentials, f"{ts}-{at}-{identity(user, 'id')}"),
        mailbox=place.mailbox(credentials, workspace),
        order=at,
        sent_at=float(at),
        sender=_presser(fields, user, workspace),
        text=said,
        kind=MessageKind.PRESS,
        event="block_actions",
        private=place.direct,
        addressed=True,
        replies_to=(MessageId(ts),) if alone else (),
        anchor=ts,
        facts=place.facts,
    )
    return Messages((message,), answer=NOTHING)


def _trigger(fields: Fields) -> str:
    trigger = text(fields, "trigger_id")
    return trigger if _TRIGGER.fullmatch(trigger) else ""


def _said(command: str, argument: str, credentials: Credentials) -> str:
    """Give what a slash command says: `/new`, `/ask /new` and `/ask new` are our command `/new`."""
    name = credentials.identity_name.removeprefix("@")
    argument = visible(argument, Bot(credentials.identity, name)).strip()
    ours = command.lower()
    if recognise(ours) is not None:
        return f"{ours} {argument}".strip()
    if not argument:
        return "/help"
    return f"/{argument}" if recognise(f"/{argument}") and " " not in argument else argument


def _presser(fields: Fields, user: Fields, workspace: str) -> Sender:
    team = identity(user, "team_id")
    organisation = identity(section(fields, "enterprise"), "id")
    in_organisation = flag(fields, "is_enterprise_install") and team == organisation
    ours = team != "" and (team == workspace or in_organisation)
    name = text(user, "username") or text(user, "name") or identity(user, "id")
    return Sender(identity(user, "id"), name, trust=Trust.MEMBER if ours else Trust.NONE)
