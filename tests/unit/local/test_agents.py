import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from threadline import wiring
from threadline.backends.clock import SystemClock
from threadline.core.ids import AgentName
from threadline.core.settings import AgentSettings, Settings
from threadline.local.agents import Agents, answers, unreachable
from threadline.local.front_door import listen

AGENT = AgentSettings(name=AgentName("mine"), dialect="langgraph", url="http://127.0.0.1:1")
NAMESPACE = "6ba7b811-9dad-11d1-80b4-00c04fd430c8"


def quiet(event: str, **values: str | float | bool) -> None:
    """Log nothing."""


@contextmanager
def agents_of(folder: Path, settings: Callable[[], Settings]) -> Iterator[tuple[Agents, list[str]]]:
    """Give what looks for agents, and what it says."""
    local = wiring.local_ports(folder, SystemClock(), synchronous="NORMAL")
    said: list[str] = []
    yield Agents(wiring.world_of(local.ports, quiet, settings=settings), said.append), said
    local.close()


def test_an_agent_that_comes_is_said_once(tmp_path: Path) -> None:
    """Silence is said once however often it is met, the answer once, its assistant remembered."""
    settings = Settings(version="1", namespace=NAMESPACE, agents={"mine": AGENT})

    async def run() -> None:
        nonlocal settings
        with agents_of(tmp_path, lambda: settings) as (agents, said):
            await agents.look()
            await agents.look()
            assert len(said) == 1
            assert "http://127.0.0.1:1 cannot be used" in said[0]
            url, close = await serving_assistants("only-one")
            here = replace(AGENT, url=url)
            settings = replace(settings, agents={"mine": here})
            await agents.look()
            await agents.look()
            assert said[1:] == [f"Agent mine at {url} answers with its assistant only-one."]
            assert agents.world.assistants == {"mine": "only-one"}
            await agents.world.calls.close()  # type: ignore[attr-defined]
            await close()

    asyncio.run(run())


async def serving_assistants(*names: str) -> tuple[str, Callable[[], Awaitable[None]]]:
    """Serve what an agent answers when asked for its assistants."""

    async def search(_: web.Request) -> web.Response:
        return web.json_response([{"graph_id": name, "assistant_id": name} for name in names])

    app = web.Application()
    app.router.add_post("/assistants/search", search)
    runner = web.AppRunner(app)
    await runner.setup()
    listener = listen(28_300)
    await web.SockSite(runner, listener).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}", runner.cleanup


@pytest.mark.parametrize(
    ("assistant", "offered", "words"),
    [
        ("", ("one",), "answers with its assistant one."),
        ("", (), "has no assistant"),
        ("", ("a", "b"), "(a, b): write one in threadline.yaml as agents.mine.assistant_id"),
        ("a", ("a", "b"), "answers with assistant a."),
        ("c", ("a", "b"), "assistant c, which it does not list: a, b"),
    ],
)
def test_what_has_to_be_written_is_said(
    assistant: str, offered: tuple[str, ...], words: str
) -> None:
    """Several assistants are listed with the place to write one; a clear case needs no word."""
    assert words in answers(replace(AGENT, assistant=assistant), offered)


def test_an_agent_that_cannot_be_used_is_one_line() -> None:
    """It names the agent, its address and why."""
    line = unreachable(AGENT, "connection refused")
    assert "\n" not in line
    assert all(word in line for word in ("mine", "http://127.0.0.1:1", "connection refused"))
