import asyncio
import os
from pathlib import Path

import pytest
from aiohttp import web

from tests.peers import ROOT, path_of
from tests.pipeline.agent_server import free_port
from threadline.core.errors import AgentUnavailable
from threadline.local import demo_agent
from threadline.local.demo_agent import Bundle, DemoAgent

pytestmark = pytest.mark.langgraph


def bundle(folder: Path) -> Bundle:
    """Say where the demo agent is."""
    return Bundle(path_of("langgraph"), ROOT / "demo_agent", folder / "agent", folder / "agent.log")


def test_another_server_on_the_port_is_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who takes the port between our look and the start is noticed, and the next port is used."""
    taken, free = free_port(), free_port()
    monkeypatch.setattr(demo_agent, "free_ports", lambda *_: [taken, free])

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({"host": {"host_revision_id": "of-another"}})

    async def run() -> None:
        app = web.Application()
        app.router.add_get("/info", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", taken).start()
        demo = DemoAgent(bundle(tmp_path), dict(os.environ), lambda: "a-mark")
        moves: list[str] = []
        demo.on_move(moves.append)
        try:
            assert await demo.start() == f"http://127.0.0.1:{free}"
            assert moves == [demo.url]
        finally:
            await demo.stop()
            await runner.cleanup()

    asyncio.run(run())
    assert (tmp_path / "agent.log").stat().st_size > 0


def test_a_demo_agent_that_is_not_installed_is_said(tmp_path: Path) -> None:
    """A missing program is named at once, with the way to get it."""

    async def run() -> None:
        missing = Bundle(tmp_path / "none", ROOT / "demo_agent", tmp_path / "a", tmp_path / "log")
        await DemoAgent(missing, {}, lambda: "a-mark").start()

    with pytest.raises(AgentUnavailable, match="make setup"):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("body", "mark"),
    [
        (b'{"host": {"host_revision_id": "m"}}', "m"),
        (b'{"host": {"host_revision_id": null}}', ""),
        (b'{"host": null}', ""),
        (b"[]", ""),
        (b"<html>", ""),
    ],
)
def test_the_mark_is_read_from_any_answer(body: bytes, mark: str) -> None:
    """Whatever a stranger answers, it is not taken for our mark."""
    assert demo_agent.read_mark(body) == mark
