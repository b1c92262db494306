"""Which LangGraph Server answers; what is not told is no reason to call a good agent bad."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.flows import Script
from threadline.agents.langgraph import LangGraph
from threadline.core.agent import AgentAccess, Met
from threadline.core.http import HttpResponse, Lost

ACCESS = AgentAccess("http://agent.example", event_streaming=True)
OLD = "take event_streaming out of its configuration: it wants a newer server"


def probed(answer: HttpResponse | Lost, access: AgentAccess = ACCESS) -> Met:
    """Ask which server it is, which takes one call."""
    return Script([answer]).run(LangGraph().probe(access))


def told(**versions: Any) -> HttpResponse:
    """What a server tells of itself."""
    return HttpResponse(200, {}, json.dumps(versions).encode())


@pytest.mark.parametrize(
    ("versions", "remedy"),
    [
        ({"version": "0.10.0", "langgraph_py_version": "1.2.0"}, ""),
        ({"version": "1.0.0rc1", "langgraph_py_version": "2.0"}, ""),
        ({"version": "0.16.7"}, ""),
        ({"version": "0.9.99", "langgraph_py_version": "1.2.0"}, OLD),
        ({"version": "0.16.7", "langgraph_py_version": "1.1.10"}, OLD),
    ],
)
def test_a_server_that_is_too_old_for_what_is_asked_is_told(
    versions: dict[str, str], remedy: str
) -> None:
    """Event streaming wants two versions; who does not ask for it is not told of them."""
    met = Met(f"a LangGraph Server {versions['version']}", remedy)
    assert probed(told(**versions)) == met
    assert not probed(told(**versions), replace(ACCESS, event_streaming=False)).remedy


@pytest.mark.parametrize(
    "answer",
    [
        *(HttpResponse(status) for status in (204, 301, 401, 403, 404, 405, 429, 500, 502, 503)),
        HttpResponse(200, {}, b"<html>Welcome</html>"),
        HttpResponse(200, {}, b"[" * 100_000),
        *(HttpResponse(200, {}, body) for body in (b"", b"null", b"[]", b"7", b'"0.16"', b"\xff")),
        told(version=None),
        told(version=["0.16.7"], langgraph_py_version={"a": 1}),
        told(langgraph_py_version="9" * 5000),
        Lost("timeout", sent=True),
        Lost("too_large", sent=True),
        Lost("refused", sent=False),
    ],
)
def test_a_server_that_does_not_say_which_it_is_stays_nameless(answer: HttpResponse | Lost) -> None:
    """Whatever is answered at `/info`, runs may be had there: it listed its assistants before."""
    assert probed(answer) == Met("")


def test_a_version_is_told_on_one_short_line() -> None:
    """Nothing that a server tells of itself moves a terminal or fills it."""
    server = probed(told(version="0.16\n\x1b[2J\u202e" + "9" * 5000)).server
    assert server.isprintable()
    assert len(server) < 80
