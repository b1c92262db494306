"""A delivery as the page's server side sends it."""

import json
from dataclasses import replace

from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.playground.verify import SECRET, SIGNATURE, TIME, sign


def stamp(request: Webhook, credentials: Credentials, now: float, fresh: int = 0) -> Webhook:
    """Sign time and body; `fresh` above 0 first makes it another message, written now."""
    body = _renewed(request.body, now, fresh) if fresh > 0 else request.body
    at = str(int(now))
    signed = {SIGNATURE: sign(body, at, credentials.secret(SECRET)), TIME: at}
    return replace(request, headers={**request.headers, **signed}, body=body)


def _renewed(body: bytes, now: float, fresh: int) -> bytes:
    try:
        fields = json.loads(body)
    except ValueError:
        return body
    if isinstance(fields, dict) and "id" in fields:
        fields |= {"id": fresh, "at": now}
    return json.dumps(fields).encode()
