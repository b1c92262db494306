"""A task that is asked to end is gone within 20 seconds, whatever else hangs."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.pipeline.hosts.installation import task
from tests.pipeline.serving import until
from threadline.backends.aws import names

LEAVES_WITHIN = 20.0


@contextmanager
def black_hole() -> Iterator[str]:
    """Take connections, and never say a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_an_idle_task_leaves_at_once(tmp_path: Path) -> None:
    """Where nothing is in hand nobody waits."""
    with task(tmp_path) as idle:
        until(idle.health, "health")
        status, seconds = idle.leave()
    assert status == 0
    assert seconds < 5.0


def test_a_task_whose_calls_hang_leaves_in_time(tmp_path: Path) -> None:
    """The account answers nothing: the task says that it leaves with work in hand, and is gone."""
    with black_hole() as url:
        surroundings = {
            **dict.fromkeys((*names.TABLES.values(), *names.QUEUES.values()), "nothing"),
            names.BLOBS: "none", names.SECRETS: "none/", names.STAGE: "test",
            "AWS_ENDPOINT_URL": url, "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_DEFAULT_REGION": "eu-central-1", "AWS_SECRET_ACCESS_KEY": "nothing",
        }  # fmt: skip
        with task(tmp_path, surroundings) as hanging:
            until(hanging.health, "health")
            time.sleep(1.0)
            status, seconds = hanging.leave()
    assert status == 1
    assert seconds < LEAVES_WITHIN
    (log,) = tmp_path.glob("task-*.log")
    assert "what is not accepted comes again" in log.read_text()
