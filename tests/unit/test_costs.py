import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from setup.template import load
from tests import costs
from tests.metered import MeteredStore
from tests.simulation.invoked import InvokedSimulation
from threadline.backends.metrics import counted
from threadline.backends.outgoing import CountingGate

MORE = 1.25
"""What the page may say more than is counted, so that it need not follow every change."""


@pytest.fixture(scope="module")
def text() -> str:
    """Give the page."""
    return costs.PAGE.read_text(encoding="utf-8")


def test_the_page_says_what_follows_from_its_prices(text: str) -> None:
    """Every number of the page is computed anew from its prices, a turn, and the template."""
    computed = costs.results(costs.page(text), load())
    _, _, *printed = costs.tables(text)
    said = {name: value for table in printed for name, value in table.items()}
    assert said.keys() == computed.keys()
    for name, value in said.items():
        decimals = len(value.partition(".")[2])
        assert value == f"{computed[name]:.{decimals}f}", name


def test_another_price_is_another_page(text: str) -> None:
    """A price that changed makes the page wrong until its sums are written anew."""
    row = "| HTTP API, a million requests | {} |"
    dearer = text.replace(row.format("1.00"), row.format("2.00"))
    before, after = (costs.results(costs.page(one), load()) for one in (text, dearer))
    assert after["**a million messages**"] - before["**a million messages**"] == pytest.approx(1)


def test_a_turn_takes_what_the_page_says(text: str, tmp_path: Path) -> None:
    """Messages, units and lines of a turn are those that are counted, or a little more."""
    turn, taken = costs.page(text).turn, counted_turn(tmp_path)
    for name, number in taken.items():
        assert number <= turn[name] <= max(number * MORE, 1), name
    mails = turn["messages through FIFO queues"] + turn["messages through standard queues"]
    assert turn["functions started"] == turn["requests to the API"] + mails


def counted_turn(folder: Path) -> Mapping[str, float]:
    """Count what one turn takes: a known conversation, ten seconds, one part."""
    gate = CountingGate()
    world = InvokedSimulation(folder, gate=gate)
    try:
        meter = MeteredStore(world.store.store)
        world.store.store = meter
        world.write("hello")
        world.run()
        gate.reset()
        before = meter.reads, meter.writes, len(world.lines)
        world.write("sleep 10")
        world.run()
        calls = gate.counts("queue")
        said = sum(len(json.dumps(line)) for line in map(as_logged, world.lines[before[2] :]))
        return {
            "messages through FIFO queues": calls["queue.mailbox.send"],
            "messages through standard queues": calls["queue.runs.send"]
            + calls.get("queue.timers.send", 0)
            + calls.get("queue.outbox.send", 0),
            "looks of watch for further runs": calls["queue.runs.receive"],
            "read units": meter.reads - before[0],
            "write units": meter.writes - before[1],
            # Lambda writes two lines of its own for each invocation, the API one for each request.
            "KB of logs": (said + 4 * 2 * 250 + 400) / 1024,
        }
    finally:
        world.close()


def as_logged(line: Mapping[str, object]) -> Mapping[str, object]:
    """Return a line as it is written, what makes it count included."""
    fields = {name: value for name, value in line.items() if isinstance(value, str | float | bool)}
    return {**line, **counted(str(line["event"]), fields, "dev", 0.0)}
