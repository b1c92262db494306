"""How long one call takes once everything is warm. The standard library only."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WARM = 200
BATCHES = 7
SECONDS = 0.05


def case() -> dict[str, Any]:
    """Read what is to be done from the file that the last word names."""
    found: dict[str, Any] = json.loads(Path(sys.argv[-1]).read_text("utf-8"))
    return found


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
