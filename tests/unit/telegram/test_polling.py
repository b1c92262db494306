"""Polling hands over what a webhook would bring, once it is kept, and says what is wrong."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from long_running.sockets.state import Backoff, Phase, SocketState
from long_running.sockets.telegram import (
    NOT_LET_IN,
    SECOND_POLLER,
    WEBHOOK_SET,
    TelegramPolling,
)
from tests.contract.platforms.telegram import CREDENTIALS
from tests.stubs.telegram import Fault, TelegramStub
from threadline.core.errors import StoreUnavailable
from threadline.core.message import Messages
from threadline.platforms.telegram.parse import parse

ADA = 810001
SOON = 20.0


@dataclass(slots=True)
class Taker:
    """Takes updates as ingest would; `answers` are given first, then it takes all."""

    answers: list[bool | Exception] = field(default_factory=list)
    offset: int = 0
    saved: list[int] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def accept(self, body: bytes) -> bool:
        """Take an update, or not."""
        answer = self.answers.pop(0) if self.answers else True
        if isinstance(answer, Exception):
            raise answer
        if answer:
            self.bodies.append(body)
        return answer

    def save(self, offset: int) -> None:
        """Keep the offset."""
        self.saved.append(offset)
        self.offset = offset

    @property
    def texts(self) -> list[str]:
        """Give the texts that were taken."""
        return [json.loads(body)["message"]["text"] for body in self.bodies]


@contextmanager
def polling(telegram: TelegramStub, taker: Taker, token: str = "") -> Iterator[TelegramPolling]:
    """Poll while the block runs, without long waits between tries."""
    poller = TelegramPolling(
        token=token or telegram.token,
        accept=taker.accept,
        load=lambda: taker.offset,
        save=taker.save,
        clock=lambda: 1_790_000_000.0,
        random=lambda: 0.0,
        base_url=telegram.url,
        backoff=Backoff(0.01, 0.02),
    )
    poller.start()
    try:
        yield poller
    finally:
        assert poller.stop()


def until(reached: Callable[[], object]) -> None:
    """Wait for what must come soon."""
    ends = time.monotonic() + SOON
    while not reached():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.005)


@pytest.fixture
def telegram() -> Iterator[TelegramStub]:
    """A Telegram with one private chat."""
    with TelegramStub() as stub:
        stub.add_chat(ADA)
        yield stub


def test_updates_arrive_as_they_are(telegram: TelegramStub) -> None:
    """Each update comes in order, in the JSON a webhook would have, and becomes a message."""
    sent = [telegram.say(ADA, text, later_field={"new": 1}) for text in ("one", "two 😀")]
    taker = Taker()
    with polling(telegram, taker) as poller:
        until(lambda: len(taker.bodies) == 2)
        sent.append(telegram.say(ADA, "three"))
        until(lambda: len(taker.bodies) == 3)
        assert poller.state == SocketState(Phase.CONNECTED, "", 1_790_000_000.0)
    assert [json.loads(body) for body in taker.bodies] == sent
    assert all(isinstance(parse(body, CREDENTIALS), Messages) for body in taker.bodies)
    assert poller.state.phase is Phase.STOPPED


def test_the_offset_moves_when_an_update_is_kept(telegram: TelegramStub) -> None:
    """An update that the mailbox does not take comes again, before those after it."""
    for text in ("one", "two", "three"):
        telegram.say(ADA, text)
    taker = Taker([True, False, False, StoreUnavailable("locked")])
    with polling(telegram, taker):
        until(lambda: len(taker.bodies) == 3)
    assert taker.texts == ["one", "two", "three"]
    assert taker.saved == [901, 902, 903]


def test_a_restart_goes_on_after_what_was_kept(telegram: TelegramStub) -> None:
    """A new poller begins where the last one's updates were kept; nothing comes twice."""
    taker = Taker()
    for number, text in enumerate(("one", "two"), 1):
        telegram.say(ADA, text)
        with polling(telegram, taker):
            until(lambda: len(taker.texts) == number)  # noqa: B023 - called at once
    assert taker.texts == ["one", "two"]


def test_only_what_we_read_is_asked_for(telegram: TelegramStub) -> None:
    """Updates of other kinds are not even sent to us."""
    telegram.push({"channel_post": {"message_id": 1}})
    telegram.say(ADA, "hello")
    taker = Taker()
    with polling(telegram, taker):
        until(lambda: taker.bodies)
    assert taker.texts == ["hello"]


