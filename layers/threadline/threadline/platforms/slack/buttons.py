"""Buttons under a question: one for each answer the agent offers.

https://docs.slack.dev/reference/block-kit/block-elements/button-element
"""

import json
import re
from collections.abc import Sequence
from typing import Final

from threadline.core.json import Json
from threadline.core.split import head_of

OPTIONS: Final = "options"
"""The fact of a draft that holds the answers to offer, as a JSON list."""

MOST: Final = 25
LONGEST_LABEL: Final = 75
LONGEST_VALUE: Final = 2000
_BLOCK: Final = re.compile(r"threadline-([A-Za-z0-9]{1,64})")


def attachments(options: str, workspace: str) -> list[Json]:
    """Give the attachments of a post that offers these options; none for none.

    They are an attachment, since blocks beside a text would take its place.
    """
    offered: Sequence[str] = json.loads(options) if options else ()
    if not offered:
        return []
    buttons: list[Json] = [_button(option, number) for number, option in enumerate(offered)]
    block: Json = {
        "type": "actions",
        "block_id": f"threadline-{workspace}",
        "elements": buttons,
    }
    return [{"fallback": head_of(", ".join(offered), 100), "blocks": [block]}]


def offered(options: Sequence[str]) -> str:
    """Write options as a draft's fact, "" where they cannot all be buttons."""
    fit = all(option.strip() and len(option) <= LONGEST_VALUE for option in options)
    return json.dumps(list(options)) if options and fit and len(options) <= MOST else ""


def workspace_of(block_id: str) -> str:
    """Give the workspace a row of our buttons was posted for, "" for anybody else's buttons."""
    found = _BLOCK.fullmatch(block_id)
    return found[1] if found else ""


def _button(option: str, number: int) -> Json:
    label = head_of(option, LONGEST_LABEL)
    return {
        "type": "button",
        "action_id": f"answer-{number}",
        "text": {"type": "plain_text", "text": label, "emoji": False},
        "value": option,
    }
