"""The card that carries an answer: JSON 2.0, one Markdown element, the same for everybody.

Only 2.0 shows headings, tables, quotes and inline code; clients before 7.20 ask for an update.
https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-structure
"""

import json
from typing import Final

from threadline.core.json import Json, JsonObject

LARGEST: Final = 29_500
"""Bytes of a whole request with a card; Feishu promises to take 30 KB."""
MOST_TABLES: Final = 3
"""Tables in one card: its guide says four, the API refuses a sixth, and some report a fourth."""
_FRAME: Final = 600
"""Bytes of a request around the card's text, generously."""


def card(words: str, element: str, *, plain: bool = False) -> JsonObject:
    """Make the card; `plain` shows the text as it is, which nothing in it can prevent.

    `element` names the text, so that the card is known again in the chat's history.
    """
    shown: JsonObject = {"tag": "markdown", "element_id": element, "content": words}
    if plain:
        said: Json = {"tag": "plain_text", "content": words}
        shown = {"tag": "div", "element_id": element, "text": said}
    return {"schema": "2.0", "config": {"update_multi": True}, "body": {"elements": [shown]}}


def written(card: JsonObject) -> str:
    """Write a card as the `content` of a message."""
    return json.dumps(card, ensure_ascii=False, separators=(",", ":"))


def element_of(nonce: str) -> str:
    """Name the card's element after the post: a letter, then at most 19 letters and digits."""
    return f"t{nonce[:19]}"


def weight(words: str) -> int:
    """Count the bytes that the text takes in a request: JSON within JSON."""
    inside = json.dumps(words, ensure_ascii=False)
    return len(json.dumps(inside, ensure_ascii=False).encode("utf-8", "replace"))


def fits(total: int, tables: int) -> bool:
    """Tell whether texts that weigh so much together, with so many tables, go into one card."""
    return total <= LARGEST - _FRAME and tables <= MOST_TABLES
