"""The secret that Telegram sends with every delivery, as given to `setWebhook`.

https://core.telegram.org/bots/api#setwebhook
"""

import hmac
from typing import Final

from threadline.core.errors import SignatureInvalid
from threadline.core.message import Webhook
from threadline.core.posting import Credentials

SECRET: Final = "webhook_secret"  # noqa: S105 - the secret's name
HEADER: Final = "x-telegram-bot-api-secret-token"


def verify(request: Webhook, credentials: Credentials) -> None:
    """Accept the present or the former secret, in constant time, or raise SignatureInvalid.

    The secret covers nothing but itself: Telegram does not sign the body.
    """
    given = request.headers.get(HEADER, "").encode("utf-8", "replace")
    right = False
    for name in (SECRET, f"{SECRET}.previous"):
        secret = credentials.secret(name).encode()
        right |= hmac.compare_digest(given, secret) and secret != b""
    if not right:
        raise SignatureInvalid("X-Telegram-Bot-Api-Secret-Token is missing or wrong")
