"""What ingest is composed of on AWS: a clock, its list of apps, its log."""

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from threadline.app import settings_index
from threadline.backends.metrics import counted
from threadline.core.apps import AppSettings
from threadline.core.errors import StoreError
from threadline.core.ports import Clock, Item, Key

KEPT: Final = 60.0


class LightClock:
    """The machine's own time, without asyncio."""

    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(max(seconds, 0.0))

    async def pause(self, seconds: float) -> None:
        raise NotImplementedError(f"ingest has no loop to pause {seconds} s in")


class ReadsItems(Protocol):
    """Reads items."""

    def get(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        """Read items in the order asked."""
        ...


class AppsCache:
    """The configured apps, read at most once a minute; the last ones while reading fails."""

    def __init__(self, items: ReadsItems, clock: Clock) -> None:
        self._items = items
        self._clock = clock
        self._apps: tuple[AppSettings, ...] = ()
        self._again_at = 0.0

    def __call__(self) -> tuple[AppSettings, ...]:
        """Give the apps. Raises StoreError where none were ever read."""
        now = self._clock.now()
        if now >= self._again_at:
            try:
                self._apps = settings_index.apps(self._items.get([settings_index.KEY])[0])
            except StoreError:
                if not self._again_at:
                    raise
            self._again_at = now + KEPT
        return self._apps


def log_lines(stage: str) -> Callable[..., None]:
    """Give what writes lines of JSON, which CloudWatch takes apart into fields and metrics."""

    def write(event: str, **fields: str | float | bool) -> None:
        now = time.time()
        count = counted(event, fields, stage, now)
        line = {"at": now, "level": "info", "event": event, **fields, **count}
        sys.stdout.write(json.dumps(line) + "\n")

    return write
