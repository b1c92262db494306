"""`threadline serve` as a person starts it: a process in a folder of its own."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests import planted
from tests.pipeline.agent_server import free_port
from tests.stubs.telegram import TelegramStub

PROGRAM = [Path(sys.executable).with_name("threadline")]
PATIENCE = 120.0
WEBHOOK_SECRET = "a-webhook-secret-of-nobody"
CHAT = 810001


def until[T](find: Callable[[], T], what: str | Callable[[], str]) -> T:
    """Wait until something is found, and say what was missing when it is not."""
    deadline = time.monotonic() + PATIENCE
    while not (found := find()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not seen: {what if isinstance(what, str) else what()}")
        time.sleep(0.05)
    return found


@dataclass(slots=True)
class Served:
    """A running `serve`; `said` is what it printed so far, logs included."""

    root: Path
    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)
    listener: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        planted.heard("serve's output", lambda: "".join(self.said))
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    @classmethod
    def start(cls, root: Path, environ: Mapping[str, str] | None = None, port: int = 0) -> "Served":
        """Start it; returns at once."""
        process = subprocess.Popen(
            [*PROGRAM, "serve", "--port", str(port or free_port())],
            cwd=root, env=environ_of(environ), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
        return cls(root, process)

    @property
    def url(self) -> str:
        """Where its front door is, once it is open."""
        told = self.root / ".threadline" / "serve.json"

        def text() -> str:
            ended = self.process.poll()
            assert ended is None, f"ended with {ended}:\n{''.join(self.said)}"
            return _text(told)

        return str(json.loads(until(text, "serve.json"))["url"])

    def says(self, *words: str, times: int = 1) -> str:
        """Wait for so many lines with all the words and give the last of them."""

        def lines() -> list[str]:
            found = [line for line in self.said if all(word in line for word in words)]
            return found if len(found) >= times else []

        return until(lines, lambda: f"{words} in:\n{''.join(self.said)}")[-1]

    def deliver(self, update: Mapping[str, Any], secret: str = WEBHOOK_SECRET) -> httpx.Response:
        """Send a Telegram update as Telegram does."""
        headers = {"x-telegram-bot-api-secret-token": secret}
        return httpx.post(f"{self.url}/webhooks/telegram", json=update, headers=headers)

    def interrupt(self) -> int:
        """Press Ctrl-C and wait for the end."""
        self.process.send_signal(signal.SIGINT)
        return self._wait()

    def kill(self) -> None:
        """Kill -9."""
        self.process.kill()
        self._wait()
        with contextlib.suppress(FileNotFoundError):
            (self.root / ".threadline" / "serve.json").unlink()

    def listen(self) -> None:
        """Write down what it prints until it ends."""
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            self.said.extend(lines)

    def _wait(self) -> int:
        status = self.process.wait(PATIENCE)
        self.listener.join(PATIENCE)
        return status


@contextlib.contextmanager
def serving(
    root: Path, environ: Mapping[str, str] | None = None, port: int = 0
) -> Iterator[Served]:
    """Run `serve` for as long as the block lasts, on a free port unless one is given."""
    served = Served.start(root, environ, port)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.kill()


def command(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run another word of the command in the folder."""
    return subprocess.run(
        [*PROGRAM, *words], cwd=root, env=environ_of(None), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def telegram_folder(root: Path, telegram: TelegramStub, transport: str = "webhook") -> Path:
    """Write a configuration and secrets under which anybody may talk to the stub's bot."""
    state = root / ".threadline"
    state.mkdir(mode=0o700, parents=True)
    write_configuration(root, telegram, transport)
    secrets = state / "secrets.json"
    entry = {"bot_token": telegram.token, "webhook_secret": WEBHOOK_SECRET}
    secrets.write_text(json.dumps({"telegram/default": entry}))
    secrets.chmod(0o600)
    telegram.add_chat(CHAT, "private")
    return root


def write_configuration(root: Path, telegram: TelegramStub, transport: str, more: str = "") -> None:
    """Write the configuration file, with further lines at its end."""
    (root / "threadline.yaml").write_text(
        "platforms:\n"
        "  telegram:\n"
        "    allow: everyone\n"
        "    apps:\n"
        f"      default: {{base_url: '{telegram.url}', transport: {transport}}}\n" + more
    )


def environ_of(more: Mapping[str, str] | None) -> dict[str, str]:
    """Give the environment of a person who set nothing but what is given."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    here = Path(__file__).resolve().parents[2]
    path = os.pathsep.join((str(here), str(here / "layers" / "threadline")))
    return {**kept, "PYTHONPATH": path, **(more or {})}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
