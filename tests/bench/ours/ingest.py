"""Take a webhook with the ingest function: once (`once`), or again and again (`warm`)."""

import sys

from functions.ingest.handler import handler
from tests.bench.loops import case, tell_latencies, tell_peak

EVENT = {**case()["event"], "pathParameters": {"platform": "slack"}}


def take() -> None:
    """Take the delivery once."""
    assert handler(EVENT, None)["statusCode"] == 200


if __name__ == "__main__":
    if sys.argv[1] == "warm":
        tell_latencies(take)
    else:
        take()
        tell_peak()
