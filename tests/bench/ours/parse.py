"""Verify and parse a delivery; where the peer begins with Lambda's event, so do we."""

from tests.bench.loops import case, tell
from threadline import wiring
from threadline.backends.lambda_http import webhook
from threadline.core.ids import AppName, PlatformName
from threadline.core.message import Messages
from threadline.core.platform import ReceivesHttp
from threadline.core.posting import Credentials

CASE = case()
CODEC = wiring.platform(CASE["platform"])
CREDENTIALS = Credentials(
    PlatformName(CASE["platform"]), AppName("default"), CASE["identity"], CASE["identity_name"],
    secrets=CASE["secrets"],
)  # fmt: skip


REQUEST = None if CASE["platform"] == "slack" else webhook(CASE["event"])


def take() -> object:
    """Take the delivery once."""
    assert isinstance(CODEC, ReceivesHttp)
    request = REQUEST or webhook(CASE["event"])
    CODEC.verify(request, CREDENTIALS, CASE["now"])
    return CODEC.parse(request, CREDENTIALS, CASE["now"])


if __name__ == "__main__":
    assert isinstance(take(), Messages)
    tell(take)
