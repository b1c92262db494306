"""The dialect `langgraph` as the use cases see it."""

import json

import pytest

from tests.flows import Script
from threadline.agents.langgraph import LangGraph
from threadline.core.agent import (
    Agent,
    AgentAccess,
    Artifact,
    Found,
    Obeys,
    RunStatus,
    StoredFile,
)
from threadline.core.errors import AgentUnknown, NotOffered, ThreadMissing
from threadline.core.http import BlobRef, HttpResponse
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId
from threadline.core.json import Json

AGENT: Agent = LangGraph()
ACCESS = AgentAccess("http://agent.example")
THREAD, RUN, TURN, OWNER = ThreadId("th"), RunId("r"), TurnId("t"), OwnerId("o")


def ok(body: Json) -> HttpResponse:
    """A success with this JSON."""
    return HttpResponse(200, {}, json.dumps(body).encode())


def listed(id_: str, status: str, turn: Json = None) -> Json:
    """A run in a list."""
    return {"run_id": id_, "status": status, "metadata": {"turn_id": turn}}


@pytest.mark.parametrize(
    ("runs", "found"),
    [
        ([], Found((), None)),
        (
            [listed("b", "running", "t"), listed("a", "success", "s")],
            Found(((RunId("b"), RunStatus.RUNNING),), None),
        ),
        (
            [listed("c", "pending"), listed("b", "running"), listed("a", "success", "t")],
            Found(((RunId("a"), RunStatus.SUCCESS),), RunId("c")),
        ),
        (
            [listed("b", "success", "t"), listed("a", "error", "t")],
            Found(((RunId("b"), RunStatus.SUCCESS), (RunId("a"), RunStatus.ERROR)), None),
        ),
    ],
)
def test_our_runs_are_told_from_others(runs: Json, found: Found) -> None:
    """Ours are those of the turn, in the server's order; foreign counts only while it is active."""
    assert Script([ok(runs)]).run(AGENT.find(THREAD, TURN, OWNER, ACCESS)) == found


def test_an_unreadable_list_finds_nothing_out() -> None:
    """A list that makes no sense is not taken for an empty one."""
    with pytest.raises(AgentUnknown):
        Script([ok([{"status": "running"}])]).run(AGENT.find(THREAD, TURN, OWNER, ACCESS))


def test_a_missing_thread_has_no_list() -> None:
    """The runs of a thread that is gone are not none, they are unknown."""
    with pytest.raises(ThreadMissing):
        Script([HttpResponse(404)]).run(AGENT.find(THREAD, TURN, OWNER, ACCESS))


@pytest.mark.parametrize("status", [200, 202, 204, 404, 409])
def test_cancelling_what_ended_is_success(status: int) -> None:
    """Every way to say that nothing runs any more is what was wanted."""
    Script([HttpResponse(status)]).run(AGENT.cancel(THREAD, RUN, OWNER, ACCESS))


def test_assistants_go_by_graph_or_by_id() -> None:
    """A graph's own assistant has the graph's name, and one made from it has its id, each once."""
    made: Json = [
        {"assistant_id": "u1", "graph_id": "demo", "metadata": {"created_by": "system"}},
        {"assistant_id": "u2", "graph_id": "demo", "metadata": {}},
        {"assistant_id": "u1", "graph_id": "demo", "metadata": {"created_by": "system"}},
        {"assistant_id": "", "graph_id": "x"},
    ]
    assert Script([ok(made)]).run(AGENT.assistants(ACCESS)) == ("demo", "u2")


@pytest.mark.parametrize("command", ["models", "memory", "goal", "bootstrap"])
def test_commands_are_not_offered(command: str) -> None:
    """A LangGraph Server answers none of the agent's commands, and none is asked of it."""
    assert command not in AGENT.traits.commands
    assert not isinstance(AGENT, Obeys)
    with pytest.raises(NotOffered):
        Script([]).run(AGENT.command(command, OWNER, ACCESS))


def test_files_stay_with_us() -> None:
    """There is nowhere to upload to or download from."""
    file = StoredFile("a", "text/plain", BlobRef("a", 1))
    assert Script([]).run(AGENT.attach(THREAD, file, OWNER, ACCESS)) == file
    assert AGENT.download(THREAD, Artifact("/a", "a"), OWNER, ACCESS) is None


def test_a_stream_is_followed_from_its_cursor() -> None:
    """Without a cursor everything is replayed, so that a follower who comes late misses nothing."""
    assert AGENT.follow(THREAD, RUN, "", OWNER, ACCESS).headers["last-event-id"] == "-1"
    assert AGENT.follow(THREAD, RUN, "7-0", OWNER, ACCESS).headers["last-event-id"] == "7-0"
    assert AGENT.decoder("7-0").cursor == "7-0"


def test_ids_cannot_leave_their_place_in_the_path() -> None:
    """An id with a slash or a question mark in it stays one part of the path."""
    url = AGENT.follow(ThreadId("a/../b?c"), RunId("d#e"), "", OWNER, ACCESS).url
    assert url == "http://agent.example/threads/a%2F..%2Fb%3Fc/runs/d%23e/stream"
