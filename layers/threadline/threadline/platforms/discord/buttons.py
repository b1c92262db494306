"""Buttons under a question: one for each answer the agent offers.

https://docs.discord.com/developers/components/reference#button
"""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from threadline.core.json import Json
from threadline.platforms.discord.payload import Fields, number, section, sections, text

OPTIONS: Final = "options"
"""The fact of a draft that holds the answers to offer, as a JSON list."""

MARK: Final = "threadline-answer-"
MOST: Final = 25
IN_A_ROW: Final = 5
LONGEST_LABEL: Final = 80
ROW, BUTTON, GREY = 1, 2, 2


def offered(options: Sequence[str]) -> str:
    """Write options as a draft's fact, "" where they cannot all be buttons.

    A press tells which button it was and what stands on it, so all of an option has to stand there.
    """
    fit = all(option.strip() and len(option) <= LONGEST_LABEL for option in options)
    return json.dumps(list(options)) if options and fit and len(options) <= MOST else ""


def rows(options: str) -> list[Json]:
    """Give the rows of buttons of a post that offers these options; none for none."""
    listed: Sequence[str] = json.loads(options) if options else ()
    buttons: list[Json] = [_button(option, place) for place, option in enumerate(listed)]
    return [
        {"type": ROW, "components": buttons[start : start + IN_A_ROW]}
        for start in range(0, len(buttons), IN_A_ROW)
    ]


def pressed_label(interaction: Fields) -> str:
    """Give what stands on the button of ours that was pressed, "" for anybody else's."""
    pressed = text(section(interaction, "data"), "custom_id")
    if not pressed.startswith(MARK):
        return ""
    for button in _buttons(section(interaction, "message")):
        if text(button, "custom_id") == pressed:
            return text(button, "label").strip()
    return ""


def _buttons(message: Fields) -> Iterator[Fields]:
    for row in sections(message, "components"):
        for one in sections(row, "components"):
            if number(one, "type") == BUTTON:
                yield one


def _button(option: str, place: int) -> Json:
    return {"type": BUTTON, "style": GREY, "label": option, "custom_id": f"{MARK}{place}"}
