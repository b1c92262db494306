"""What an agent asks when it interrupts itself.

Any JSON may stand in an interrupt; these are the shapes that graphs use:
https://docs.langchain.com/oss/python/langgraph/interrupts
"""

import json
from dataclasses import dataclass
from typing import Final

from threadline.agents.messages import text_of
from threadline.agents.shapes import items, mapping, string
from threadline.core.json import Json

_ASKING: Final = ("question", "message", "prompt", "description", "text", "content")
_NAMING: Final = ("label", "title", "value")
LONGEST: Final = 2000
DEEPEST: Final = 4
"""How deep questions may lie in one another to be read as such."""


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


def _read(value: Json, depth: int = 0) -> Asked:
    if isinstance(value, str) or _is_content(value):
        return Asked(_words(value))
    deeper = depth + 1
    if deeper < DEEPEST and (parts := items(value)):
        return Asked("\n\n".join([_read(part, deeper).question for part in parts]))
    fields = mapping(value)
    question = next((found for key in _ASKING if (found := _words(fields.get(key)))), "")
    if not question and deeper < DEEPEST and (requests := items(fields.get("action_requests"))):
        return _read(requests, deeper)
    if not question:
        question = json.dumps(value, ensure_ascii=False)[:LONGEST]
    return Asked(question, tuple(filter(None, map(_option, items(fields.get("options"))))))


def _words(value: Json) -> str:
    """Give a text, or what is text in a model's content; "" for anything else."""
    return text_of(value) if isinstance(value, str) or _is_content(value) else ""


def _is_content(value: Json) -> bool:
    """Tell whether something is what a message keeps of a model that also thinks or calls tools."""
    kinds = [mapping(part).get("type") for part in items(value)]
    return "text" in kinds and None not in kinds


def _option(option: Json) -> str:
    if isinstance(option, str):
        return string(option)
    return next((found for key in _NAMING if (found := string(mapping(option).get(key)))), "")
