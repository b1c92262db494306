"""A handler as Lambda calls it: with an event and a context that knows its deadline."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from threadline.core.ports import Clock

type Handler = Callable[[dict[str, Any], Any], Any]


@dataclass(frozen=True, slots=True)
class Context:
    """What Lambda tells a function about its invocation.

    https://docs.aws.amazon.com/lambda/latest/dg/python-context.html
    """

    function_name: str
    aws_request_id: str
    deadline: float
    clock: Clock
    memory_limit_in_mb: int = 512

    @property
    def invoked_function_arn(self) -> str:
        """The name AWS would give the function."""
        return f"arn:aws:lambda:local:000000000000:function:{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        """Give the milliseconds until the function would be ended."""
        return max(int((self.deadline - self.clock.now()) * 1000), 0)


@dataclass(frozen=True, slots=True)
class Function:
    """A named handler; `timeout` in seconds is what the handler sees, nothing ends it here."""

    name: str
    handler: Handler
    timeout: float
    clock: Clock
    new_id: Callable[[], str]

    def __call__(self, event: dict[str, Any]) -> object:
        """Call the handler in this thread."""
        deadline = self.clock.now() + self.timeout
        return self.handler(event, Context(self.name, self.new_id(), deadline, self.clock))
