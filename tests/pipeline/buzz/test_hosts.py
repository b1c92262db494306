import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from tests.pipeline.agent_server import free_port
from tests.pipeline.buzz.people import now, said, until
from tests.pipeline.serving import environ_of
from tests.stubs.nostr_relay import NostrRelay, nostr_relay
from tests.unit.buzz.relay import RELAY, channel, settings
from threadline import wiring
from threadline.app import codec, settings_items
from threadline.core.envelope import Arrived
from threadline.core.settings import Settings


@dataclass(slots=True)
class Task:
    """A long-running task as a process of its own."""

    process: subprocess.Popen[bytes]
    port: int

    def state(self) -> str:
        """Ask it how the socket is doing."""
        try:
            answer = httpx.get(f"http://127.0.0.1:{self.port}/health", timeout=5)
        except httpx.TransportError:
            return ""
        found: str = answer.json()["sockets"].get("buzz/default", {}).get("state", "")
        return found

    def becomes(self, state: str) -> None:
        """Wait for a state of the socket."""
        until(lambda: self.state() == state, state, patience=70.0)


@contextmanager
def task(folder: Path) -> Iterator[Task]:
    """Run a task on a state folder."""
    port = free_port()
    more = {"THREADLINE_STATE_FOLDER": str(folder), "THREADLINE_HEALTH": f"127.0.0.1:{port}"}
    more["THREADLINE_WATCH_HOST"] = "task"
    with (folder / f"task-{port}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "long_running.main"], env=environ_of(more),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            yield Task(process, port)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(30)


@dataclass(slots=True)
class Folder:
    """A state folder in which the bot is configured."""

    path: Path
    local: wiring.LocalPorts

    def logs(self) -> str:
        """Give what the tasks wrote last."""
        return "\n".join(path.read_text()[-3000:] for path in sorted(self.path.glob("*.log")))

    def mailbox(self) -> list[str]:
        """Take what stands in the mailbox, in order."""
        texts, queue = [], self.local.ports.queues.mailbox
        while taken := queue.receive(10, visibility=60.0):
            for one in taken:
                mail = codec.decode(one.body)
                assert isinstance(mail, Arrived)
                texts.append(mail.message.text)
            queue.delete([one.receipt for one in taken])
        return texts


@contextmanager
def folder(path: Path, relay: NostrRelay) -> Iterator[Folder]:
    """Configure the bot for this relay."""
    local = wiring.local_ports(path)
    app = replace(settings(), base_url=relay.url, transport="socket")
    configured = Settings(version="1", namespace="0" * 32, apps=(app,))
    settings_items.store_settings(local.ports.store, configured, time.time())
    secrets = path / "secrets.json"
    secrets.write_text(json.dumps({"buzz/default": {"private_key": f"{3:064x}"}}))
    secrets.chmod(0o600)
    try:
        yield Folder(path, local)
    finally:
        local.close()


def test_a_killed_task_is_followed_by_the_other(tmp_path: Path) -> None:
    """Two tasks: one holds the socket; killed with -9 it is followed, nothing lost or twice."""
    with nostr_relay(RELAY) as relay, folder(tmp_path, relay) as kept:
        relay.publish(channel("ch-1", at=now()))
        with task(tmp_path) as first:
            first.becomes("connected")
            with task(tmp_path) as second:
                second.becomes("waiting")
                relay.publish(said("one"))
                got = until(kept.mailbox, kept.logs)
                os.kill(first.process.pid, signal.SIGKILL)
                killed_at = time.monotonic()
                relay.publish(said("two", at=now() + 1))
                second.becomes("connected")
                assert time.monotonic() - killed_at < 60
                relay.publish(said("three", at=now() + 1))
                while len(got) < 3:
                    got += until(kept.mailbox, kept.logs)
                assert got == ["one", "two", "three"]
                second.process.send_signal(signal.SIGTERM)
                left_at = time.monotonic()
                assert second.process.wait(30) == 0
                assert time.monotonic() - left_at < 20
            with task(tmp_path) as third:
                third.becomes("connected")
                relay.publish(said("four", at=now() + 2))
                assert until(kept.mailbox, kept.logs) == ["four"]
    assert "three" not in "".join(path.read_text() for path in tmp_path.glob("*.log"))
