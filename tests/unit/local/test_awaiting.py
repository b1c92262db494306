"""What is said while the first delivery is awaited, and how it ends."""

from collections.abc import Callable, Sequence

import pytest

from tests.contract.platforms.slack import CREDENTIALS
from threadline.app.explain import Journey
from threadline.app.logline import Line, Step
from threadline.backends.clock import VirtualClock
from threadline.core.setup import Registration
from threadline.local.awaiting import Arrival, Awaiting

APP = Registration(credentials=CREDENTIALS, transport="webhook", suffix=" --stack threadline-dev")
ANSWERED = ("starting", "run_created", "run_ended")
SET_SECRETS = "threadline secrets set slack --stack threadline-dev"


def delivery(reason: str, number: int = 1, app: str = "default") -> Line:
    """Make a line of ingest's."""
    return {"event": "delivery", "platform": "slack", "app": app, "reason": reason,
            "delivery": f"d{number}"}  # fmt: skip


class Log:
    """Lines that come one at a time, and the journeys of their deliveries."""

    def __init__(self, lines: Sequence[Line], journeys: dict[str, tuple[str, ...]]) -> None:
        self.coming = list(lines)
        self.come: list[Line] = []
        self.journeys = journeys

    def lines(self) -> Sequence[Line]:
        """Give what was logged so far, one line more each time."""
        self.come += self.coming[:1]
        self.coming = self.coming[1:]
        return self.come

    def journey(self, name: str) -> Journey:
        """Give the journey of a delivery."""
        reasons = self.journeys.get(name, ())
        return Journey(name, tuple(Step(float(n), one, "", "c") for n, one in enumerate(reasons)))


def awaited(
    lines: Sequence[Line],
    journeys: dict[str, tuple[str, ...]] | None = None,
    hindrances: Callable[[], Sequence[str]] = tuple,
    seconds: float = 60.0,
) -> tuple[Awaiting, list[str]]:
    """Wait to the end, and give what was said."""
    said: list[str] = []
    log = Log(lines, journeys or {})
    awaiting = Awaiting(APP, log.lines, log.journey, hindrances, VirtualClock(), said.append)
    awaiting(seconds)
    return awaiting, said


def test_an_answered_message_ends_it() -> None:
    """It says that it works, what became of the message, and waits no longer."""
    awaiting, said = awaited([delivery("accepted")], {"d1": ANSWERED}, seconds=1e9)
    assert awaiting.came is Arrival.ANSWERED
    assert said[0] == "It works: a delivery arrived and was taken (d1)."
    assert "run_ended" in said[-1]
    assert awaiting.summary == "slack works."


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        (("not_allowed",), "It led to no answer, for the reason above"),
        (("no_binding",), "It led to no answer, for the reason above"),
        (("admitted",), "Its sender is let in. Now write anything."),
        (("starting", "agent_rejected"), "was not answered well: agent_rejected"),
    ],
)
def test_a_message_without_an_answer_is_not_the_end(reasons: tuple[str, ...], told: str) -> None:
    """The delivery works, which is said; another message is waited for, and the end is honest."""
    awaiting, said = awaited([delivery("accepted")], {"d1": reasons})
    assert awaiting.came is Arrival.ARRIVED
    assert told in said[-1]
    assert "none led to an answer yet (threadline doctor --stack" in awaiting.summary
    again, _ = awaited(
        [delivery("accepted"), delivery("accepted", 2)], {"d1": reasons, "d2": ANSWERED}
    )
    assert again.came is Arrival.ANSWERED


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("signature_invalid", f"compare the secret on both sides\n      {SET_SECRETS}"),
        ("stale_signature", "a replay, or a wrong clock"),
        ("no_route", f"or lacks a secret\n      {SET_SECRETS}"),
        ("too_large", "longer than the platform ever sends"),
        ("not_kept", "neither queue nor blob store took it"),
    ],
)
def test_a_refusal_is_told_once_with_what_to_do(reason: str, told: str) -> None:
    """Each kind of refusal is explained once and counted."""
    awaiting, said = awaited([delivery(reason)] * 3)
    assert awaiting.came is Arrival.REFUSED
    assert len(said) == 1
    assert said[0].startswith(f"Refused, {reason}: ")
    assert told in said[0]
    assert awaiting.summary == f"Whatever came for slack was refused: {reason} 3 times."


def test_a_checked_address_is_no_message_yet() -> None:
    """A handshake, or something authentic that no agent answers, is told as that."""
    awaiting, said = awaited([delivery("handshake"), delivery("unknown_event")])
    assert awaiting.came is Arrival.HANDSHAKE
    assert said[0].startswith("The platform checked the address")
    assert "authentic" in said[1]
    assert "no message yet" in awaiting.summary


def test_others_do_not_count() -> None:
    """Lines of another app or platform are passed over."""
    other: Line = {**delivery("accepted"), "platform": "telegram"}
    awaiting, said = awaited([delivery("accepted", app="second"), other])
    assert awaiting.came is Arrival.NOTHING
    assert said == []
    assert awaiting.summary == "Nothing arrived for slack."


def test_what_stands_in_the_way_is_said_once_and_while_it_does() -> None:
    """Hindrances are looked at again and again, each told once; a socket's state is told too."""
    looks = iter([["off"], ["off"], ["ok"]] + [[]] * 100)
    socket: Line = {"event": "socket", "platform": "slack", "app": "default", "phase": "connected"}
    _, said = awaited([socket], hindrances=lambda: next(looks))
    assert said == ["off", "slack: connected", "ok"]
