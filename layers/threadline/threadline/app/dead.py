"""The dead-letter queue read from end to end, for an operator."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from threadline.core import keys
from threadline.core.ports import Outgoing, Queue, Received

HIDDEN_FOR: Final = 3600.0
"""Seconds for which a letter is hidden from other readers: all are read before the first is moved.

A letter that is visible again cannot be deleted by who had it, and would be put back and stay.
Those of a command that was killed come back into sight after this time.
"""

KNOWN_IN_A_ROW: Final = 10
"""Reads without a new letter after which there is none: who reads for minutes sees some again."""

ARRIVES_WITHIN: Final = 1.0
"""Seconds to wait for what was just sent."""

_APART: Final = "letter-"


def group_of(unique: str) -> str:
    """Give a letter a group of its own, so that it hides none and none hides it."""
    return _APART + keys.queue_id(unique)


@contextmanager
def every(dead: Queue) -> Iterator[Sequence[Received]]:
    """Give every letter once, to be looked at or deleted; what is left is visible again at the end.

    Those that came there by themselves stand in the group of their mailbox, where ten at most are
    in sight: they are put apart on the way. Raises StoreError.
    """
    held: dict[str, Received] = {}
    try:
        _hold(dead, held)
        yield tuple(held.values())
    finally:
        dead.change_visibility([one.receipt for one in held.values()][::-1], 0.0)


def _hold(dead: Queue, held: dict[str, Received]) -> None:
    """Receive letters until there is no further one."""
    known, wait = 0, 0.0
    while known < KNOWN_IN_A_ROW and (found := dead.receive(10, visibility=HIDDEN_FOR, wait=wait)):
        fresh = any(one.id not in held for one in found)
        known = 0 if fresh else known + 1
        held |= {one.id: one for one in found}
        if crowded := [one for one in found if not one.group.startswith(_APART)]:
            _put_apart(dead, crowded)
            wait = ARRIVES_WITHIN
            for one in crowded:
                del held[one.id]


def _put_apart(dead: Queue, letters: Sequence[Received]) -> None:
    """Send first, delete after: one that was there twice is a duplicate when it is put back."""
    dead.send(
        [Outgoing(one.body, group_of(one.id), keys.queue_id(f"apart {one.id}")) for one in letters]
    )
    dead.delete([one.receipt for one in letters])
