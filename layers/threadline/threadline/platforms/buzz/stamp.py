"""A recorded delivery, as it would come for this bot now.

Nobody but its author can sign a message, so a delivery that was made anew carries no signature: the
session asks for one, and a stamped delivery never goes through it.
"""

import hashlib
import json
from dataclasses import replace
from typing import Any, Final

from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.buzz.parse import own_key

BOT: Final = "bot"
"""Whom a recorded delivery came to: a public key."""


def stamp(request: Webhook, credentials: Credentials, now: float, fresh: int) -> Webhook:
    """Address the delivery to this bot; `fresh` above 0 first names and dates its event anew."""
    try:
        delivery = json.loads(request.body)
        delivery["event"] |= {"id": delivery["event"]["id"], "tags": delivery["event"]["tags"]}
    except (ValueError, RecursionError, TypeError, KeyError):
        return request
    event, bot, us = delivery["event"], delivery.get(BOT), own_key(credentials)
    if isinstance(bot, str) and bot and us:
        event["tags"] = [_instead(tag, bot, us) for tag in event["tags"]]
        event["pubkey"] = us if event.get("pubkey") == bot else event.get("pubkey")
        delivery[BOT] = us
    if fresh > 0:
        identity = hashlib.sha256(f"{event['id']}#{fresh}".encode("utf-8", "replace")).hexdigest()
        event |= {"id": identity, "created_at": int(now)}
        event.pop("sig", None)
    return replace(
        request, body=json.dumps(delivery, ensure_ascii=False).encode("utf-8", "replace")
    )


def _instead(tag: Any, bot: str, us: str) -> Any:
    return ["p", us, *tag[2:]] if isinstance(tag, list) and tag[:2] == ["p", bot] else tag
