"""A recorded delivery, as it would be sent now.

Only Discord can sign for a key of Discord's. An app whose `public_key` is the public half of a key
of one's own may hold the private half as `signing_key`: then recordings can be replayed to it.
"""

import json
from dataclasses import replace
from typing import Final

from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.discord.payload import decode, first_of
from threadline.platforms.discord.verify import SIGNATURE, TIME, sign

SEED: Final = "signing_key"


def stamp(request: Webhook, credentials: Credentials, now: float, fresh: int) -> Webhook:
    """Sign the request; `fresh` above 0 first gives what it is about an id of this moment."""
    body = _renamed(request.body, now, fresh) if fresh > 0 else request.body
    headers, at = dict(request.headers), str(int(now))
    seed = credentials.secret(SEED)
    if seed:
        headers |= {SIGNATURE: sign(body, at, seed), TIME: at}
    return replace(request, headers=headers, body=body)


def _renamed(body: bytes, now: float, fresh: int) -> bytes:
    whole = decode(body)
    if whole is None:
        return body
    identity = str(int(first_of(now)) + fresh % (1 << 22))
    inner = whole.get("d")
    if isinstance(inner, dict) and "id" in inner:
        whole = {**whole, "d": {**inner, "id": identity}}
    elif "id" in whole:
        whole = {**whole, "id": identity}
    return json.dumps(whole, ensure_ascii=False).encode("utf-8", "surrogatepass")
