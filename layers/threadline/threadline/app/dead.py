"""The dead-letter queue read from end to end, for an operator."""

from collections.abc import Iterator
from typing import Final

from threadline.core.ports import Queue, Received

HIDDEN_FOR: Final = 120.0
"""Seconds for which a letter is hidden from other readers, and its mailbox's next ones with it."""

KNOWN_IN_A_ROW: Final = 10
"""Reads without a new letter after which there is none: who reads for minutes sees some again."""


def every(dead: Queue) -> Iterator[Received]:
    """Give every letter once, to be looked at or deleted; what is left is visible again at the end.

    Of a mailbox's letters that came there by themselves, ten are in sight at a time: the next come
    once these are deleted. Raises StoreError.
    """
    held: dict[str, str] = {}
    known = 0
    try:
        while known < KNOWN_IN_A_ROW and (found := dead.receive(10, visibility=HIDDEN_FOR)):
            fresh = [one for one in found if one.id not in held]
            held |= {one.id: one.receipt for one in found}
            known = 0 if fresh else known + 1
            yield from fresh
    finally:
        dead.change_visibility([*held.values()][::-1], 0.0)
