"""Make a recorded delivery pass for one GitHub sent just now."""

import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlencode

from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.github.parse import FORM
from threadline.platforms.github.verify import HEADER, SECRET, sign

_TIMES = ("created_at", "updated_at", "submitted_at")


def stamp(request: Webhook, credentials: Credentials, now: float, fresh: int) -> Webhook:
    """Sign the body; `fresh` above 0 makes another delivery of a new thing, created now."""
    headers, body = dict(request.headers), request.body
    if fresh > 0:
        former = headers.get("x-github-delivery", "")
        headers["x-github-delivery"] = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{former}#{fresh}"))
        body = _renewed(body, headers.get("content-type", ""), now, fresh)
    headers[HEADER] = sign(body, credentials.secret(SECRET))
    return replace(request, headers=headers, body=body)


def _renewed(body: bytes, content_type: str, now: float, fresh: int) -> bytes:
    form = content_type.lower().startswith(FORM)
    try:
        text = parse_qs(body.decode("ascii"))["payload"][0] if form else body.decode()
        payload = json.loads(text)
    except (ValueError, KeyError):
        return body
    if isinstance(payload, dict):
        _renew(payload, now, fresh)
    renewed = json.dumps(payload, ensure_ascii=False)
    return (urlencode({"payload": renewed}) if form else renewed).encode()


def _renew(payload: dict[str, Any], now: float, fresh: int) -> None:
    """Number and date anew what the event is about; an issue keeps its number."""
    told = [payload[name] for name in ("comment", "review") if name in payload]
    items = [payload[name] for name in ("issue", "pull_request") if name in payload]
    for thing in told or items:
        if isinstance(thing, dict) and isinstance(thing.get("id"), int):
            thing["id"] += fresh
            now_text = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            thing.update({name: now_text for name in _TIMES if name in thing})
