"""Socket Mode hands over what a webhook would bring, and acknowledges what is kept."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from long_running.sockets.slack import NOT_LET_IN, SlackSocket
from long_running.sockets.state import Backoff, Phase
from tests.contract.platforms.slack import CREDENTIALS
from tests.stubs.slack import Fault, SlackStub
from tests.stubs.slack_socket import SlackSockets
from threadline.core.errors import StoreUnavailable
from threadline.core.message import Message, MessageKind, Messages, Webhook
from threadline.platforms.slack import PLATFORM

IM = "D0ADA00001"
SOON = 20.0


@dataclass(slots=True)
class Taker:
    """Takes bodies as ingest would; `answers` are given first, then it takes all."""

    answers: list[bool | Exception] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def accept(self, body: bytes) -> bool:
        """Take a body, or not."""
        self.bodies.append(body)
        answer = self.answers.pop(0) if self.answers else True
        if isinstance(answer, Exception):
            raise answer
        return answer

    def messages(self) -> list[Message]:
        """Parse what was taken, as the webhook's bodies are parsed."""
        request = Webhook("POST", "/", {}, {"content-type": "application/json"}, b"")
        found = []
        for body in self.bodies:
            parsed = PLATFORM.parse(replace(request, body=body), CREDENTIALS, 1_790_000_000.0)
            assert isinstance(parsed, Messages)
            found.append(parsed.messages[0])
        return found


@pytest.fixture
def slack() -> Iterator[SlackStub]:
    """A workspace with one direct message channel."""
    with SlackStub() as stub:
        stub.add_channel(IM)
        yield stub


@pytest.fixture
def sockets(slack: SlackStub) -> Iterator[SlackSockets]:
    """The workspace's other end of Socket Mode."""
    with SlackSockets() as server:
        slack.socket_url = server.url
        yield server


@contextmanager
def connected(slack: SlackStub, taker: Taker, token: str = "") -> Iterator[SlackSocket]:
    """Hold a connection while the block runs, without long waits between tries."""
    socket = SlackSocket(
        app_token=token or slack.app_token, accept=taker.accept, clock=lambda: 1_790_000_000.0,
        random=lambda: 0.0, base_url=slack.url, backoff=Backoff(0.01, 0.02), ping_every=0.2,
        greeted_within=1.0,
    )  # fmt: skip
    socket.start()
    try:
        yield socket
    finally:
        assert socket.stop()


def until(reached: Callable[[], object]) -> None:
    """Wait for what must come soon."""
    ends = time.monotonic() + SOON
    while not reached():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.005)


def ready(socket: SlackSocket) -> Callable[[], bool]:
    """Tell whether Slack has greeted us."""
    return lambda: socket.state.phase is Phase.CONNECTED


def test_events_arrive_as_a_webhook_brings_them(slack: SlackStub, sockets: SlackSockets) -> None:
    """Each event comes in order, becomes the same message, and is acknowledged."""
    taker = Taker()
    events = [slack.say(IM, text) for text in ("one", "two 😀", "three")]
    with connected(slack, taker) as socket:
        until(ready(socket))
        sent = [sockets.send("events_api", event) for event in events]
        until(lambda: sockets.acknowledged == sent)
        assert socket.state.last_event == 1_790_000_000.0
    assert [json.loads(body) for body in taker.bodies] == events
    assert [message.text for message in taker.messages()] == ["one", "two 😀", "three"]
    assert socket.state.phase is Phase.STOPPED


def test_what_is_not_kept_is_not_acknowledged(slack: SlackStub, sockets: SlackSockets) -> None:
    """An envelope the mailbox does not take gets no answer, so that Slack sends it again."""
    taker = Taker([False, StoreUnavailable("locked")])
    event = slack.say(IM, "one")
    with connected(slack, taker) as socket:
        until(ready(socket))
        for number in (1, 2):
            sockets.send("events_api", event, "env")
            until(lambda: len(taker.bodies) == number)  # noqa: B023 - called at once
            assert sockets.acknowledged == []
        until(lambda: "mailbox" in socket.state.why)
        sockets.send("events_api", event, "env")
        until(lambda: sockets.acknowledged == ["env"])
        assert socket.state.why == ""


