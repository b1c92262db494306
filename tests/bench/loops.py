"""How long one call takes once everything is warm. The standard library only."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

WARM = 200
BATCHES = 7
SECONDS = 0.05
CALLS = 2000
"""Calls of which latencies are told; the first quarter only warms up."""


def case() -> dict[str, Any]:
    """Read what is to be done from the file that the last word names."""
    with open(sys.argv[-1], encoding="utf-8") as file:  # noqa: PTH123 - a cold start pays for it
        found: dict[str, Any] = json.load(file)
    return found


def tell_peak() -> None:
    """Print the most megabytes that were in memory; what a parent had before does not count.

    https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
    """
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 - as above
        peak = next(line for line in status if line.startswith("VmHWM:"))
    sys.stdout.write("\n" + json.dumps({"peak": int(peak.split()[1]) / 1024}) + "\n")


def tell(work: Callable[[], object]) -> None:
    """Print the CPU microseconds of a call: the least of some batches, which nobody disturbed."""
    for _ in range(WARM):
        work()
    number = 100
    while (spent := _batch(work, number)) < SECONDS:
        number = max(number * 2, int(number * SECONDS / max(spent, 1e-6)))
    least = min(_batch(work, number) for _ in range(BATCHES))
    print(json.dumps({"call": least / number * 1e6}), flush=True)


def _batch(work: Callable[[], object], number: int) -> float:
    begun = time.process_time()
    for _ in range(number):
        work()
    return time.process_time() - begun


def tell_latencies(work: Callable[[], object]) -> None:
    """Print a call's CPU, and within how many microseconds half and 99 of 100 calls were done."""
    for _ in range(CALLS // 4):
        work()
    took, begun = [], time.process_time()
    for _ in range(CALLS - CALLS // 4):
        at = time.perf_counter()
        work()
        took.append((time.perf_counter() - at) * 1e6)
    spent = (time.process_time() - begun) / len(took) * 1e6
    took.sort()
    told = {"call": spent, "p50": took[len(took) // 2], "p99": took[len(took) * 99 // 100]}
    sys.stdout.write("\n" + json.dumps(told) + "\n")
