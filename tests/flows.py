"""Drives a flow with canned answers, without any network."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost, Pause


@dataclass(slots=True)
class Script:
    """Answers in the order they are given, and what the flow asked."""

    answers: Sequence[HttpResponse | Lost]
    requests: list[HttpRequest] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def run[T](self, flow: Flow[T]) -> T:
        """Drive the flow to its end; it must ask for no more than there are answers."""
        waiting = iter(self.answers)
        answer: HttpResponse | Lost | None = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, Pause):
                self.pauses.append(step.seconds)
                answer = None
            else:
                self.requests.append(step)
                answer = next(waiting, None)
                assert answer is not None, f"one request too many: {step.label}"
