"""What happens by the clock in `serve`: on AWS a schedule of EventBridge calls the sweep."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, Final

from threadline.backends.files import FileBlobs
from threadline.backends.log_lines import place
from threadline.core.errors import StoreError
from threadline.core.ports import Blobs, Clock
from threadline.local.function import Function

SWEEP_EVERY: Final = 60.0
EXPIRE_EVERY: Final = 3600.0
KEEP_BLOBS: Final = 14 * 86_400.0
"""Seconds that bodies are kept: as long as dead letters, which may refer to them."""

log = logging.getLogger(__name__)


def schedule_event(now: float, identifier: str) -> dict[str, Any]:
    """Build the event of a schedule.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html
    """
    return {
        "version": "0",
        "id": identifier,
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": "local",
        "resources": ["arn:aws:events:local:000000000000:rule/sweep"],
        "detail": {},
    }


def expire_blobs(blobs: Blobs, now: float) -> None:
    """Remove bodies that nobody needs any more, as the bucket's lifecycle does on AWS."""
    if isinstance(blobs, FileBlobs):
        blobs.expire(now - KEEP_BLOBS)


async def expire_every_hour(blobs: Blobs, clock: Clock) -> None:
    """Remove old bodies now and then, until cancelled."""
    while True:
        try:
            await asyncio.to_thread(expire_blobs, blobs, clock.now())
        except StoreError as error:
            log.warning("old bodies stay for now: %s", error)
        await clock.pause(EXPIRE_EVERY)


async def sweep_every_minute(sweep: Function, clock: Clock, new_id: Callable[[], str]) -> None:
    """Call the sweep at once and then every minute, until cancelled; never two at a time."""
    with ThreadPoolExecutor(1, thread_name_prefix="sweep") as thread:
        while True:
            event = schedule_event(clock.now(), new_id())
            done = asyncio.get_running_loop().run_in_executor(thread, sweep, event)
            await asyncio.wait((done,))
            if error := done.exception():
                log.error("sweep failed: %s at %s", type(error).__name__, place(error))
            await clock.pause(SWEEP_EVERY)
