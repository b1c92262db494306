"""A recorded update, as Telegram would send it now."""

import json
from dataclasses import replace

from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.telegram.verify import HEADER, SECRET


def stamp(request: Webhook, credentials: Credentials, now: float, fresh: int) -> Webhook:
    """Put the secret on the request; `fresh` above 0 becomes the update's and message's number.

    `now` dates the message, so that a fresh one is not too old to be answered.
    """
    headers = {**request.headers, HEADER: credentials.secret(SECRET)}
    body = _numbered(request.body, int(now), fresh) if fresh > 0 else request.body
    return replace(request, headers=headers, body=body)


def _numbered(body: bytes, now: int, fresh: int) -> bytes:
    update = json.loads(body)
    update["update_id"] = fresh
    for inner in update.values():
        if isinstance(inner, dict) and "message_id" in inner:
            inner["message_id"] = fresh
            for date in ("date", "edit_date"):
                if date in inner:
                    inner[date] = now
    return json.dumps(update, ensure_ascii=False).encode()
