"""Secrets read lately."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Final

from threadline.core.errors import StoreUnavailable
from threadline.core.ports import Clock

KEPT: Final = 60.0
"""Seconds after which an entry is read again unasked, and between two reads asked to be fresh."""


@dataclass(frozen=True, slots=True)
class _Read:
    values: Mapping[str, str] = field(repr=False)
    at: float
    asked_fresh_at: float


class SecretCache:
    """Remembers what `read` gave for an entry, be it nothing.

    Where reading fails, what was remembered goes on being given.
    """

    def __init__(self, clock: Clock, read: Callable[[str], Mapping[str, str]]) -> None:
        self._clock = clock
        self._read = read
        self._kept: dict[str, _Read] = {}

    def get(self, entry: str, *, fresh: bool) -> Mapping[str, str]:
        """Give an entry's values. Raises StoreUnavailable where none were ever read."""
        now = self._clock.now()
        kept = self._kept.get(entry)
        asked_fresh_at = kept.asked_fresh_at if kept else -inf
        again = fresh and now - asked_fresh_at >= KEPT
        if kept and now - kept.at < KEPT and not again:
            return kept.values
        try:
            values = self._read(entry)
        except StoreUnavailable:
            if kept is None:
                raise
            values = kept.values
        self._kept[entry] = _Read(values, now, now if again else asked_fresh_at)
        return values

    def forget(self, entry: str) -> None:
        """Read an entry anew the next time."""
        self._kept.pop(entry, None)


def values_of(entry: str, text: str) -> Mapping[str, str]:
    """Read a secret's text, a JSON object of strings. Raises StoreUnavailable for any other."""
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if isinstance(values, dict) and all(isinstance(one, str) for one in values.values()):
        return values
    raise StoreUnavailable(f"the secret {entry} is not a JSON object of strings")
