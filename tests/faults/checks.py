"""What must hold whatever went wrong: the promise, read off the stubs and the store."""

import json
from collections.abc import Iterator
from itertools import pairwise

from tests.faults.scenarios import Expected, Scenario
from tests.simulation.agent import Run
from tests.simulation.world import CHAT, Simulation
from threadline.app import codec
from threadline.core.records import Part, PartState

UNSURE = {PartState.UNKNOWN, PartState.FAILED}


def violations(world: Simulation, scenario: Scenario, *, overtaken: bool = False) -> list[str]:
    """List every way in which the promise was broken, empty where it held.

    `overtaken`: a message came later than the ones written after it, and what follows from the
    order is not to be seen.
    """
    return [
        *(_ran(world, scenario) if overtaken else _runs(world, scenario)),
        *order(world),
        *_answers(world, scenario),
        *(() if overtaken else _said(world, scenario)),
        *(() if overtaken else _unsaid(world, scenario)),
        *stuck(world),
        *(f"role: {offence}" for offence in dict.fromkeys(world.store.offences)),
        *early(world),
        *posted_in_order(world),
        *scenario.also(world),
    ]


def _ours(world: Simulation) -> list[Run]:
    return [run for run in world.agent.runs() if run.human["id"] != "foreign"]


def _runs(world: Simulation, scenario: Scenario) -> Iterator[str]:
    ours = _ours(world)
    if len(ours) != len(scenario.expected):
        yield f"runs: {len(ours)} for {len(scenario.expected)} turns"
        return
    for run, expected in zip(ours, scenario.expected, strict=True):
        if expected.run not in str(run.human["content"]):
            yield f"runs: {run.human['content']!r} where {expected.run!r} was next"


def _ran(world: Simulation, scenario: Scenario) -> Iterator[str]:
    """Each message is in one run, whichever."""
    for expected in scenario.expected:
        times = sum(expected.run in str(run.human["content"]) for run in _ours(world))
        if times != 1:
            yield f"runs: {expected.run!r} is in {times}"


def order(world: Simulation) -> Iterator[str]:
    """No two runs of a thread overlap."""
    for thread in world.agent.threads.values():
        runs = sorted(thread.runs, key=lambda run: run.began_at)
        for earlier, later in pairwise(runs):
            if later.began_at < earlier.ends_at:
                yield f"order: {later.id} began while {earlier.id} went on"


def _answers(world: Simulation, scenario: Scenario) -> Iterator[str]:
    shown = world.shown()
    unsure = doubtful(world)
    for expected in scenario.expected:
        if not expected.answer:
            continue
        times = sum(expected.answer in text for text in shown)
        if times > 1:
            yield f"answers: {expected.answer!r} stands {times} times"
        if times == 0 and not unsure and not _joined(world, expected):
            yield f"answers: {expected.answer!r} is missing, and no part says why"


def _joined(world: Simulation, expected: Expected) -> bool:
    """Tell whether a message shares its run with others, whose last one is answered."""
    return any(
        expected.run in str(run.human["content"]) and "<followups-while-busy" in str(run.human)
        for run in _ours(world)
    )


def _said(world: Simulation, scenario: Scenario) -> Iterator[str]:
    for text in scenario.says:
        times = sum(text in shown for shown in world.shown())
        if times > 1 or (times == 0 and not doubtful(world)):
            yield f"said: {text!r} stands {times} times"


def _unsaid(world: Simulation, scenario: Scenario) -> Iterator[str]:
    for text in scenario.never:
        if any(text in shown for shown in world.shown()):
            yield f"said: {text!r}, which is not so"


def doubtful(world: Simulation, chat: int = CHAT) -> list[Part]:
    """Give the posts whose fate is unknown or that failed: they are shown to the operator."""
    place = world.place(chat)
    items = world.ports.ports.store.query("outbox", place, "done#", limit=1000)
    parts = [codec.record(Part, item.attributes) for item in items]
    return [part for part in parts if part.state in UNSURE and part.action == "post"]


def stuck(world: Simulation) -> Iterator[str]:
    """Nothing is left to do, and nothing was given up unseen."""
    if not world.quiet():
        ports = world.ports.ports
        due = ports.store.due("conversation", world.clock.now() + 1e9, 5)
        states = [str(item.attributes["state"]) for item in due]
        parts = len(ports.store.due("outbox", world.clock.now() + 1e9, 5))
        yield f"stuck: states {states}, {parts} open parts, {world.deaths} deaths"
    if world.deaths > 1:
        return  # mail whose handler died twice is set aside: it may have been the mail's fault
    letters = world.ports.ports.queues.dead.receive(10, visibility=1.0)
    for letter in letters:
        kind = json.loads(letter.body).get("kind")
        yield f"stuck: a dead letter of kind {kind}"


def early(world: Simulation) -> Iterator[str]:
    """No call to a chat before the time a 429 named."""
    not_before: dict[str, float] = {}
    for call in world.telegram.calls:
        if call.method not in {"sendMessage", "editMessageText"}:
            continue
        chat = str(call.parameters.get("chat_id"))
        if (early_by := not_before.get(chat, 0.0) - call.at) > 0:
            yield f"early: {call.method} {early_by:.1f} s before its time"
        if call.status == 429:
            not_before[chat] = call.at + 1.0


def posted_in_order(world: Simulation, chat: int = CHAT) -> Iterator[str]:
    """What was planned first in a conversation stands first in the chat."""
    place = world.place(chat)
    items = world.ports.ports.store.query("outbox", place, "done#", limit=1000)
    parts = [codec.record(Part, item.attributes) for item in items]
    posts = [part for part in parts if part.action == "post" and part.receipt is not None]
    posts.sort(key=lambda part: part.order)
    for earlier, later in pairwise(posts):
        assert earlier.receipt is not None
        assert later.receipt is not None
        if int(earlier.receipt.id) > int(later.receipt.id):
            yield f"posted: part {later.id} stands before {earlier.id}, which was planned first"
