"""Consumes the mailbox queue: the only writer of conversations."""

import logging
from typing import Any

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from threadline import wiring
from threadline.app import dispatch
from threadline.core.reasons import Reason

_log = logging.getLogger("threadline")


def handler(event: dict[str, Any], context: Any) -> Any:
    """Handle a batch in order; what failed, and what follows it in its group, comes again."""
    processor = SqsFifoPartialProcessor(skip_group_on_error=True)
    processor.raise_on_entire_batch_failure = False
    return process_partial_response(event, _record, processor, context)


def _record(record: SQSRecord) -> None:
    world = wiring.world()
    tries = int(record.attributes.approximate_receive_count)
    received = dispatch.Received(record.message_id, record.body, tries)
    try:
        dispatch.handle(world, received)
    except Exception as error:
        _log.exception("dispatch failed: %s", type(error).__name__)
        if tries >= dispatch.LAST_TRY:
            dispatch.give_up(world, received, Reason.POISON)
            return
        wait = dispatch.failed(world, received, type(error).__name__)
        world.queues.mailbox.change_visibility([record.receipt_handle], wait)
        raise
