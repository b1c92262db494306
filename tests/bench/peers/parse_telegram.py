"""Let python-telegram-bot read an update."""

import hmac
import json

from telegram import Update

from tests.bench.loops import case, tell

CASE = case()
EVENT = CASE["event"]
SECRET = CASE["secrets"]["webhook_secret"]


def take() -> Update:
    """Take the delivery once, as the library's own webhook server does."""
    assert hmac.compare_digest(EVENT["headers"]["x-telegram-bot-api-secret-token"], SECRET)
    return Update.de_json(json.loads(EVENT["body"]), None)


if __name__ == "__main__":
    assert take().message
    tell(take)
