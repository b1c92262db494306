"""Conversations with the Web API: post, edit, react, ask who we are.

https://docs.slack.dev/reference/methods/chat.postMessage
https://docs.slack.dev/reference/methods/chat.update
https://docs.slack.dev/reference/methods/reactions.add
"""

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

from threadline.core.errors import PlatformUnavailable, PostError, PostUnknown
from threadline.core.http import Flow, HttpRequest, Lost, ask
from threadline.core.json import Json, JsonObject
from threadline.core.policy import redact
from threadline.core.posting import Credentials, Destination, Draft, Receipt, Stage
from threadline.platforms.slack import refusal
from threadline.platforms.slack.buttons import OPTIONS, attachments
from threadline.platforms.slack.payload import identity, moment, text
from threadline.platforms.slack.place import THREAD
from threadline.platforms.slack.refusal import Answer, Refused

HOST: Final = "slack.com"
MARK: Final = "threadline_part"
"""The event type under which a post of ours carries its nonce as metadata."""

SIGNS: Final = MappingProxyType(
    {
        Stage.ACCEPTED: "eyes",
        Stage.QUEUED: "eyes",
        Stage.RUNNING: "eyes",
        Stage.DONE: "white_check_mark",
        Stage.FAILED: "x",
        Stage.REFUSED: "no_entry_sign",
    }
)
_NONCE: Final = re.compile(r"[0-9a-f]{32}")
# Everything that is to be a link or a mention is written as one: Slack shall find nothing more.
_AS_WRITTEN: Final[Mapping[str, Json]] = MappingProxyType({"parse": "none", "link_names": False})


def post(draft: Draft, to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt]:
    """Post into the destination's thread, or its channel where there is none. Raises PostError.

    The nonce goes along twice: as metadata, by which a lost post is found again, and as
    `client_msg_id`, under which Slack may recognise a repetition but does not promise to.
    """
    body: dict[str, Json] = {"channel": to.chat, "text": draft.text, **_AS_WRITTEN}
    if thread := to.facts.get(THREAD):
        body["thread_ts"] = thread
    if to.only:
        return (yield from _whisper(body, to, credentials))
    body |= {"unfurl_links": False, "unfurl_media": False}
    if buttons := attachments(draft.facts.get(OPTIONS, ""), to.workspace):
        body["attachments"] = buttons
    if _NONCE.fullmatch(nonce):
        body["metadata"] = {"event_type": MARK, "event_payload": {"nonce": nonce}}
        body["client_msg_id"] = str(uuid.UUID(nonce))
    answer = yield from call("chat.postMessage", body, credentials)
    if isinstance(answer, Refused | Lost):
        raise failure("chat.postMessage", answer, credentials)
    ts = moment(answer, "ts")
    if not ts:
        raise PostUnknown("Slack answered chat.postMessage without a ts")
    return Receipt(ts, {"channel": identity(answer, "channel") or to.chat})


def _whisper(body: JsonObject, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Say it to one person, who sees it where they are and for as long as they stay.

    https://docs.slack.dev/reference/methods/chat.postEphemeral
    """
    answer = yield from call("chat.postEphemeral", {**body, "user": to.only}, credentials)
    if isinstance(answer, Refused | Lost):
        raise failure("chat.postEphemeral", answer, credentials)
    return Receipt(moment(answer, "message_ts"))


def edit(draft: Draft, posted: Receipt, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Replace a post's text and buttons; its metadata stays. Raises PostError.

    An edit may come again, but not by itself: a later text may have taken its place.
    """
    body: JsonObject = {
        "channel": posted.facts.get("channel", to.chat),
        "ts": posted.id,
        "text": draft.text,
        "attachments": attachments(draft.facts.get(OPTIONS, ""), to.workspace),
        **_AS_WRITTEN,
    }
    answer = yield from call("chat.update", body, credentials)
    if isinstance(answer, Refused | Lost):
        raise failure("chat.update", answer, credentials, repeatable=True)
    return posted


def signal(stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
    """React to the message that is answered; one that has the reaction already is fine."""
    if stage not in SIGNS or not to.anchor:
        return
    body: JsonObject = {"channel": to.chat, "timestamp": to.anchor, "name": SIGNS[stage]}
    answer = yield from call("reactions.add", body, credentials, repeatable=True)
    if isinstance(answer, Refused) and answer.word == "already_reacted":
        return
    if isinstance(answer, Refused | Lost):
        raise failure("reactions.add", answer, credentials, repeatable=True)


def identify(credentials: Credentials) -> Flow[Credentials]:
    """Ask for the app's own user and give the credentials with it. Raises PostError."""
    answer = yield from call("auth.test", {}, credentials, repeatable=True)
    if isinstance(answer, Refused | Lost):
        raise failure("auth.test", answer, credentials, repeatable=True)
    user = identity(answer, "user_id")
    if not user:
        raise PlatformUnavailable("Slack answered auth.test without a user")
    return replace(credentials, identity=user, identity_name=text(answer, "user") or user)


def call(
    method: str, body: JsonObject, credentials: Credentials, *, repeatable: bool = False
) -> Flow[Answer]:
    """Call a method that takes JSON."""
    return _called(
        method, json.dumps(body).encode(), "application/json; charset=utf-8", credentials,
        repeatable=repeatable,
    )  # fmt: skip


def look(method: str, arguments: Mapping[str, str], credentials: Credentials) -> Flow[Answer]:
    """Call a method that takes a form and changes nothing."""
    return _called(
        method, urlencode(arguments).encode(), "application/x-www-form-urlencoded", credentials,
        repeatable=True,
    )  # fmt: skip


def _called(
    method: str, body: bytes, content_type: str, credentials: Credentials, *, repeatable: bool
) -> Flow[Answer]:
    asked = request(method, credentials, body, content_type, repeatable=repeatable)
    return refusal.read((yield from ask(asked)))


def request(
    method: str,
    credentials: Credentials,
    body: bytes = b"",
    content_type: str = "application/x-www-form-urlencoded",
    *,
    repeatable: bool = True,
    token: str = "bot_token",  # noqa: S107 - the secret's name
) -> HttpRequest:
    """Make the request of a method, by default one without arguments that changes nothing."""
    root = credentials.base_url.rstrip("/") or f"https://{HOST}"
    return HttpRequest(
        method="POST",
        url=f"{root}/api/{method}",
        label=f"slack {method}",
        headers={"content-type": content_type, **authorization(credentials, token)},
        body=body,
        repeatable=repeatable,
    )


def authorization(credentials: Credentials, token: str = "bot_token") -> Mapping[str, str]:  # noqa: S107 - the secret's name
    """Give the header that says who asks."""
    return {"authorization": f"Bearer {credentials.secret(token)}"}


def failure(
    method: str, problem: Refused | Lost, credentials: Credentials, *, repeatable: bool = False
) -> PostError:
    """Give the error for a refusal, without any secret that was echoed in it."""
    error = refusal.error(method, problem, repeatable=repeatable)
    error.args = (redact(str(error), credentials.secrets.values()),)
    return error
