"""The call a LangGraph Server makes when a run has ended."""

import json
from pathlib import Path

import pytest

from tests.pipeline.agent_server import agent_server
from tests.pipeline.langgraph_talk import Talk
from tests.unit.http.wire import serving

pytestmark = pytest.mark.langgraph


def test_the_server_calls_back_at_the_end(tmp_path: Path) -> None:
    """The call carries the configured secret as header, and the run's labels in its metadata."""
    secret = {"x-threadline-secret": "hush"}
    with (
        agent_server(tmp_path / "server", headers=secret) as server,
        serving(lambda connection: connection.answer()) as wire,
    ):
        talk = Talk.open(server.url, tmp_path / "blobs")
        talk.webhook = f"{wire.url}/agents/demo/ended"
        turn, run = talk.start("hello")
        talk.wait_until(lambda: bool(wire.requests))
        talk.close()
    head, _, body = wire.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /agents/demo/ended ")
    assert b"x-threadline-secret: hush" in head.lower()
    told = json.loads(body)
    assert (told["run_id"], told["status"]) == (run, "success")
    assert told["metadata"]["turn_id"] == turn
    assert told["metadata"]["conversation"] == "telegram/7"
