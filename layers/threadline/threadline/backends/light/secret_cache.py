"""Secrets read lately."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from threadline.core.errors import StoreUnavailable
from threadline.core.ports import Clock

KEPT: Final = 300.0
"""Seconds after which an entry is read again unasked, so that a rotated secret gets about."""
FRESH: Final = 60.0
"""Seconds between two reads of one entry, however often a fresh one is asked for."""


class SecretCache:
    """Remembers what `read` gave for an entry; {} is remembered too.

    Where reading fails, what was remembered goes on being given.
    """

    def __init__(self, clock: Clock, read: Callable[[str], Mapping[str, str]]) -> None:
        self._clock = clock
        self._read = read
        self._kept: dict[str, tuple[float, Mapping[str, str]]] = {}

    def get(self, entry: str, *, fresh: bool) -> Mapping[str, str]:
        """Give an entry's values. Raises StoreUnavailable where none were ever read."""
        now = self._clock.now()
        read_at, values = self._kept.get(entry, (None, {}))
        if read_at is not None and now - read_at < (FRESH if fresh else KEPT):
            return values
        try:
            values = self._read(entry)
        except StoreUnavailable:
            if read_at is None:
                raise
        self.keep(entry, values)
        return values

    def keep(self, entry: str, values: Mapping[str, str]) -> None:
        """Remember an entry's values as of now."""
        self._kept[entry] = (self._clock.now(), dict(values))


def values_of(entry: str, text: str) -> Mapping[str, str]:
    """Read a secret's text, a JSON object of strings. Raises StoreUnavailable for any other."""
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if isinstance(values, dict) and all(isinstance(one, str) for one in values.values()):
        return values
    raise StoreUnavailable(f"the secret {entry} is not a JSON object of strings")
