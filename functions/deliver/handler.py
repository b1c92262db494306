"""Consumes the outbox queue: posts what is planned and not of a run that is being watched."""

from typing import Any

from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from threadline import wiring
from threadline.app import codec, deliver
from threadline.core.envelope import FlushOutbox


def handler(event: dict[str, Any], context: Any) -> Any:
    """Flush the destinations of a batch of hints."""
    processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
    return process_partial_response(event, _record, processor, context)


def _record(record: SQSRecord) -> None:
    world = wiring.world()
    try:
        hint = codec.decode(record.body)
    except codec.Unreadable as error:
        world.log("step", step="unreadable", detail=str(error))
        return
    if isinstance(hint, FlushOutbox):
        deliver.flush(world, hint.destination)
