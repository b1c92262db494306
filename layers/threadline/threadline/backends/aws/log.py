"""What a function writes down in CloudWatch: JSON lines, and the metrics that some of them are."""

import logging
import sys
import time
from typing import Final

from threadline.backends.log_lines import JsonLines
from threadline.backends.metrics import counted

_QUIET: Final = ("aws_lambda_powertools", "aiohttp", "asyncio", "botocore", "httpcore", "urllib3")

_events = logging.getLogger("threadline")


def event_line(event: str, **fields: str | float | bool) -> None:
    """Write one structured line; it is what use cases get as their log."""
    _events.info(event, extra={"values": {**fields, **counted(event, fields, time.time())}})


def start_logging() -> None:
    """Write every line as JSON to standard output, in place of what Lambda set up.

    Lambda's own handler writes errors with their text, which may quote a message.
    """
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
