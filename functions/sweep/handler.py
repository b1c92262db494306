"""Consumes the timers queue, and every minute finds what is due and nobody moved."""

from typing import Any

from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from threadline import wiring
from threadline.app import sweep


def handler(event: dict[str, Any], context: Any) -> Any:
    """Send timers on; the schedule's event has no records and sweeps."""
    if "Records" not in event:
        sweep.sweep(wiring.world())
        return {}
    processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
    return process_partial_response(event, _record, processor, context)


def _record(record: SQSRecord) -> None:
    sweep.timer(wiring.world(), record.body)
