"""A recorded delivery, as Feishu would send it to this app now."""

import hashlib
import json
from dataclasses import replace
from typing import Any

from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.feishu.crypto import seal
from threadline.platforms.feishu.opening import (
    KEY,
    SEALED,
    TOKEN,
    is_challenge,
    is_sealed,
    opened,
)
from threadline.platforms.feishu.payload import Fields
from threadline.platforms.feishu.verify import NONCE, SIGNATURE, TIMESTAMP, sign


def stamp(request: Webhook, credentials: Credentials, now: float, fresh: int) -> Webhook:
    """Give the delivery the app's token, and under an Encrypt Key its seal and signature.

    `fresh` above 0 numbers event and message anew and dates them now. A body that says nothing of
    Feishu's, or that nobody can open, is only signed.
    """
    key, said = credentials.secret(KEY), opened(request.body, credentials)
    body = request.body
    if said is not None and (fresh > 0 or not is_sealed(body)) and _is_feishus(said):
        body = _renewed(said, credentials.secret(TOKEN), now, fresh)
        body = json.dumps({SEALED: seal(body, key, _short(body))}).encode() if key else body
    headers = {name: value for name, value in request.headers.items() if name not in _SIGNED}
    if key:
        timestamp, nonce = str(int(now)), _short(body).hex()
        signature = sign(body, timestamp, nonce, key)
        headers |= {TIMESTAMP: timestamp, NONCE: nonce, SIGNATURE: signature}
    return replace(request, headers=headers, body=body)


_SIGNED = frozenset({TIMESTAMP, NONCE, SIGNATURE})


def _is_feishus(said: Fields) -> bool:
    return is_challenge(said) or isinstance(said.get("header"), dict)


def _renewed(said: Fields, token: str, now: float, fresh: int) -> bytes:
    copy: dict[str, Any] = json.loads(json.dumps(said))
    (copy if is_challenge(said) else copy["header"])["token"] = token
    if fresh > 0 and "header" in copy:
        at = str(int(now * 1000))
        event_id = str(copy["header"].get("event_id"))
        copy["header"] |= {"event_id": _again(event_id, fresh), "create_time": at}
        event = copy.get("event")
        message = event.get("message") if isinstance(event, dict) else None
        if isinstance(message, dict) and "message_id" in message:
            identity = f"om_{_again(str(message['message_id']), fresh)}"
            message |= {"message_id": identity, "create_time": at}
    return json.dumps(copy, ensure_ascii=False).encode("utf-8", "replace")


def _again(identity: str, fresh: int) -> str:
    return hashlib.sha256(f"{identity}#{fresh}".encode("utf-8", "replace")).hexdigest()[:32]


def _short(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()[:16]
