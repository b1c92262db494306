"""What Slack posts to us, whatever it is: events, slash commands and buttons on one address.

https://docs.slack.dev/apis/events-api, https://docs.slack.dev/interactivity/handling-user-interaction
"""

import json
from typing import Final
from urllib.parse import parse_qsl

from threadline.core.message import Handshake, Ignored, Parsed, Webhook
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.slack.events import received
from threadline.platforms.slack.interaction import commanded, pressed
from threadline.platforms.slack.payload import Fields, decode, text, whole
from threadline.platforms.slack.verify import TIME, signed_at

FORM: Final = "application/x-www-form-urlencoded"


def parse(request: Webhook, credentials: Credentials, now: float) -> Parsed:
    """Read one request, and take a repetition like the first: it may be the only one kept.

    Never raises.
    """
    fields = _fields(request)
    if fields is None:
        return Ignored(Reason.UNREADABLE)
    match text(fields, "type"):
        case "event_callback":
            return received(fields, credentials)
        case "url_verification":
            return _challenged(fields)
        case "block_actions":
            return pressed(fields, credentials)
        case "" if "command" in fields:
            return commanded(fields, credentials, signed_at(request.headers.get(TIME, "")) or now)
        case "" if "ssl_check" in fields:
            return Ignored(Reason.UNKNOWN_EVENT, "ssl_check")
        case "":
            return Ignored(Reason.UNREADABLE)
        case kind:
            return Ignored(Reason.UNKNOWN_EVENT, kind[:40])


def _fields(request: Webhook) -> Fields | None:
    """Decode the body: JSON, or a form that holds JSON (buttons) or plain fields (commands)."""
    if not request.headers.get("content-type", "").lower().startswith(FORM):
        return decode(request.body)
    try:
        form = dict(parse_qsl(request.body.decode(), keep_blank_values=True))
    except ValueError:
        return None
    return decode(form["payload"].encode()) if "payload" in form else form


def _challenged(fields: Fields) -> Parsed:
    challenge = whole(text(fields, "challenge"))
    if not challenge:
        return Ignored(Reason.UNREADABLE)
    return Handshake(json.dumps({"challenge": challenge}).encode())