def test_an_update_the_library_cannot_read_is_handed_over(telegram: TelegramStub) -> None:
    """One strange update does not stand in the way of those behind it."""
    telegram.push({"message": {"surprise": True}})
    telegram.push({"message": 7})
    telegram.say(ADA, "after")
    taker = Taker()
    with polling(telegram, taker):
        until(lambda: len(taker.bodies) == 3)
    assert json.loads(taker.bodies[2])["message"]["text"] == "after"


def test_a_registered_webhook_is_said_with_its_remedy(telegram: TelegramStub) -> None:
    """While a webhook is set the state says which command helps; after it, polling goes on."""
    telegram.webhook = "https://hooks.example.com/webhooks/telegram"
    telegram.say(ADA, "hello")
    taker = Taker()
    with polling(telegram, taker) as poller:
        until(lambda: poller.state.phase is Phase.REFUSED)
        assert poller.state.why == WEBHOOK_SET
        assert "threadline webhook delete telegram" in WEBHOOK_SET
        telegram.webhook = ""
        until(lambda: taker.bodies)
        assert poller.state.phase is Phase.CONNECTED


def test_a_second_poller_is_said(telegram: TelegramStub) -> None:
    """Two pollers end each other's calls: the one that is ended says why."""
    first, second = Taker(), Taker()
    with polling(telegram, first) as one, polling(telegram, second) as other:
        until(lambda: SECOND_POLLER in {one.state.why, other.state.why})


def test_a_wrong_token_is_said_with_its_remedy(telegram: TelegramStub) -> None:
    """A token Telegram does not know is tried again rarely; the remedy is said, the token not."""
    taker = Taker()
    with polling(telegram, taker, token="7:wrong-token-here") as poller:
        until(lambda: poller.state.phase is Phase.REFUSED)
        assert poller.state.why == NOT_LET_IN
        until(poller.stop)
    assert len(telegram.calls) == 1
    assert "wrong-token-here" not in repr(poller)


@pytest.mark.parametrize(
    "fault",
    [Fault.status(500), Fault.status(502), Fault.too_many(0), Fault.drop("before")],
    ids=["500", "502", "429", "dropped"],
)
def test_a_fault_of_telegrams_passes(telegram: TelegramStub, fault: Fault) -> None:
    """After faults it tries again by itself, and nothing is lost."""
    telegram.say(ADA, "hello")
    telegram.fault("getUpdates", fault, times=3)
    taker = Taker()
    with polling(telegram, taker):
        until(lambda: taker.bodies)
    assert taker.texts == ["hello"]


def test_a_telegram_that_cannot_be_reached_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """Without Telegram the state says so, and neither state nor log shows the token."""
    with TelegramStub() as stub:
        gone = TelegramStub(url=stub.url)
    with caplog.at_level(logging.DEBUG), polling(gone, Taker()) as poller:
        until(lambda: poller.state.phase is Phase.BACKING_OFF)
        assert "cannot be reached" in poller.state.why
        assert gone.token not in poller.state.why
    assert gone.token not in caplog.text


def test_the_log_never_shows_the_token(
    telegram: TelegramStub, caplog: pytest.LogCaptureFixture
) -> None:
    """At the most talkative level no address of a call is logged."""
    telegram.say(ADA, "hello")
    taker = Taker()
    with caplog.at_level(logging.DEBUG), polling(telegram, taker):
        until(lambda: taker.bodies)
    assert telegram.token not in caplog.text


def test_stopping_does_not_wait_for_an_answer(telegram: TelegramStub) -> None:
    """A poll under way is given up at once."""
    with polling(telegram, Taker()) as poller:
        until(lambda: len(telegram.calls) == 1)
        assert poller.stop()
    assert poller.state == SocketState(Phase.STOPPED)


def test_it_waits_as_long_as_telegram_asks(telegram: TelegramStub) -> None:
    """After an answer that names a time, no call comes before it has passed."""
    telegram.say(ADA, "hello")
    telegram.fault("getUpdates", Fault.too_many(1))
    taker = Taker()
    with polling(telegram, taker):
        until(lambda: taker.bodies)
    first, second = telegram.calls[:2]
    assert second.at - first.at >= 1.0
