"""The policy round flows, where what comes from outside is no address and no time at all."""

import pytest

from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost, ask
from threadline.core.policy import Policy, guarded, retry_after

POLICY = Policy(file_hosts=frozenset({"files.example.com", ".files.example.com"}))
FORBIDDEN = Lost("forbidden", sent=False)
NONE = ["https://[x", "https://files.example.com:99999/", "https://files.example.com:443x/"]


def download(url: str) -> Flow[HttpResponse | Lost]:
    """Fetch what a message names."""
    return (yield from ask(HttpRequest("GET", url, "download", public=True)))


@pytest.mark.parametrize("url", NONE)
def test_what_is_no_address_is_forbidden(url: str) -> None:
    """An address out of a message that cannot even be taken apart is refused like any other."""
    with pytest.raises(StopIteration) as end:
        next(guarded(download(url), POLICY))
    assert end.value.value == FORBIDDEN


@pytest.mark.parametrize("url", NONE)
def test_a_redirect_to_what_is_no_address_is_forbidden(url: str) -> None:
    """Nor does a server's redirect there break anything."""
    flow = guarded(download("https://files.example.com/a"), POLICY)
    next(flow)
    with pytest.raises(StopIteration) as end:
        flow.send(HttpResponse(302, {"location": url}))
    assert end.value.value == FORBIDDEN


@pytest.mark.parametrize(
    ("told", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("86400", 86_400.0), ("nan", 1.0), ("inf", 1.0),
     ("1e300", 1.0), ("-inf", 0.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 1.0), ("", 1.0)],
)  # fmt: skip
def test_a_time_to_wait_is_a_number_that_can_be_waited_for(told: str, seconds: float) -> None:
    """What a server tells is taken within a month; everything else is the default."""
    assert retry_after(HttpResponse(429, {"retry-after": told})) == seconds