def test_commands_and_buttons_come_the_same_way(slack: SlackStub, sockets: SlackSockets) -> None:
    """A slash command is echoed with its acknowledgement; a press is a press."""
    command = {"command": "/ask", "text": "hello", "channel_id": IM, "user_id": "U0ADA0001",
               "team_id": "T0ACME001", "trigger_id": "1.2.a"}  # fmt: skip
    press = {
        "type": "block_actions", "user": {"id": "U0ADA0001", "team_id": "T0ACME001"},
        "channel": {"id": IM}, "message": {"ts": "1790000000.000100"},
        "actions": [{"block_id": "threadline-T0ACME001", "value": "blue",
                     "action_ts": "1790000001.000100"}],
    }  # fmt: skip
    taker = Taker()
    with connected(slack, taker) as socket:
        until(ready(socket))
        sockets.send("slash_commands", command)
        sockets.send("interactive", press)
        until(lambda: len(sockets.answers) == 2)
    assert sockets.answers[0]["payload"] == {"response_type": "in_channel"}
    assert "payload" not in sockets.answers[1]
    assert [message.text for message in taker.messages()] == ["hello", "blue"]
    assert taker.messages()[1].kind is MessageKind.PRESS


def test_a_closed_connection_is_opened_again(slack: SlackStub, sockets: SlackSockets) -> None:
    """When the connection ends another is made, and what comes on it is taken."""
    taker = Taker()
    with connected(slack, taker) as socket:
        until(ready(socket))
        sockets.drop()
        until(lambda: len(sockets.connections) == 2)
        until(ready(socket))
        sockets.send("events_api", slack.say(IM, "after"))
        until(lambda: taker.bodies)
    assert [message.text for message in taker.messages()] == ["after"]


def test_slack_may_ask_to_move(slack: SlackStub, sockets: SlackSockets) -> None:
    """An announced end of the connection is met by a new one before it comes."""
    taker = Taker()
    with connected(slack, taker) as socket:
        until(ready(socket))
        sockets.ask_to_move()
        until(lambda: len(sockets.connections) == 2)
        sockets.send("events_api", slack.say(IM, "moved"))
        until(lambda: taker.bodies)


def test_a_wrong_token_is_said_with_its_remedy(slack: SlackStub, sockets: SlackSockets) -> None:
    """A token Slack does not take is tried again rarely; the remedy is said, the token is not."""
    with connected(slack, Taker(), token="xapp-wrong-token-here") as socket:
        until(lambda: socket.state.phase is Phase.REFUSED)
        assert socket.state.why == NOT_LET_IN.format(word="invalid_auth")
        until(socket.stop)
    assert sockets.connections == []
    assert "wrong-token" not in repr(socket)


@pytest.mark.parametrize(
    "fault", [Fault.word("internal_error"), Fault.status(502), Fault.drop("before")]
)
def test_trouble_is_waited_out(slack: SlackStub, sockets: SlackSockets, fault: Fault) -> None:
    """While Slack gives no address it is asked again, and then everything is as before."""
    slack.fault("apps.connections.open", fault, times=2)
    with connected(slack, Taker()) as socket:
        until(ready(socket))
    assert len(sockets.connections) == 1


def test_without_a_greeting_it_is_not_connected(slack: SlackStub, sockets: SlackSockets) -> None:
    """A connection on which Slack says nothing counts as none, and is tried again."""
    sockets.silent = True
    with connected(slack, Taker()) as socket:
        until(lambda: "no greeting" in socket.state.why)
        sockets.silent = False
        until(ready(socket))
