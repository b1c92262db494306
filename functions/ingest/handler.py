"""Takes webhooks: `/webhooks/{platform}` and `/webhooks/{platform}/{app}`."""

from typing import Any

from threadline import wiring
from threadline.app.ingest import Answer
from threadline.backends.lambda_http import parameter, response, webhook

_UNREADABLE = Answer(400, b'{"error":"unreadable"}')
_NOT_KEPT = Answer(503, b'{"error":"not_kept"}')

wiring.start_ingest()


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one delivery."""
    try:
        request = webhook(event)
    except ValueError:
        return response(_UNREADABLE)
    try:
        platform = parameter(event, "platform")
        answer = wiring.ingest().receive(request, platform, parameter(event, "app", "default"))
    except Exception as error:  # noqa: BLE001 - whatever it is, the platform gets its 503
        _tell(error)
        return response(_NOT_KEPT)
    return response(answer)


def _tell(error: Exception) -> None:
    """Write which error and where; its text, which Lambda would add, may quote a message."""
    import logging  # no cold start waits for it

    from threadline.backends.log_lines import place

    log = logging.getLogger("threadline")
    log.error("ingest failed: %s at %s", type(error).__name__, place(error))
