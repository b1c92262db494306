"""Takes the calls of agents whose runs have ended: `/agents/{agent}/ended`."""

import logging
from typing import Any

from threadline import wiring
from threadline.app import connect
from threadline.app.ingest import Answer
from threadline.backends.lambda_http import parameter, response, webhook

_UNREADABLE = Answer(400, b'{"error":"unreadable"}')
_LATER = Answer(503, b'{"error":"not_kept"}')


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one call."""
    try:
        request = webhook(event)
    except ValueError:
        return response(_UNREADABLE)
    try:
        return response(connect.ended(wiring.world(), request, parameter(event, "agent")))
    except Exception as error:
        logging.getLogger("threadline").exception("connect failed: %s", type(error).__name__)
        return response(_LATER)
