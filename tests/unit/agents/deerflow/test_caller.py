"""Who calls a Gateway, for whom, and at which address."""

import re

import pytest

from tests.flows import Script
from tests.unit.agents.deerflow.asking import ACCESS, AGENT, OWNER, PERSONAL, RUN, THREAD, TURN, URL
from threadline.agents.deerflow.caller import Caller, on_behalf
from threadline.core.agent import AgentAccess
from threadline.core.errors import AgentRejected
from threadline.core.http import HttpRequest, HttpResponse
from threadline.core.ids import OwnerId


def calls(access: AgentAccess, owner: OwnerId = OWNER) -> list[HttpRequest]:
    """Make one call of each kind: a question, a change, a stream."""
    listing = Script([HttpResponse(200, {}, b"[]")])
    listing.run(AGENT.find(THREAD, TURN, owner, access))
    cancelling = Script([HttpResponse(202)])
    cancelling.run(AGENT.cancel(THREAD, RUN, owner, access))
    following = AGENT.follow(THREAD, RUN, "", owner, access)
    return [*listing.requests, *cancelling.requests, following]


@pytest.mark.parametrize("access", [ACCESS, PERSONAL, AgentAccess(URL)])
def test_every_call_has_a_pair_of_equal_tokens(access: AgentAccess) -> None:
    """Servers that check for forged pages want header and cookie alike, of every caller."""
    for call in calls(access):
        assert call.headers["x-csrf-token"]
        assert call.headers["cookie"] == f"csrf_token={call.headers['x-csrf-token']}"


def test_the_internal_token_speaks_for_an_owner() -> None:
    """Token and owner are on every call, and nothing else that says who we are."""
    for call in calls(ACCESS):
        assert call.headers["x-deerflow-internal-token"] == "internal-secret"
        assert call.headers["x-deerflow-owner-user-id"] == "alice"
        assert "authorization" not in call.headers


def test_a_personal_token_speaks_for_itself() -> None:
    """It is a bearer token without an owner beside it."""
    for call in calls(PERSONAL):
        assert call.headers["authorization"] == "Bearer dfp_secret"
        assert not any(name.startswith("x-deerflow") for name in call.headers)


def test_the_internal_token_comes_first() -> None:
    """Where both are stored, the one that may do everything is used, alone."""
    both = AgentAccess(URL, {**ACCESS.secrets, **PERSONAL.secrets})
    assert not on_behalf(OWNER, both).personal
    assert all("authorization" not in call.headers for call in calls(both))


@pytest.mark.parametrize("owner", ["slack-T1_U9", "0b9f6a52-6a53-4f39-9e0b-1f5d3f6f0a01"])
def test_a_safe_owner_is_sent_as_it_is(owner: str) -> None:
    """The id of a DeerFlow user reaches the threads this person sees elsewhere."""
    assert calls(ACCESS, OwnerId(owner))[0].headers["x-deerflow-owner-user-id"] == owner


@pytest.mark.parametrize(("owner", "begins"), [("slack:T1:U9", "slack-T1-U9-"), ("张三", "---")])
def test_an_owner_is_sent_in_the_characters_that_are_taken(owner: str, begins: str) -> None:
    """Other characters make every run fail: they are replaced, and a digest follows."""
    sent = calls(ACCESS, OwnerId(owner))[0].headers["x-deerflow-owner-user-id"]
    assert re.fullmatch(re.escape(begins) + "[0-9a-f]{16}", sent)


def test_different_owners_stay_different() -> None:
    """Two ids that look alike once they are safe have stores of their own."""
    one, other = (calls(ACCESS, OwnerId(raw))[0].headers for raw in ("a:b", "a/b"))
    assert one["x-deerflow-owner-user-id"] != other["x-deerflow-owner-user-id"]


def test_nobody_has_no_thread() -> None:
    """A call for a thread without an owner is refused here: it would land in a common store."""
    with pytest.raises(AgentRejected, match="nobody"):
        calls(ACCESS, OwnerId(""))


@pytest.mark.parametrize(
    ("configured", "called"),
    [
        ("http://g:8001", "http://g:8001/api/models"),
        ("http://g:8001/", "http://g:8001/api/models"),
        ("http://g:8001/api", "http://g:8001/api/models"),
        ("https://g.example/deer", "https://g.example/deer/api/models"),
    ],
)
def test_the_api_is_found_below_the_address(configured: str, called: str) -> None:
    """The address may be the Gateway's root or its API."""
    assert Caller(AgentAccess(configured)).url("/models") == called


def test_the_address_of_the_other_api_is_told() -> None:
    """Only a proxy serves `/api/langgraph`, and only a part of what is needed: say so."""
    with pytest.raises(AgentRejected, match="without /api/langgraph"):
        Caller(AgentAccess("http://g:2026/api/langgraph/")).url("/models")


def test_tokens_are_never_shown() -> None:
    """No representation of a call or of who makes it holds a token."""
    shown = repr([*calls(ACCESS), *calls(PERSONAL), on_behalf(OWNER, ACCESS)])
    assert "secret" not in shown
