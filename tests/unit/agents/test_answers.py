"""What an agent's answers mean."""

import pytest

from threadline.agents.answers import content
from threadline.core.errors import (
    AgentBusy,
    AgentError,
    AgentRejected,
    AgentUnavailable,
    AgentUnknown,
    ThreadMissing,
)
from threadline.core.http import HttpResponse, Lost


def error_for(answer: HttpResponse | Lost) -> AgentError:
    """The error an answer becomes."""
    with pytest.raises(AgentError) as caught:
        content("create run", answer)
    return caught.value


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (302, AgentRejected),
        (400, AgentRejected),
        (401, AgentRejected),
        (403, AgentRejected),
        (404, ThreadMissing),
        (408, AgentUnknown),
        (409, AgentBusy),
        (422, AgentRejected),
        (429, AgentUnavailable),
        (500, AgentUnknown),
        (502, AgentUnknown),
        (503, AgentUnavailable),
        (504, AgentUnknown),
    ],
)
def test_every_status_has_one_meaning(status: int, meaning: type[AgentError]) -> None:
    """Only an answer that is certain to come before any effect lets us simply try again."""
    assert type(error_for(HttpResponse(status))) is meaning


@pytest.mark.parametrize(
    ("lost", "meaning"),
    [
        (Lost("refused", sent=False), AgentUnavailable),
        (Lost("timeout", sent=False), AgentUnavailable),
        (Lost("timeout", sent=True), AgentUnknown),
        (Lost("reset", sent=True), AgentUnknown),
        (Lost("too_large", sent=True), AgentUnknown),
        (Lost("forbidden", sent=False), AgentRejected),
    ],
)
def test_a_lost_answer_is_unknown_only_if_sent(lost: Lost, meaning: type[AgentError]) -> None:
    """What never left can be tried again; what may have arrived has to be looked for."""
    assert type(error_for(lost)) is meaning


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            b'{"detail": "Thread is already\\n running"}',
            "create run: 400 Thread is already running",
        ),
        (b'{"detail": {"code": "x", "message": "Sign in"}}', "create run: 400 Sign in"),
        (
            b'{"detail": [{"type": "extra_forbidden", "loc": ["body", "foo"], "input": "secret"}]}',
            "create run: 400 extra_forbidden at body.foo",
        ),
        (b"<html>Bad</html>", "create run: 400"),
        (b"[" * 100_000, "create run: 400"),
        (b"", "create run: 400"),
    ],
)
def test_the_reason_is_one_short_line(body: bytes, words: str) -> None:
    """Whatever shape the reason has, the log gets its words and not what was sent."""
    assert str(error_for(HttpResponse(400, {}, body))) == words


def test_a_long_reason_is_cut() -> None:
    """An agent cannot fill the log."""
    assert len(str(error_for(HttpResponse(400, {}, b'{"detail":"' + b"x" * 9999 + b'"}')))) < 250


@pytest.mark.parametrize("body", [b"<html>", b'{"run_id":', b"\xff\xfe"])
def test_an_unreadable_success_is_unknown(body: bytes) -> None:
    """A 200 that cannot be read may have done what was asked."""
    assert type(error_for(HttpResponse(200, {}, body))) is AgentUnknown


def test_leading_blank_lines_are_no_fault() -> None:
    """Servers keep a slow connection alive with line ends before the JSON."""
    assert content("join", HttpResponse(200, {}, b'\n\n{"a": 1}')) == {"a": 1}
    assert content("cancel", HttpResponse(202)) is None
