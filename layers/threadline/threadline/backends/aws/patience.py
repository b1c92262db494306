"""Repeating a call to AWS: bounded, with growing and jittered waits."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from threadline.backends.aws.errors import AWS_ERRORS, Verdict, code_of, verdict
from threadline.core.errors import StoreUnavailable
from threadline.core.ports import Clock


class Unfinished(Exception):
    """A call took effect in part, and the rest is worth another try; its text says why."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a call is tried, and the waits between: full jitter up to `first` * 2^n seconds.

    https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
    """

    clock: Clock
    rng: Random
    tries: int = 8
    first: float = 0.025
    longest: float = 1.0

    def call[T](self, what: str, attempt: Callable[[], T]) -> T:
        """Give what an attempt returns, trying again where that may help.

        Raises StoreUnavailable, which names `what` and the error's code and nothing that was sent.
        """
        why = "not tried"
        for number in range(self.tries):
            if number:
                self.clock.sleep(self.rng.uniform(0, min(self.longest, self.first * 2**number)))
            try:
                return attempt()
            except Unfinished as unfinished:
                why = str(unfinished)
            except AWS_ERRORS as error:
                why = code_of(error)
                if verdict(error) is Verdict.REFUSED:
                    break
        raise StoreUnavailable(f"{what}: {why}")
