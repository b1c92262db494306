"""What `/health` tells of each socket, and when it asks for a restart."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from long_running.health import STALLED_AFTER, page
from long_running.host import Host
from long_running.sockets.state import Phase, SocketState
from tests.unit.long_running.stage import NOW, Stage, opened

stage = pytest.fixture(opened)


def health(stage: Stage, host: Host) -> tuple[int, Mapping[str, Any]]:
    """Ask over HTTP how a host is doing."""

    async def ask() -> tuple[int, Mapping[str, Any]]:
        async with TestClient(TestServer(page(host, stage.clock.now))) as client:
            answer = await client.get("/health")
            told: Mapping[str, Any] = await answer.json()
            return answer.status, told

    return asyncio.run(ask())


@pytest.mark.parametrize("phase", [one for one in Phase if one is not Phase.WAITING])
def test_the_state_of_a_socket_is_told(stage: Stage, phase: Phase) -> None:
    """State, reason and when something last came; whatever they are, nothing is to be restarted."""
    host = stage.host()
    host.look()
    stage.lines[0].state = SocketState(phase, "because", NOW - 7.5)
    status, told = health(stage, host)
    wanted = {"state": str(phase), "why": "because", "last_event": NOW - 7.5}
    assert (status, told["stalled"], told["at"]) == (200, False, NOW)
    assert told["sockets"] == {"buzz/default": wanted}


def test_a_socket_that_another_process_holds_is_told_as_waiting(stage: Stage) -> None:
    """Who waits for a lease says so."""
    first, second = stage.host("one"), stage.host("two")
    first.look()
    second.look()
    assert health(stage, second)[1]["sockets"]["buzz/default"]["state"] == "waiting"


def test_a_host_that_no_longer_looks_after_its_sockets_is_to_be_restarted(stage: Stage) -> None:
    """After a minute without a look the answer is 503, and 200 once it looks again."""
    host = stage.host()
    host.look()
    stage.clock.sleep(STALLED_AFTER)
    assert health(stage, host)[0] == 200
    stage.clock.sleep(1)
    assert (health(stage, host)[0], health(stage, host)[1]["stalled"]) == (503, True)
    host.look()
    assert health(stage, host)[0] == 200
