"""Takes webhooks: `/webhooks/{platform}` and `/webhooks/{platform}/{app}`."""

from typing import Any

from threadline import wiring
from threadline.app.ingest import Answer
from threadline.backends.lambda_http import parameter, response, webhook

_UNREADABLE = Answer(400, b'{"error":"unreadable"}')
_NOT_KEPT = Answer(503, b'{"error":"not_kept"}')


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one delivery."""
    try:
        request = webhook(event)
    except ValueError:
        return response(_UNREADABLE)
    try:
        platform = parameter(event, "platform")
        answer = wiring.ingest().receive(request, platform, parameter(event, "app", "default"))
    except Exception as error:
        # Imported where it is needed: no cold start waits for it.
        import logging

        logging.getLogger("threadline").exception("ingest failed: %s", type(error).__name__)
        return response(_NOT_KEPT)
    return response(answer)
