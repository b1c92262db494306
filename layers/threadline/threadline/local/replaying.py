"""`threadline replay`: stamp, send, follow, judge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from threadline import wiring
from threadline.app.explain import Explain, Journey
from threadline.app.journey import ended, faults
from threadline.app.logline import Line, Step
from threadline.core.errors import ThreadlineError
from threadline.core.message import Webhook
from threadline.core.platform import ReceivesHttp
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.local.folder import StateFolder
from threadline.local.handing_in import hand_in
from threadline.local.replay import (
    Recording,
    lines_of,
    outcome,
    read_recording,
    send,
    unexpected,
)
from threadline.local.stamping import credentials, stamped
from threadline.local.telling import part_line, step_line

LOOK_EVERY: Final = 0.1
HANDLED: Final = frozenset(
    {str(Reason.STARTING), str(Reason.QUEUED), str(Reason.FETCHING), str(Reason.COMMAND)}
)
"""What a message leads to the first time."""

QUIET_FOR: Final = 3.0
"""Seconds without a step after which a repeated delivery counts as swallowed by the queue."""


class NotServing(ThreadlineError):
    """No `serve` runs on this folder."""


@dataclass(slots=True)
class Replaying:
    """Sends recorded deliveries to the `serve` of a folder.

    `lines` gives what it logs from now on, `program` is how the command is called here.
    """

    folder: StateFolder
    ports: wiring.Ports
    lines: Callable[[], Sequence[Line]]
    program: str
    say: Callable[[str], None]
    monotonic: Callable[[], float]
    sent_at: float = 0.0

    def __call__(self, file: Path, *, same: bool, patience: float) -> int:
        """Replay one recording; 0 where it ended as expected. Raises ThreadlineError."""
        serving = self.folder.serving()
        if serving is None:
            raise NotServing(f"nothing runs here to replay to; start it: {self.program} serve")
        recording = read_recording(file)
        request = self._stamped(recording, same=same)
        self.sent_at = self.ports.clock.now()
        got, lines = self._sent(recording, request, serving.url)
        wrong = unexpected(recording.expect, got)
        if got["outcome"] == "accepted" and not wrong:
            deliveries = sorted({str(line["delivery"]) for line in lines if line.get("delivery")})
            follow = self._follow_same if same else self._follow
            wrong = [fault for one in deliveries for fault in follow(one, patience)]
        for fault in wrong:
            self.say(f"Not as expected: {fault}")
        if not wrong:
            self.say("Ended as expected.")
        return 1 if wrong else 0

    def _sent(
        self, recording: Recording, request: Webhook, url: str
    ) -> tuple[dict[str, str], list[Line]]:
        """Send the request, or hand it in where such a one never comes by HTTP; say what became."""
        if not isinstance(wiring.platform(recording.platform), ReceivesHttp):
            got, lines = hand_in(replace(recording, request=request), self.ports)
            self.say(f"{recording.platform} handed in: {', '.join(filter(None, got.values()))}")
            return got, lines
        answered = send(request, url)
        lines = lines_of(answered.request, self.lines())
        got = outcome(answered.status, lines)
        self.say(
            f"{request.method} {request.path} answered {answered.status}:"
            f" {', '.join(filter(None, got.values()))} (request {answered.request})"
        )
        return got, lines

    def _stamped(self, recording: Recording, *, same: bool) -> Webhook:
        def known() -> Credentials:
            return credentials(self.ports, recording.platform, recording.app)

        return stamped(recording, known, self.ports.clock.now(), same=same)

    @property
    def _explain(self) -> Explain:
        return Explain(self.ports.store, self.lines)

    def _follow(self, delivery: str, patience: float) -> list[str]:
        """Print steps as they come until nothing more will, and list what went wrong."""
        told: set[Step] = set()
        give_up = self.monotonic() + patience
        while True:
            journey = self._explain.journey(delivery)
            self._tell(journey, told)
            if ended(journey):
                for part in journey.parts:
                    self.say(part_line(part))
                return list(faults(journey))
            if self.monotonic() > give_up:
                return [f"{delivery} has not ended after {patience:g} s"]
            self.ports.clock.sleep(LOOK_EVERY)

    def _follow_same(self, delivery: str, patience: float) -> list[str]:
        """Expect that a delivery which came before leads to nothing new."""
        told: set[Step] = set()
        give_up = self.monotonic() + min(QUIET_FOR, patience)
        while self.monotonic() < give_up:
            journey = self._explain.journey(delivery)
            self._tell(journey, told)
            new = {step.what for step in journey.steps if step.at >= self.sent_at}
            if Reason.DUPLICATE in new:
                return []
            if again := new & HANDLED:
                return [f"{delivery} is no duplicate: {', '.join(sorted(again))}"]
            self.ports.clock.sleep(LOOK_EVERY)
        if not any(step.at < self.sent_at for step in told):
            return [f"{delivery} never came before, and nothing is known of it now"]
        self.say("The mailbox took it for a repetition: nothing new happened.")
        return []

    def _tell(self, journey: Journey, told: set[Step]) -> None:
        for step in journey.steps:
            if step not in told:
                told.add(step)
                self.say(step_line(step, journey.steps[0].at))
