"""Consumes the runs queue: follows runs and fetches files until its time is up."""

import asyncio
from typing import Any

from threadline import wiring
from threadline.app.invocation import Invocation

HAND_OVER_BEFORE = 30.0


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Follow the batch, and more while that lasts; a hint whose follower failed comes again."""
    world = wiring.world()
    left = context.get_remaining_time_in_millis() / 1000 - HAND_OVER_BEFORE
    watch = wiring.watch(world, leave_at=world.clock.now() + max(left, 0.0))
    records = event["Records"]
    ends = asyncio.run(Invocation(watch).follow_all([record["body"] for record in records]))
    failed = [
        {"itemIdentifier": record["messageId"]}
        for record, end in zip(records, ends, strict=True)
        if end is not None
    ]
    return {"batchItemFailures": failed}
