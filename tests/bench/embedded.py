"""The whole path through `threadline serve`: a webhook in, its run created, its answer posted."""

import json
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench.children import PEERS, Child, Told, medians
from tests.bench.gates import Row
from tests.bench.talkers import Talkers
from tests.bench.usage import cpu_of
from tests.pipeline.serving import WEBHOOK_SECRET, serving
from tests.stubs.immediate import immediate

CHATS = 250
"""Conversations that go on at once. Each waits for its answer, which takes a second of pace
(Telegram's between two edits), and reads it for another second."""

ROUNDS = 5
SETTLED = 4.0
MEASURED = 8.0
PEER_MEASURED = 4.0
WARM, IDLE = 10, 30
A_MESSAGE = 1000 / 60
"""Milliseconds of a message where 60 a second are handled."""

TO_CREATED = 25.0


def embedded() -> Iterator[Row]:
    """One process, every write on the disk before it counts, an agent that answers at once."""
    with immediate() as agent, tempfile.TemporaryDirectory() as folder:
        root = _written(Path(folder), agent.url)
        peer = Child(PEERS, "peers/wait.py", (agent.url,))
        with serving(root, {"THREADLINE_AGENT_URL": agent.url}) as served, peer.started() as waits:
            talkers = Talkers(served.url, agent)
            agent.do(talkers.one_by_one(WARM))  # everything is loaded
            idle = statistics.median(agent.do(talkers.one_by_one(IDLE)))
            told: list[Told] = []
            for _ in range(ROUNDS):
                spent = partial(cpu_of, served.process.pid)
                took, cost = agent.do(talkers.all_at_once(CHATS, SETTLED, MEASURED, spent))
                theirs = _looped(waits)
                told.append({"took": took, "cpu": cost, "peer": theirs["message"]})
    ours = medians(told)
    yield Row("idle, half of all runs are created within", idle, TO_CREATED, "ms", 1.0)
    beside = f"the SDK's create and wait: {1000 / ours['peer']:.0f} a second"
    yield Row(f"60 messages a second ({beside})", ours["took"], A_MESSAGE, "ms", 1.0, 1.5)
    yield Row("CPU of a message, to a core at 60 a second", ours["cpu"], A_MESSAGE, "ms", 1.0, 1.2)


def _looped(waits: subprocess.Popen[str]) -> Told:
    """Let the peer's loop run for a while; give its own figure."""
    assert waits.stdin is not None
    assert waits.stdout is not None
    waits.stdin.write(f"{PEER_MEASURED}\n")
    waits.stdin.flush()
    told: Told = json.loads(waits.stdout.readline())
    return told


def _written(root: Path, url: str) -> Path:
    """Write what a person writes who has a bot: a configuration and its secrets."""
    app = f"{{base_url: '{url}', transport: webhook}}"
    (root / "threadline.yaml").write_text(
        f"platforms: {{telegram: {{allow: everyone, apps: {{default: {app}}}}}}}\n"
    )
    secrets = root / ".threadline" / "secrets.json"
    secrets.parent.mkdir(mode=0o700)
    bot = {"bot_token": "7000000001:token-of-nobody", "webhook_secret": WEBHOOK_SECRET}
    secrets.write_text(json.dumps({"telegram/default": bot}))
    secrets.chmod(0o600)
    return root
