"""What a function writes down in CloudWatch: JSON lines, and the metrics that some of them are."""

import logging
import sys
import time
from collections.abc import Callable
from typing import Final

from threadline.backends.log_lines import JsonLines, tell_of_threads
from threadline.backends.metrics import counted

_QUIET: Final = ("aws_lambda_powertools", "aiohttp", "asyncio", "botocore", "httpcore", "urllib3")

_events = logging.getLogger("threadline")


def event_lines(stage: str) -> Callable[..., None]:
    """Give what writes structured lines; it is what use cases get as their log."""

    def write(event: str, **fields: str | float | bool) -> None:
        values = {**fields, **counted(event, fields, stage, time.time())}
        _events.info(event, extra={"values": values})

    return write


def start_logging() -> None:
    """Write every line as JSON to standard output, in place of what Lambda set up.

    Lambda's own handler writes errors with their text, which may quote a message.
    """
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    tell_of_threads()
