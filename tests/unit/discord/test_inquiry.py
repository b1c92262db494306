"""Sessions are not begun too often: a bot that does so loses its token."""

import json
from typing import Any

import pytest

from tests.contract.platforms.discord import CREDENTIALS, refused
from tests.flows import Script
from tests.unit.discord.sessions import APP, NOW, Gateway
from threadline.core.errors import CredentialsRejected, PlatformUnavailable, RateLimited
from threadline.core.http import HttpResponse, Lost
from threadline.core.socket import Cursor
from threadline.platforms.discord import PLATFORM

DAY = 86_400_000


def limit(remaining: int, reset_after: int = DAY, total: int = 1000) -> HttpResponse:
    """Give what Discord says of the sessions that are left."""
    told = {"total": total, "remaining": remaining, "reset_after": reset_after}
    body = {"url": "wss://gateway.discord.gg", "shards": 1, "session_start_limit": told}
    return HttpResponse(200, {}, json.dumps(body).encode())


def inquire(cursor: Cursor, *answers: Any) -> tuple[Cursor, list[str]]:
    """Ask, and give what was told and what was asked."""
    script = Script(list(answers))
    told = script.run(PLATFORM.inquire(CREDENTIALS, APP, cursor, NOW))
    return told, [one.url for one in script.requests]


def test_a_new_session_begins_where_discord_says() -> None:
    """The address is asked for, and taken where it is one of Discord's own."""
    told, asked = inquire({}, limit(1000))
    assert asked == ["https://discord.com/api/v10/gateway/bot"]
    opening = PLATFORM.connect(CREDENTIALS, APP, told, NOW, 0.5)
    assert opening.url == "wss://gateway.discord.gg/?v=10&encoding=json"
    elsewhere = PLATFORM.connect(CREDENTIALS, APP, {"gateway": "wss://evil.example"}, NOW, 0.5)
    assert elsewhere.url == "wss://gateway.discord.gg/?v=10&encoding=json"


def test_a_session_that_goes_on_needs_no_question() -> None:
    """To resume costs no session: nothing is asked, so that nothing can hold it up."""
    gateway = Gateway()
    gateway.enters()
    assert inquire(gateway.cursor) == ({}, [])


@pytest.mark.parametrize(
    ("remaining", "since", "waits"),
    [
        (1000, 2.0, 3.0),
        (1000, 5.0, 0.0),
        (800, 6.0, 0.0),
        (700, 6.0, 86_400 / 650 - 6.0),
        (700, 200.0, 0.0),
        (51, 6.0, 3600.0),
        (50, 90_000.0, 3600.0),
        (0, 90_000.0, 3600.0),
        (-1, 6.0, 0.0),
    ],
)
def test_sessions_are_spread_once_many_were_used(
    remaining: int, since: float, waits: float
) -> None:
    """Most of a day's sessions are free, the rest is spread over the day, and some stay unused."""
    cursor = {"begun": str(int(NOW - since))}
    if not waits:
        assert inquire(cursor, limit(remaining))[0]
        return
    with pytest.raises(RateLimited) as raised:
        inquire(cursor, limit(remaining))
    assert raised.value.after == pytest.approx(waits, abs=1.0)


def test_what_resets_soon_is_waited_for() -> None:
    """Where none are left, the wait ends with the day that Discord counts."""
    with pytest.raises(RateLimited) as raised:
        inquire({}, limit(0, reset_after=30_000))
    assert raised.value.after == 31.0


def test_a_clock_that_was_set_back_waits_no_longer() -> None:
    """A beginning that lies ahead is not waited for."""
    with pytest.raises(RateLimited) as raised:
        inquire({"begun": str(int(NOW + 9000))}, limit(1000))
    assert raised.value.after == 5.0


@pytest.mark.parametrize(
    ("answer", "means"),
    [
        (refused(401, 0, "401: Unauthorized"), CredentialsRejected),
        (refused(429, 0, "limited", retry_after=7.5), RateLimited),
        (refused(500, 0, "500"), PlatformUnavailable),
        (Lost("timeout", sent=True), PlatformUnavailable),
        (HttpResponse(200, {}, b"<html>"), PlatformUnavailable),
    ],
)
def test_without_an_answer_no_session_is_begun(answer: Any, means: type[Exception]) -> None:
    """A wrong token is said with what to do; everything else is tried again."""
    with pytest.raises(means) as raised:
        inquire({}, answer)
    if means is CredentialsRejected:
        assert "Reset Token" in str(raised.value)


@pytest.mark.parametrize("told", [{}, [], {"url": 5}, {"session_start_limit": {"total": "x"}}])
def test_nonsense_is_no_limit(told: Any) -> None:
    """An answer without numbers lets the session begin at the known address."""
    answer = HttpResponse(200, {}, json.dumps(told).encode())
    assert inquire({}, answer)[0] == {"gateway": ""}
