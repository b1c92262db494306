"""The journey of one message as the page tells it: each step in plain words, with its time."""

import logging
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from threadline.app.explain import Explain
from threadline.app.meanings import meaning
from threadline.core.ports import ItemStore
from threadline.core.posting import Tone
from threadline.core.reasons import Reason
from threadline.local.playground.chats import Said

MOST_LINES: Final = 2_000

TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sent": "Sent by you",
        "not_sent": "Not taken",
        "accepted": "Accepted at the front door",
        "queued": "Waits for earlier messages",
        "fetching": "Files are fetched",
        "starting": "Turn begun, the agent is asked",
        "run_created": "Run created",
        "run_adopted": "Run found again",
        "blocked": "Somebody else's run comes first",
        "agent_down": "The agent does not answer; tried again",
        "thread_vanished": "The agent had forgotten the thread",
        "post sent": "Posted",
        "placeholder": "First sign of life posted",
        "first_text": "First words shown",
        "growing": "Answer growing",
        "run success": "Run over",
        "run asked": "The agent asked a question",
        "run stopped": "Run stopped",
        "run run_failed": "Run failed",
        "run run_silent": "Run over, without a text",
        "run run_vanished": "The agent lost the run",
        "run time_limit": "Run took too long",
        "edit sent": "Answer posted",
        "run_ended": "Turn closed",
        "asked": "Waits for your answer",
        "command": "Command carried out",
        "stopped": "Stopped",
        "duplicate": "Seen before",
        "not_allowed": "Not allowed to talk",
        "no_binding": "No agent answers here",
        "paused": "Switched off for now",
        "question_waits": "An earlier question comes first",
    }
)
"""What the steps are called that a person meets here; others go by their meaning."""

UNDERWAY: Final = frozenset(
    {
        Reason.ACCEPTED, Reason.QUEUED, Reason.FETCHING, Reason.STARTING, Reason.RUN_CREATED,
        Reason.RUN_ADOPTED, Reason.BLOCKED, Reason.AGENT_DOWN, Reason.THREAD_VANISHED,
        Reason.PLACEHOLDER, Reason.FIRST_TEXT, Reason.QUESTION_WAITS, Reason.FORWARDED,
        Reason.DUPLICATE, Reason.COOLING, Reason.TWIN_CANCELLED, Reason.RUN_UNWATCHED,
        Reason.QUESTION_EXPIRED,
    }
)  # fmt: skip
"""Steps after which more is to come."""


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """One step: `at` in epoch seconds, its code, and what is known beside it."""

    at: float
    code: str
    note: str = ""

    @property
    def title(self) -> str:
        """The step in plain words."""
        return TITLES.get(self.code) or meaning(self.code) or self.code.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Told:
    """The journey of a message so far; `run` is the agent's, "" before there is one."""

    message: int
    delivery: str
    steps: tuple[Step, ...]
    run: str
    over: bool


class RecentLines(logging.Handler):
    """The latest structured log lines, for reasons that stand in no table; `rings` hears of each.

    Threads write here, so `rings` is called from any of them.
    """

    def __init__(self, rings: Callable[[], None]) -> None:
        super().__init__(logging.INFO)
        self._lines: deque[Mapping[str, object]] = deque(maxlen=MOST_LINES)
        self._rings = rings

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        values: Mapping[str, object] = getattr(record, "values", {})
        self._lines.append({"at": record.created, "event": record.getMessage(), **values})
        self._rings()

    def lines(self) -> tuple[Mapping[str, object], ...]:
        """Give the lines there are, oldest first."""
        return tuple(self._lines)


@dataclass(frozen=True, slots=True)
class Known:
    """What the page knows itself: a message, its answers, its delivery, and the latest lines."""

    said: Said
    answers: tuple[Said, ...]
    lines: tuple[Mapping[str, object], ...]
    delivery: str


def tell(store: ItemStore, known: Known) -> Told:
    """Put together what the page knows, the journal and the log."""
    said, delivery = known.said, known.delivery
    journal = Explain(store, tuple).journey(delivery)
    written = [Step(step.at, step.what, _note(step.what, step.detail)) for step in journal.steps]
    codes = {step.code for step in written}
    logged = _logged(known.lines, delivery, journal.turns)
    unwritten = [step for step in logged if step.code not in codes]
    first = min((step.at for step in written), default=math.inf)
    steps = sorted([*_own(said, first), *_shown(known.answers), *_renamed(written), *unwritten])
    runs = [step.note.removeprefix("run ") for step in written if step.note.startswith("run ")]
    return Told(said.id, delivery, tuple(steps), runs[-1] if runs else "", _over(said, steps))


def _note(what: str, detail: str) -> str:
    """Leave out what the page shows anyway: where a post stands, and an end without trouble."""
    return "" if what in {"post sent", "edit sent", Reason.RUN_ENDED} else detail


def _own(said: Said, first: float) -> Iterator[Step]:
    """Tell what the page itself did; `first` is when somebody else took the first step.

    The front door's answer may be seen only after what it accepted has been begun.
    """
    yield Step(said.at, "sent")
    if said.settled_at is not None and said.state == "accepted":
        yield Step(min(said.settled_at, first), str(Reason.ACCEPTED))
    elif said.state == "refused":
        yield Step(said.settled_at or said.at, "not_sent", said.why)


def _shown(answers: tuple[Said, ...]) -> Iterator[Step]:
    """Tell how the answer grew: edits are counted, not listed."""
    for answer in answers:
        if answer.first_edit_at is not None:
            yield Step(answer.first_edit_at, str(Reason.FIRST_TEXT))
        if answer.last_edit_at is not None:
            times = "1 edit" if answer.edits == 1 else f"{answer.edits} edits"
            yield Step(answer.last_edit_at, "growing", times)


def _renamed(written: list[Step]) -> Iterator[Step]:
    """Call the first post by what it is where the answer is going to grow in it."""
    grows = any(step.code == "edit sent" for step in written)
    running = not any(step.code.startswith("run ") for step in written)
    first = True
    for step in written:
        if step.code == "post sent" and first and (grows or running):
            yield Step(step.at, str(Reason.PLACEHOLDER), step.note)
            first = False
        else:
            yield step


def _logged(
    lines: Iterable[Mapping[str, object]], delivery: str, turns: tuple[str, ...]
) -> Iterator[Step]:
    """Find the steps that are only logged: under the delivery's id, or the turn's where none is."""
    for line in lines:
        of_turn = not line.get("delivery") and line.get("turn") in turns
        if line.get("event") == "step" and (line.get("delivery") == delivery or of_turn):
            at, step = line.get("at"), str(line.get("step", ""))
            if step != Reason.FIRST_TEXT and isinstance(at, float):
                yield Step(at, step, str(line.get("detail", "")))


def _over(said: Said, steps: Iterable[Step]) -> bool:
    if said.state == "refused":
        return True
    codes = {step.code for step in steps} - {"sent", "growing"}
    ends = {code for code in codes if " " not in code} - UNDERWAY
    return bool(ends)


def is_growing(said: Said) -> bool:
    """Tell whether an answer is still being written."""
    return said.tone == Tone.PROGRESS
