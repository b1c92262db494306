"""Lines of the structured log as steps of a journey: what no table has, the log still tells."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

type Line = Mapping[str, object]
"""A structured line: `at` in epoch seconds, `event`, and the values that were logged with it."""

_IDS: Final = ("message", "conversation", "mailbox", "request")
_OF_THE_LINE: Final = frozenset(
    {
        "at",
        "time",
        "level",
        "event",
        "step",
        "reason",
        "delivery",
        "turn",
        "conversation",
        "request",
    }
)
_NO_STEPS: Final = frozenset({"part", "mail", "turn"})
"""Events that the ledger tells, or that only measure."""


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """Something that happened: a reason code or an event, and what is known beside it."""

    at: float
    what: str
    detail: str = ""
    conversation: str = ""


def step(line: Line) -> Step:
    """Read a line as a step."""
    at = line.get("at")
    what = _text(line, "step") or _text(line, "event")
    if what == "delivery":
        what = _text(line, "reason")
    rest = {name: line[name] for name in line if name not in _OF_THE_LINE and line[name] != ""}
    detail = str(rest.pop("detail", ""))
    if reason := _text(line, "reason"):
        detail = detail or ("" if what == reason else reason)
    facts = " ".join(f"{name}={value}" for name, value in rest.items())
    told = "; ".join(text for text in (detail, facts) if text)
    return Step(
        float(at) if isinstance(at, int | float) else 0.0, what, told, _text(line, "conversation")
    )


def concerns(line: Line, delivery: str, turns: Collection[str]) -> bool:
    """Tell whether a line is about a delivery (or the request it came with) or one of its turns."""
    if line.get("event") in _NO_STEPS:
        return False
    if told := _text(line, "delivery"):
        return told == delivery
    return _text(line, "request") == delivery or _text(line, "turn") in turns


def delivery_named(line: Line, asked: str) -> str:
    """Give the delivery of a line that names what was asked for, else ""."""
    delivery = _text(line, "delivery")
    if asked in {_text(line, name) for name in _IDS} or delivery.endswith(
        (f"-{asked}", f"/{asked}")
    ):
        return delivery
    return ""


def is_of_nobody(line: Line) -> bool:
    """Tell whether a line is about a delivery that was dropped before it had an id."""
    return line.get("event") == "delivery" and not _text(line, "delivery")


def _text(line: Line, name: str) -> str:
    value = line.get(name)
    return value if isinstance(value, str) else ""
