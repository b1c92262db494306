"""Updates as Telegram writes them, short."""

import json
from dataclasses import replace
from typing import Any

from tests.contract.platforms.telegram import CREDENTIALS
from threadline.core.message import Ignored, Message, Messages, Parsed
from threadline.core.posting import Credentials
from threadline.platforms.telegram.parse import parse

BOT = {"id": 7000000001, "is_bot": True, "first_name": "Demo", "username": "ThreadlineDemoBot"}
ADA = {"id": 810001, "is_bot": False, "first_name": "Ada"}
PRIVATE = {"id": 810001, "type": "private", "first_name": "Ada"}
GROUP = {"id": -100500, "type": "supergroup", "title": "Workshop"}
NAMELESS = replace(CREDENTIALS, identity_name="")


def message(**fields: Any) -> dict[str, Any]:
    """Give a message of Ada's in a group, changed as told; None takes a field away."""
    whole = {"message_id": 20, "from": ADA, "chat": GROUP, "date": 1_790_000_000, **fields}
    return {name: value for name, value in whole.items() if value is not None}


def parsed(
    kind: str = "message", update: int = 900, bot: Credentials = CREDENTIALS, **fields: Any
) -> Parsed:
    """Parse an update with one message."""
    return parse(json.dumps({"update_id": update, kind: message(**fields)}).encode(), bot)


def taken(**fields: Any) -> Message:
    """Give the one message an update becomes."""
    result = parsed(**fields)
    assert isinstance(result, Messages)
    (only,) = result.messages
    return only


def reason(**fields: Any) -> str:
    """Give the reason for which an update is ignored."""
    result = parsed(**fields)
    assert isinstance(result, Ignored)
    return result.reason


def marked(text: str, part: str, kind: str, **more: Any) -> dict[str, Any]:
    """Give a text whose part is an entity, counted as Telegram counts."""
    before = text[: text.index(part)]
    entity = {
        "type": kind,
        "offset": len(before.encode("utf-16-le")) // 2,
        "length": len(part.encode("utf-16-le")) // 2,
        **more,
    }
    return {"text": text, "entities": [entity]}
