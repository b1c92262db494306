"""An emulator of Slack that others wrote takes our calls, and we read what it sends."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest
from slack_sdk import WebClient

from tests.contract.platforms.slack import CREDENTIALS
from tests.peers import path_of
from tests.pipeline.agent_server import free_port
from tests.unit.slack.apps import Speaker
from threadline.app.speak import destination_of
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.message import Ignored, Message, Messages, Parsed, Webhook
from threadline.core.posting import Reply, Stage
from threadline.core.reasons import Reason
from threadline.platforms.slack import PLATFORM

pytestmark = pytest.mark.node

SCRIPT: Final = Path(__file__).with_name("emulate.mjs")
NONCE, OTHER = "0123456789abcdef0123456789abcdef", "f" * 32
SOON: Final = 20.0


@dataclass(slots=True)
class Echo:
    """An app that answers what is addressed to it; `seen` is what became of each delivery."""

    app: Speaker
    seen: list[Parsed] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def receive(self, request: Webhook) -> None:
        """Verify, parse, and answer: a first sign of life, then the answer in its place."""
        now = time.time()
        PLATFORM.verify(request, self.app.credentials, now)
        parsed = PLATFORM.parse(request, self.app.credentials, now)
        self.seen.append(parsed)
        if isinstance(parsed, Messages) and parsed.messages[0].addressed:
            threading.Thread(target=self.answer, args=(parsed.messages[0],), daemon=True).start()

    def answer(self, message: Message) -> None:
        """Post and edit as a run does."""
        to = destination_of(message)
        receipt = self.app.post(PLATFORM.render(Reply("⏳ Working on it…"))[0], to, NONCE)
        self.app.edit(PLATFORM.render(Reply(f"echo: **{message.text}**"))[0], receipt, to)
        self.app.signal(Stage.DONE, to)
        self.answers.append(receipt.id)

    def messages(self) -> list[Message]:
        """Give the messages that came."""
        return [one.messages[0] for one in self.seen if isinstance(one, Messages)]

    def reasons(self) -> list[str]:
        """Give why the other deliveries lead to nothing."""
        return [one.reason for one in self.seen if isinstance(one, Ignored)]


@dataclass(slots=True)
class Workspace:
    """The emulator with a person in it, and the app that listens."""

    echo: Echo
    ada: WebClient
    channel: str

    def texts(self, channel: str, thread: str = "") -> list[str]:
        """Give what stands in a thread, or in a channel, oldest first."""
        if thread:
            told = self.ada.conversations_replies(channel=channel, ts=thread)["messages"]
        else:
            told = self.ada.conversations_history(channel=channel)["messages"][::-1]
        return [str(one["text"]) for one in told]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Start the emulator on a free port of this machine."""
    blobs = FileBlobs(tmp_path_factory.mktemp("blobs"))
    port = free_port()
    root = f"http://localhost:{port}"  # the name under which it hands out addresses of files
    secrets = {**CREDENTIALS.secrets, "bot_token": "xoxb-bot-of-nobody"}
    credentials = replace(CREDENTIALS, base_url=root, secrets=secrets)
    with contextlib.closing(BlockingHttp(blobs)) as http, listening() as (url, hear):
        echo = Echo(Speaker(http, blobs, credentials))
        hear(echo.receive)
        command = ["node", str(SCRIPT), str(path_of("node")), str(port), url]
        secret = credentials.secret("signing_secret")
        with subprocess.Popen([*command, secret], stdout=subprocess.PIPE, text=True) as emulator:
            assert emulator.stdout is not None
            assert emulator.stdout.readline() == "ready\n"
            ada = WebClient("xoxp-ada-of-nobody", base_url=f"{root}/api/")
            bot = WebClient("xoxb-bot-of-nobody", base_url=f"{root}/api/")
            channel = ada.conversations_create(name="plant")["channel"]["id"]
            bot.conversations_join(channel=channel)
            yield Workspace(echo, ada, channel)
            emulator.terminate()


@contextlib.contextmanager
def listening() -> Iterator[tuple[str, Callable[[Callable[[Webhook], None]], None]]]:
    """Listen for deliveries on 127.0.0.1; give the address and who shall hear them."""
    heard: list[Callable[[Webhook], None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            for listener in heard:
                listener(Webhook("POST", self.path, {}, headers, body))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its base's name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/webhooks/slack", heard.append
    finally:
        server.shutdown()
        server.server_close()


def until(reached: Callable[[], object]) -> None:
    """Wait for what must come soon."""
    ends = time.monotonic() + SOON
    while not reached():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.01)


def test_a_mention_is_answered_once_and_our_own_posts_are_not(workspace: Workspace) -> None:
    """The emulator's events pass as signed, its app's own posts and edits lead to nothing."""
    echo = workspace.echo
    asked = workspace.ada.chat_postMessage(
        channel=workspace.channel, text="<@U0BOT0001> is 2 &lt; 3 &amp; <https://x.example|so>?"
    )
    until(lambda: echo.answers)
    until(lambda: echo.reasons().count(Reason.OWN_MESSAGE) == 2)
    (message,) = echo.messages()
    assert message.text == "is 2 < 3 & [so](https://x.example)?"
    assert workspace.texts(workspace.channel, str(asked["ts"]))[1:] == [
        "echo: *is 2 &lt; 3 &amp; <https://x.example|so>?*"
    ]
    assert echo.app.find(destination_of(message), NONCE) is not None
    assert echo.app.find(destination_of(message), OTHER) is None
    assert len(echo.answers) == 1


def test_a_direct_message_is_answered_beside_it(workspace: Workspace) -> None:
    """Outside threads the answer stands in the channel itself."""
    echo = workspace.echo
    before = len(echo.answers)
    channel = workspace.ada.conversations_open(users="U0BOT0001")["channel"]["id"]
    workspace.ada.chat_postMessage(channel=channel, text="hello")
    until(lambda: len(echo.answers) == before + 1)
    assert echo.messages()[-1].private
    assert workspace.texts(channel) == ["hello", "echo: *hello*"]


def test_files_go_both_ways(workspace: Workspace) -> None:
    """A file shared with a text is fetched by its id; one of ours is shared in the thread."""
    echo = workspace.echo
    before = len(echo.answers)
    workspace.ada.files_upload_v2(
        channel=workspace.channel, content="numbers", filename="a.txt",
        initial_comment="<@U0BOT0001> read this",
    )  # fmt: skip
    until(lambda: len(echo.answers) == before + 1)
    message = echo.messages()[-1]
    assert message.text == "read this"
    assert echo.app.fetch(message.files[0]) == b"numbers"
    assert echo.app.upload("b.txt", b"more numbers", destination_of(message)).id
    until(lambda: echo.reasons().count("unknown_event") >= 2)
    assert len(echo.answers) == before + 1
