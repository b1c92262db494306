"""The deployed stack with a bot and an agent beside it, and the commands of a person who has it."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import boto3
import httpx

from tests import planted
from tests.aws.deployment import STACK, Emulator, route, written
from tests.pipeline.agent_server import AgentServer, agent_server
from tests.pipeline.serving import CHAT, PATIENCE, PROGRAM, WEBHOOK_SECRET, environ_of, until
from tests.stubs.telegram import TelegramStub
from threadline.backends.aws import stack


@dataclass
class Installation:
    """A stack, a strict Telegram and a real agent; `folder` is where its operator works."""

    emulator: Emulator
    folder: Path
    telegram: TelegramStub
    agent: AgentServer
    outputs: Mapping[str, str]
    route: tuple[str, str]

    @property
    def environ(self) -> dict[str, str]:
        """The environment of the operator's commands."""
        return {**self.emulator.environ, "THREADLINE_AGENT_URL": self.agent.url}

    def threadline(self, *words: str, stdin: str = "") -> str:
        """Run a command on the stack and return what it printed."""
        done = subprocess.run(
            [*PROGRAM, *words, "--stack", STACK], cwd=self.folder, env=environ_of(self.environ),
            input=stdin, capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def watched(self) -> None:
        """Have what the functions write searched in this test."""
        planted.heard("the stack's logs", partial(written, self.emulator))
        planted.hidden(lambda: (self.telegram.token, WEBHOOK_SECRET))

    def write(self, text: str) -> None:
        """Let a person write to the bot, as the platform tells the API."""
        host, address = self.route
        answer = httpx.post(
            f"{address}/webhooks/telegram",
            json=self.telegram.say(CHAT, text),
            headers={"host": host, "x-telegram-bot-api-secret-token": WEBHOOK_SECRET},
            timeout=60.0,
        )
        assert (answer.status_code, answer.text) == (200, "{}")

    def posts(self) -> list[str]:
        """List the bot's posts in the chat."""
        return [one.text for one in self.telegram.shown(CHAT) if one.by_bot]

    def until_posted(self, *texts: str) -> None:
        """Wait until the bot's last posts are these."""
        wanted = list(texts)
        until(lambda: self.posts()[-len(wanted) :] == wanted, partial(written, self.emulator))


@contextmanager
def installed(emulator: Emulator, folder: Path) -> Iterator[Installation]:
    """Put a bot and an agent beside the stack, and write the file that names them."""
    outputs = stack.outputs(boto3.Session(), STACK)
    with agent_server(folder / "agent") as agent, TelegramStub(edit_interval=0) as telegram:
        telegram.add_chat(CHAT, "private")
        (folder / "threadline.yaml").write_text(
            "platforms: {telegram: {allow: everyone, apps: {default: "
            f"{{base_url: '{telegram.url}', transport: webhook}}}}}}}}\n"
        )
        way = route(emulator, outputs["PublicUrl"])
        yield Installation(emulator, folder, telegram, agent, outputs, way)
