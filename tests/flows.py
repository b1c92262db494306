"""Drives a flow with canned answers, without any network."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost

type Answer = HttpResponse | Lost | Callable[[HttpRequest], HttpResponse]
"""What a request gets, or what makes it of the request."""


@dataclass(slots=True)
class Script:
    """Answers in the order they are given, and what the flow asked; its pauses pass at once."""

    answers: Iterable[Answer]
    requests: list[HttpRequest] = field(default_factory=list)

    def run[T](self, flow: Flow[T]) -> T:
        """Drive the flow to its end; it must ask for no more than there are answers."""
        waiting = deque(self.answers)

        def perform(request: HttpRequest) -> HttpResponse | Lost:
            self.requests.append(request)
            assert waiting, f"one request too many: {request.label}"
            answer = waiting.popleft()
            return answer(request) if callable(answer) else answer

        return drive(flow, perform, VirtualClock())
