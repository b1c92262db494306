import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.crowds import crowd, records, seed
from tests.pipeline.agent_server import free_port
from tests.pipeline.serving import environ_of
from threadline import wiring
from threadline.app import codec, lease
from threadline.core.envelope import RunEnded
from threadline.core.ports import Queue

RUNS = 2000


@contextmanager
def task(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the long-running task, which follows runs, on a state folder."""
    more = {
        "THREADLINE_STATE_FOLDER": str(folder), "THREADLINE_WATCH_HOST": "task",
        "THREADLINE_HEALTH": f"127.0.0.1:{free_port()}",
    }  # fmt: skip
    with log_of(folder).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "long_running.main"], env=environ_of(more),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(30)


def leave(process: subprocess.Popen[bytes]) -> None:
    """Tell a task to stop and see it leave within 20 s."""
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0


def log_of(folder: Path) -> Path:
    """Name the file that both tasks log to."""
    return folder / "task.log"


def lines(folder: Path) -> list[dict[str, Any]]:
    """Read what both tasks logged."""
    return [json.loads(line) for line in log_of(folder).read_text().splitlines()]


def renewed(local: wiring.LocalPorts, since: float) -> bool:
    """Tell whether every lease was prolonged since then."""
    kept = records(local.ports.store, RUNS)
    return len(kept) == RUNS and min(one.lease_end for one in kept) > since + lease.LENGTH


def ended(mailbox: Queue) -> Counter[str]:
    """Take the mail about ended runs, by turn."""
    turns: Counter[str] = Counter()
    while taken := mailbox.receive(10, visibility=60.0):
        for one in taken:
            mail = codec.decode(one.body)
            assert isinstance(mail, RunEnded)
            assert mail.outcome == "success"
            turns[mail.turn] += 1
        mailbox.delete([one.receipt for one in taken])
    return turns


@pytest.fixture
def local(tmp_path: Path) -> Iterator[wiring.LocalPorts]:
    """Open the embedded ports in a folder."""
    opened = wiring.local_ports(tmp_path)
    yield opened
    opened.close()


def test_two_thousand_runs_are_followed_at_once(tmp_path: Path, local: wiring.LocalPorts) -> None:
    """One task follows 2,000 runs, renews each lease, and when told to stop hands all over in 20 s.

    The next one goes on where it left, and brings every answer, whole and once.
    """
    with crowd() as agent:
        seed(local, agent.url, range(RUNS))
        with task(tmp_path) as first:
            agent.until(lambda seen: seen["open"] == RUNS)
            since = time.time()
            agent.until(lambda _: renewed(local, since))
            leave(first)
        left = records(local.ports.store, RUNS)
        assert {(one.lease, one.holder, bool(one.cursor)) for one in left} == {(2, "", True)}
        with task(tmp_path) as second:
            agent.until(lambda seen: seen["open"] == RUNS)
            agent.end()
            agent.until(lambda seen: seen["whole"] == RUNS)
            leave(second)
        seen = agent.seen()
    assert {(one.lease, one.ended) for one in records(local.ports.store, RUNS)} == {(3, True)}
    assert ended(local.ports.queues.mailbox) == Counter(f"turn-{one}" for one in range(RUNS))
    assert (seen["runs"], seen["joined"], seen["from_start"]) == (RUNS, 2 * RUNS, RUNS)
    assert seen["calls"]["POST editMessageText"] == RUNS
    told = Counter((line["event"], line["state"]) for line in lines(tmp_path) if "turn" in line)
    assert told == {("lease", "handed over"): RUNS, ("part", "sent"): RUNS}
