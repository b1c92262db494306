"""Where a delivery's journey stands: under way, ended well, or ended in a fault."""

from typing import Final

from threadline.app.explain import Journey
from threadline.core.reasons import Reason
from threadline.core.records import PartState

_UNDER_WAY: Final = frozenset(
    {
        Reason.ACCEPTED,
        Reason.KEPT_ASIDE,
        Reason.QUEUED,
        Reason.EDIT_HELD,
        Reason.FORWARDED,
        Reason.QUESTION_WAITS,
        Reason.FETCHING,
        Reason.STARTING,
        Reason.RUN_CREATED,
        Reason.RUN_ADOPTED,
        Reason.BLOCKED,
        Reason.AGENT_DOWN,
        Reason.THREAD_VANISHED,
        Reason.RUN_UNWATCHED,
        Reason.TWIN_CANCELLED,
        Reason.PLACEHOLDER,
        Reason.FIRST_TEXT,
        Reason.PLANNED,
        Reason.POSTED,
        Reason.EDITED,
        Reason.COOLING,
        Reason.HIDDEN_CONTEXT,
    }
)
_FAULTS: Final = frozenset(
    {
        Reason.POISON,
        Reason.AGENT_REJECTED,
        Reason.GAVE_UP,
        Reason.TIME_LIMIT,
        Reason.RUN_FAILED,
        Reason.RUN_VANISHED,
        Reason.NOT_KEPT,
    }
)
_OPEN: Final = frozenset({PartState.PLANNED, PartState.SENDING})
_LOST: Final = frozenset({PartState.UNKNOWN, PartState.FAILED})
_REASONS: Final = frozenset(str(reason) for reason in Reason)


def ended(journey: Journey) -> bool:
    """Tell whether nothing more will happen: every conversation reached an end, all is posted."""
    last = _last_steps(journey)
    reached = bool(last) and not any(step in _UNDER_WAY for step in last)
    return reached and not any(part.state in _OPEN for part in journey.parts)


def faults(journey: Journey) -> tuple[str, ...]:
    """List what went wrong on the way: reasons, and parts that do not surely stand in the chat."""
    wrong = [step.what for step in journey.steps if step.what in _FAULTS]
    wrong += [step.detail for step in journey.steps if step.detail in _FAULTS]
    wrong += [
        f"part {part.number} {part.state}: {part.reason}"
        for part in journey.parts
        if part.state in _LOST
    ]
    return tuple(dict.fromkeys(wrong))


def _last_steps(journey: Journey) -> list[str]:
    """Give the last reason of each conversation the delivery reached; posts are no reasons."""
    last: dict[str, str] = {}
    for step in journey.steps:
        if step.what in _REASONS:
            last[step.conversation] = step.what
    if len(last) > 1:
        last.pop("", None)
    return list(last.values())
