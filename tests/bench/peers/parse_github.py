"""Let gidgethub verify and read a delivery."""

from gidgethub.sansio import Event

from tests.bench.loops import case, tell

CASE = case()
EVENT = CASE["event"]
BODY = EVENT["body"].encode()
SECRET = CASE["secrets"]["webhook_secret"]


def take() -> Event:
    """Take the delivery once."""
    return Event.from_http(EVENT["headers"], BODY, secret=SECRET)


if __name__ == "__main__":
    assert take().data["action"]
    tell(take)
