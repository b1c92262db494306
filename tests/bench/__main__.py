"""`make bench`: every promise about speed, measured beside the vendor's own library.

A promise that is not reached yet falls short, and is counted; 1 where one that held is broken.

Words name the benchmarks to run; without any, all run.
"""

import sys
import time
from collections.abc import Sequence

from tests.bench.dispatching import dispatching
from tests.bench.embedded import embedded
from tests.bench.following import following
from tests.bench.gates import Gate
from tests.bench.ingesting import ingesting
from tests.bench.parsing import parsing
from tests.bench.reading import reading

GATES = (
    Gate("dispatching", "a message dispatched, warm, to calls of langgraph_sdk", dispatching),
    Gate("embedded", "the whole path in one process, beside a loop of langgraph_sdk", embedded),
    Gate("following", "2,000 runs followed by one process, to langgraph_sdk", following),
    Gate("ingesting", "a webhook taken and sent on, cold and warm, to slack_bolt", ingesting),
    Gate("parsing", "a delivery verified and parsed, warm, to the vendors' libraries", parsing),
    Gate("reading", "bytes read of an agent for a run, to messages and values", reading),
)


def main(words: Sequence[str]) -> int:
    """Measure and print a line for each promise."""
    unknown = set(words) - {gate.name for gate in GATES}
    if unknown:
        names = ", ".join(gate.name for gate in GATES)
        print(f"no benchmark is called {' or '.join(sorted(unknown))}; there are: {names}")
        return 2
    rows = []
    for gate in GATES:
        if words and gate.name not in words:
            continue
        begun = time.monotonic()
        print(f"\n{gate.name}: {gate.title}", flush=True)
        for row in gate.measure():
            print(f"  {row}", flush=True)
            rows.append(row)
        print(f"  ({time.monotonic() - begun:.0f} s)", flush=True)
    broken, kept = sum(row.broken for row in rows), sum(row.kept for row in rows)
    short = len(rows) - kept - broken
    print(f"\n{kept} of {len(rows)} promises hold, {short} fall short, {broken} are broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
