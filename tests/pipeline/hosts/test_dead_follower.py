"""A task that follows a run is killed: another one shows the answer in bounded time."""

import time
from pathlib import Path

import pytest

from long_running.peers import BEAT_EVERY, LATE
from tests.pipeline.agent_server import AgentServer
from tests.pipeline.hosts.installation import installed, task
from tests.pipeline.hosts.test_two_tasks import telegram
from tests.pipeline.serving import until
from threadline.app import lease

pytestmark = pytest.mark.langgraph

SWEEP_EVERY = 600.0
"""Seconds: so that no sweep finds what a task is to find."""

BOUND = BEAT_EVERY + LATE + lease.LENGTH + 7.5
LONG = f"{'word ' * 700}the end"
"""What the demo agent repeats word by word, for about half a minute."""


@pytest.mark.parametrize("beside", [True, False], ids=["another lives", "another begins"])
def test_a_dead_tasks_run_goes_on(tmp_path: Path, demo_server: AgentServer, beside: bool) -> None:
    """Killed with -9 while it follows: within 75 s another task goes on, and answers once."""
    with (
        telegram() as chat,
        installed(
            tmp_path, chat.app, chat.secrets, demo_server.url,
            follows=False, sweep_every=SWEEP_EVERY,
        ) as here,
        task(tmp_path, follows=True) as first,
    ):  # fmt: skip
        first.becomes(chat.socket, "connected")
        chat.say(LONG)
        until(lambda: chat.answers("word word"), here.logs)
        killed = time.monotonic()
        if not beside:
            first.kill()
        with task(tmp_path, follows=True) as second:
            second.becomes(chat.socket, "waiting")
            if beside:
                time.sleep(2 * BEAT_EVERY)
                first.kill()
                killed = time.monotonic()
            assert not chat.answers("the end")
            until(lambda: chat.answers("the end"), here.logs)
            assert time.monotonic() - killed < BOUND
            until(lambda: '"dead"' in here.logs(), here.logs)
        assert [chat.answers("the end"), len(chat.shown())] == [1, 1]
