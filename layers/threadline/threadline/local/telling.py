"""A journey as lines for a person: every step with its time, its reason and what that means."""

from collections.abc import Iterator
from datetime import datetime

from threadline.app.explain import Explanation, Journey, Present
from threadline.app.logline import Step
from threadline.app.meanings import meaning
from threadline.core.records import Part

NOTHING_KNOWN = """\
Nothing is known of {asked}. What to check:
  - Did it reach this Threadline? The platform's own delivery log tells what it was answered.
  - Was it sent to the address that `serve` prints, while it ran?
  - Is it older than 14 days? Then its journal is gone.
  - Ids look like this: a delivery or request id, a conversation key such as
    telegram/default//7/, or the platform's message id."""


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Tell all that is known, or plainly that nothing is and what to check."""
    if explanation.present:
        yield from present_lines(explanation.present)
    for journey in explanation.journeys:
        where = f" in conversation {journey.conversation}" if journey.conversation else ""
        yield f"Delivery {journey.delivery}{where}"
        yield from journey_lines(journey)
    if not explanation.known:
        yield NOTHING_KNOWN.format(asked=explanation.asked)
        if explanation.strangers:
            yield "The latest deliveries that bear no id of their own:"
            yield from (step_line(step, step.at) for step in explanation.strangers)


def journey_lines(journey: Journey) -> Iterator[str]:
    """Tell the steps of a delivery and what stands of its turns in the ledger."""
    since = journey.steps[0].at if journey.steps else 0.0
    yield from (step_line(step, since) for step in journey.steps)
    yield from (part_line(part) for part in journey.parts)


def step_line(step: Step, since: float) -> str:
    """Tell one step: clock, seconds since the first, reason, meaning, detail."""
    at = datetime.fromtimestamp(step.at).astimezone()
    clock = f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"
    told = "; ".join(text for text in (meaning(step.what), step.detail) if text)
    return f"  {clock}  {step.at - since:+9.3f} s  {step.what:<20} {told}".rstrip()


def part_line(part: Part) -> str:
    """Tell where one part of what is said stands."""
    why = f" ({part.reason})" if part.reason else ""
    where = f" as {part.receipt.id}" if part.receipt else ""
    return f"  part {part.number}: {part.action} {part.state}{where}{why}"


def present_lines(present: Present) -> Iterator[str]:
    """Tell where a conversation stands now."""
    now = present.conversation
    yield f"Conversation {now.key}: {now.state}, {len(present.waiting)} waiting"
    if now.thread:
        yield f"  thread {now.thread} of owner {now.owner}, epoch {now.epoch}"
    if now.turn:
        run = f", run {now.turn.run}" if now.turn.run else ""
        yield f"  turn {now.turn.id} by agent {now.turn.agent}{run}, {now.turn.tries} tries"
    if present.due_at is not None:
        yield f"  looked at again at {datetime.fromtimestamp(present.due_at).astimezone():%H:%M:%S}"
    for run_record in present.runs:
        ended = f"ended {run_record.outcome}" if run_record.ended else "not ended"
        yield f"  run {run_record.run}: {ended}, {run_record.edits} edits"
    for waiting in present.waiting:
        yield f"  waits: message {waiting.message.id} for binding {waiting.binding}"
