"""What an agent asks when it interrupts itself.

Any JSON may stand in an interrupt; these are the shapes that graphs use:
https://docs.langchain.com/oss/python/langgraph/interrupts
"""

import json
from dataclasses import dataclass
from typing import Final

from threadline.agents.shapes import items, mapping, string
from threadline.core.json import Json

_ASKING: Final = ("question", "message", "prompt", "description", "text")
_NAMING: Final = ("label", "title", "value")
LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in words, and the answers it offers."""

    question: str
    options: tuple[str, ...] = ()


def read_interrupts(interrupts: Json) -> Asked | None:
    """Read the interrupts a thread waits with; several become one question without options."""
    asked = [_read(mapping(interrupt).get("value")) for interrupt in items(interrupts)]
    if not asked:
        return None
    if len(asked) == 1:
        return asked[0]
    return Asked("\n\n".join(dict.fromkeys(one.question for one in asked)))


def _read(value: Json) -> Asked:
    if isinstance(value, str):
        return Asked(string(value))
    if parts := items(value):
        return Asked("\n\n".join(_read(part).question for part in parts))
    fields = mapping(value)
    question = next((found for key in _ASKING if (found := string(fields.get(key)))), "")
    if not question and (requests := items(fields.get("action_requests"))):
        return _read(requests)
    if not question:
        question = json.dumps(value, ensure_ascii=False)[:LONGEST]
    return Asked(question, tuple(filter(None, map(_option, items(fields.get("options"))))))


def _option(option: Json) -> str:
    if isinstance(option, str):
        return string(option)
    return next((found for key in _NAMING if (found := string(mapping(option).get(key)))), "")
