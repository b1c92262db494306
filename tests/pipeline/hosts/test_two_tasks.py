"""Two tasks, one killed in mid-conversation: the other one goes on, for each kind of socket."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.buzz.people import now, said
from tests.pipeline.hosts.installation import Installation, Task, installed, task
from tests.pipeline.serving import CHAT, until
from tests.stubs.discord import BOT, GENERAL, DiscordStub
from tests.stubs.discord_server import DiscordServer
from tests.stubs.nostr_relay import nostr_relay
from tests.stubs.telegram import TelegramStub
from tests.unit.buzz.relay import ANN, RELAY, US, channel
from threadline.core.ids import AppName, PlatformName
from threadline.core.settings import AppSettings
from threadline.platforms.buzz.event import CHAT as SAID
from threadline.platforms.buzz.event import EDIT

pytestmark = pytest.mark.langgraph

TAKES_OVER_WITHIN = 60.0
LEAVES_WITHIN = 20.0
AT_ONCE = 25.0
LONG = f"{'word ' * 120}the end"
"""What the demo agent repeats word by word, for about five seconds."""


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation on a platform: `say` something in it, see what is `shown` of the bot.

    `checked` looks at how the platform was treated.
    """

    app: AppSettings
    secrets: dict[str, str]
    say: Callable[[str], object]
    shown: Callable[[], list[str]]
    checked: Callable[[], None] = lambda: None

    @property
    def socket(self) -> str:
        """The name of its socket."""
        return f"{self.app.platform}/{self.app.app}"

    def answers(self, text: str) -> int:
        """Count the bot's messages that say something."""
        return sum(text in one for one in self.shown())


def app_of(platform: str, url: str, transport: str) -> AppSettings:
    """Give an app's settings."""
    return AppSettings(
        platform=PlatformName(platform), app=AppName("default"), base_url=url, transport=transport
    )


@contextmanager
def discord() -> Iterator[Chat]:
    """A thread in a server: the first message is a mention, and makes it."""
    with DiscordServer(DiscordStub()) as server:
        stub, began = server.stub, list[str]()

        def say(text: str) -> None:
            for kind, about in stub.told:
                if kind == "THREAD_CREATE":
                    server.tell(kind, about)
            stub.told.clear()
            message = stub.say(*((began[0], text) if began else (GENERAL, f"<@{BOT}> {text}")))
            server.tell("MESSAGE_CREATE", message)
            began.append(message["id"])

        def shown() -> list[str]:
            return stub.shown(began[0]) if began and began[0] in stub.channels else []

        def checked() -> None:
            assert server.faults == []
            assert (server.identified, server.resumed) == (1, 2)

        app = app_of("discord", server.url, "gateway")
        yield Chat(app, {"bot_token": stub.token}, say, shown, checked)


@contextmanager
def buzz() -> Iterator[Chat]:
    """A thread in a channel of a relay, whose answers grow by edits."""
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        began = list[str]()

        def say(text: str) -> None:
            event = (
                ANN.sign(now(), SAID, (("h", "ch-1"), ("e", began[0])), text)
                if began else said(text)
            )  # fmt: skip
            began.append(event.id)
            relay.publish(event)

        def shown() -> list[str]:
            latest = {one["id"]: one["content"] for one in relay.stored(kinds=[SAID], authors=ours)}
            for edit in relay.stored(kinds=[EDIT], authors=ours):
                (target,) = (tag[1] for tag in edit["tags"] if tag[0] == "e")
                latest[target] = edit["content"]
            return list(latest.values())

        ours = [US.pubkey]
        app = app_of("buzz", relay.url, "socket")
        yield Chat(app, {"private_key": f"{3:064x}"}, say, shown)


@contextmanager
def telegram() -> Iterator[Chat]:
    """A private chat with a bot that polls."""
    with TelegramStub(edit_interval=0) as stub:
        stub.add_chat(CHAT, "private")
        app = app_of("telegram", stub.url, "polling")
        yield Chat(
            app, {"bot_token": stub.token}, lambda text: stub.say(CHAT, text),
            lambda: [one.text for one in stub.shown(CHAT) if one.by_bot],
        )  # fmt: skip


@pytest.mark.parametrize("platform", [buzz, discord, telegram])
def test_a_killed_task_is_followed_by_the_other(
    tmp_path: Path, demo_server: AgentServer, platform: Callable[[], Iterator[Chat]]
) -> None:
    """Killed with -9 while an answer is being worked on: within a minute the other task goes on.

    Every message is answered, in order, and none twice. A task that is stopped is followed at once.
    """
    with (
        platform() as chat,  # type: ignore[attr-defined]
        installed(tmp_path, chat.app, chat.secrets, demo_server.url) as here,
        task(tmp_path) as first,
    ):
        first.becomes(chat.socket, "connected")
        with task(tmp_path) as second:
            second.becomes(chat.socket, "waiting")
            talks_on(chat, here, first, second)
            chat.say("as it leaves")
            status, seconds = second.leave()
            assert (status, seconds < LEAVES_WITHIN) == (0, True)
        chat.say("between two tasks")
        with task(tmp_path) as third:
            assert third.becomes(chat.socket, "connected") < AT_ONCE
            until(lambda: chat.answers("between two tasks") == 1, here.logs)
            assert chat.answers("as it leaves") == 1
        assert chat.secrets.popitem()[1] not in here.logs()
    chat.checked()


def talks_on(chat: Chat, here: Installation, first: Task, second: Task) -> None:
    """Talk, kill the task that listens while an answer grows, and go on talking."""
    chat.say("hello")
    until(lambda: chat.answers("hello"), here.logs)
    chat.say(LONG)
    until(lambda: chat.answers("word word"), here.logs)
    first.kill()
    assert not chat.answers("the end")
    chat.say("while nobody hears")
    assert second.becomes(chat.socket, "connected") < TAKES_OVER_WITHIN
    until(lambda: chat.answers("while nobody hears"), here.logs)
    chat.say("afterwards")
    until(lambda: chat.answers("afterwards"), here.logs)
    wanted = ("hello", "the end", "while nobody hears", "afterwards")
    assert [chat.answers(text) for text in wanted] == [1, 1, 1, 1]
    assert len(chat.shown()) == len(wanted)


def test_a_task_that_stood_still_lets_go(tmp_path: Path, demo_server: AgentServer) -> None:
    """Stopped for a minute and woken, a task finds the socket held, and hands nothing over."""
    with (
        discord() as chat,
        installed(tmp_path, chat.app, chat.secrets, demo_server.url) as here,
        task(tmp_path) as first,
    ):
        first.becomes(chat.socket, "connected")
        with task(tmp_path) as second:
            second.becomes(chat.socket, "waiting")
            chat.say("hello")
            until(lambda: chat.answers("hello"), here.logs)
            first.process.send_signal(signal.SIGSTOP)
            chat.say("while it stands still")
            assert second.becomes(chat.socket, "connected") < TAKES_OVER_WITHIN
            first.process.send_signal(signal.SIGCONT)
            chat.say("once it is awake")
            until(lambda: chat.answers("once it is awake"), here.logs)
            first.becomes(chat.socket, "waiting")
            assert second.socket(chat.socket)["state"] == "connected"
            wanted = ("hello", "while it stands still", "once it is awake")
            assert [chat.answers(text) for text in wanted] == [1, 1, 1]
            assert len(chat.shown()) == len(wanted)
