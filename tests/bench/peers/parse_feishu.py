"""Let Feishu's own library decrypt, verify and read a delivery."""

import importlib
from typing import Any

from tests.bench.loops import case, tell

lark = importlib.import_module("lark_oapi")
CASE = case()
EVENT = CASE["event"]
SECRETS = CASE["secrets"]
HEARD: list[object] = []
builder = lark.EventDispatcherHandler.builder(
    SECRETS["encrypt_key"], SECRETS["verification_token"], lark.LogLevel.ERROR
)
HANDLER = builder.register_p2_im_message_receive_v1(HEARD.append).build()
HEADERS = {
    "-".join(word.capitalize() for word in name.split("-")): value
    for name, value in EVENT["headers"].items()
}
BODY = EVENT["body"].encode()


def take() -> Any:
    """Take the delivery once."""
    request = lark.RawRequest()
    request.uri, request.body, request.headers = "/webhooks/feishu", BODY, HEADERS
    HEARD.clear()
    return HANDLER.do(request)


if __name__ == "__main__":
    assert take().status_code == 200
    assert HEARD
    tell(take)
