"""Waiting for an app's first delivery: what comes, what is refused, what stands in the way."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from threadline.app.explain import Journey
from threadline.app.journey import ended, faults
from threadline.app.logline import Line, Step
from threadline.app.meanings import meaning
from threadline.core.ports import Clock
from threadline.core.reasons import Reason
from threadline.core.setup import Registration
from threadline.local.telling import step_line

FOLLOWED_FOR: Final = 120.0
"""Seconds for which one delivery is followed; the next may be a better one."""

_ARRIVED: Final = frozenset({Reason.ACCEPTED, Reason.KEPT_ASIDE})
_REFUSED: Final = frozenset(
    {
        Reason.NO_ROUTE,
        Reason.METHOD,
        Reason.TOO_LARGE,
        Reason.SIGNATURE,
        Reason.STALE_SIGNATURE,
        Reason.NOT_KEPT,
    }
)
_TAKEN_UP: Final = frozenset({Reason.RUN_CREATED, Reason.RUN_ADOPTED, Reason.COMMAND})
_SOCKETS: Final = frozenset({"socket", "alarm"})


class Arrival(StrEnum):
    """How far the first deliveries came."""

    NOTHING = "nothing"
    REFUSED = "refused"
    HANDSHAKE = "handshake"
    ARRIVED = "arrived"
    ANSWERED = "answered"


@dataclass(slots=True)
class Awaiting:
    """Looks at the log until a delivery of the app was answered, or time is up.

    `lines` gives what was logged since it began, oldest first; `hindrances` what stands in the way
    as seen from here, each said once. Times in seconds.
    """

    app: Registration
    lines: Callable[[], Sequence[Line]]
    journey: Callable[[str], Journey]
    hindrances: Callable[[], Iterable[str]]
    clock: Clock
    say: Callable[[str], None]
    look_every: float = 0.5
    hindered_every: float = 10.0
    came: Arrival = Arrival.NOTHING
    refusals: dict[str, int] = field(default_factory=dict)
    _read: int = 0
    _said: set[str] = field(default_factory=set)

    def __call__(self, seconds: float) -> Arrival:
        """Wait at most that long, and tell how far it came."""
        give_up, hindered_at = self.clock.now() + seconds, 0.0
        while self.clock.now() < give_up and not self._is_over:
            if self.came is not Arrival.ARRIVED and self.clock.now() >= hindered_at:
                for told in self.hindrances():
                    self._once(told)
                hindered_at = self.clock.now() + self.hindered_every
            lines = self.lines()
            fresh, self._read = lines[self._read :], len(lines)
            for line in fresh:
                self._take(line, give_up)
            if not self._is_over:
                self.clock.sleep(self.look_every)
        return self.came

    @property
    def summary(self) -> str:
        """Say honestly how far it came, for whoever stops waiting."""
        match self.came:
            case Arrival.ANSWERED:
                return f"{self.app.name} works."
            case Arrival.ARRIVED:
                why = self.app.command("doctor")
                return f"Deliveries of {self.app.name} arrive; none led to an answer yet ({why})."
            case Arrival.HANDSHAKE:
                return f"The address of {self.app.name} was checked and is right; no message yet."
            case Arrival.REFUSED:
                counted = ", ".join(f"{reason} {n} times" for reason, n in self.refusals.items())
                return f"Whatever came for {self.app.name} was refused: {counted}."
            case Arrival.NOTHING:
                return f"Nothing arrived for {self.app.name}."

    def _once(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            self.say(line)

    def _take(self, line: Line, give_up: float) -> None:
        if (line.get("platform"), line.get("app")) != self._names or self._is_over:
            return
        if line.get("event") in _SOCKETS:
            self._socket(line)
        elif line.get("event") == "delivery":
            self._delivery(line, give_up)

    @property
    def _names(self) -> tuple[str, str]:
        return (self.app.credentials.platform, self.app.credentials.app)

    @property
    def _is_over(self) -> bool:
        return self.came is Arrival.ANSWERED

    def _socket(self, line: Line) -> None:
        told = (line.get("phase"), line.get("why"), line.get("detail"))
        self._once(f"{self.app.name}: {', '.join(str(one) for one in told if one)}")

    def _delivery(self, line: Line, give_up: float) -> None:
        reason, delivery = str(line.get("reason", "")), str(line.get("delivery", ""))
        if reason in _ARRIVED:
            if self.came is not Arrival.ARRIVED:
                self.say(f"It works: a delivery arrived and was taken ({delivery}).")
            self.came = Arrival.ARRIVED
            self._follow(delivery, give_up)
        elif reason in _REFUSED:
            self.refusals[reason] = self.refusals.get(reason, 0) + 1
            self._reach(Arrival.REFUSED)
            self._once(f"Refused, {reason}: {meaning(reason)}{self._remedy(reason)}")
        elif reason == Reason.HANDSHAKE:
            self._reach(Arrival.HANDSHAKE)
            self._once("The platform checked the address, and was answered right. Now a message.")
        else:
            self._reach(Arrival.HANDSHAKE)
            self._once(f"Something authentic came, but no message: {reason}: {meaning(reason)}")

    def _reach(self, came: Arrival) -> None:
        order = list(Arrival)
        if order.index(came) > order.index(self.came):
            self.came = came

    def _remedy(self, reason: str) -> str:
        if reason in {Reason.SIGNATURE, Reason.NO_ROUTE}:
            return f"\n      {self.app.store_secrets}"
        return ""

    def _follow(self, delivery: str, give_up: float) -> None:
        """Print what becomes of a delivery; it is enough where an agent or a command took it up."""
        told: set[Step] = set()
        until = min(give_up, self.clock.now() + FOLLOWED_FOR)
        while True:
            journey = self.journey(delivery)
            for step in journey.steps:
                if step not in told:
                    told.add(step)
                    self.say(step_line(step, journey.steps[0].at))
            if ended(journey) or self.clock.now() >= until:
                break
            self.clock.sleep(self.look_every)
        self._judge(journey)

    def _judge(self, journey: Journey) -> None:
        whats = {step.what for step in journey.steps}
        wrong = faults(journey)
        if Reason.ADMITTED in whats:
            self.say("Its sender is let in. Now write anything.")
        elif wrong:
            self.say(f"It arrived, but was not answered well: {'; '.join(wrong)}")
        elif whats & _TAKEN_UP and ended(journey):
            self.came = Arrival.ANSWERED
        else:
            self.say("It led to no answer, for the reason above. Waiting for another.")
