"""The turn of a conversation as a state machine in data.

Two rules govern it. Dispatch alone moves it, one move per message of the mailbox. Every state but
idle has a due time, so that whatever nobody moved is found by the sweep.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class State(StrEnum):
    """Where a conversation's current turn stands."""

    IDLE = "idle"
    FETCHING = "fetching"
    STARTING = "starting"
    BLOCKED = "blocked"
    RUNNING = "running"
    ASKING = "asking"


class Move(StrEnum):
    """What happened to a turn."""

    TAKEN = "taken"
    TAKEN_WITH_FILES = "taken_with_files"
    FILES_READY = "files_ready"
    RUN_CREATED = "run_created"
    FOREIGN_RUN = "foreign_run"
    FOREIGN_ENDED = "foreign_ended"
    RUN_ENDED = "run_ended"
    RUN_ASKED = "run_asked"
    ANSWERED = "answered"
    ANSWERED_WITH_FILES = "answered_with_files"
    EXPIRED = "expired"
    GAVE_UP = "gave_up"
    STOPPED = "stopped"
    RESET = "reset"


TRANSITIONS: Final = MappingProxyType(
    {
        (State.IDLE, Move.TAKEN): State.STARTING,
        (State.IDLE, Move.TAKEN_WITH_FILES): State.FETCHING,
        (State.FETCHING, Move.FILES_READY): State.STARTING,
        (State.STARTING, Move.RUN_CREATED): State.RUNNING,
        (State.STARTING, Move.FOREIGN_RUN): State.BLOCKED,
        (State.BLOCKED, Move.FOREIGN_RUN): State.BLOCKED,
        (State.BLOCKED, Move.FOREIGN_ENDED): State.STARTING,
        (State.STARTING, Move.RUN_ENDED): State.IDLE,
        (State.STARTING, Move.RUN_ASKED): State.ASKING,
        (State.RUNNING, Move.RUN_ENDED): State.IDLE,
        (State.RUNNING, Move.RUN_ASKED): State.ASKING,
        (State.ASKING, Move.ANSWERED): State.STARTING,
        (State.ASKING, Move.ANSWERED_WITH_FILES): State.FETCHING,
        (State.ASKING, Move.EXPIRED): State.IDLE,
        **{
            (state, move): State.IDLE
            for state in State
            for move in (Move.GAVE_UP, Move.STOPPED, Move.RESET)
        },
    }
)

DUE_AFTER: Final = MappingProxyType(
    {
        State.FETCHING: 330.0,
        State.STARTING: 15.0,
        State.BLOCKED: 2.0,
        State.RUNNING: 30.0,
        State.ASKING: 1800.0,
    }
)
"""Seconds after which a state is overdue where the move itself names no time."""

RETRY_FIRST: Final = 2.0
RETRY_LONGEST: Final = 60.0
TELL_AFTER: Final = 30.0
UNWATCHED_LONGEST: Final = 600.0


class IllegalMove(Exception):
    """A move the table does not have: a fault of ours, never of a message."""


def after(state: State, move: Move) -> State:
    """Give the state a move leads to. Raises IllegalMove."""
    try:
        return TRANSITIONS[state, move]
    except KeyError:
        raise IllegalMove(f"{move} in state {state}") from None


def retry_delay(attempt: int) -> float:
    """Give the wait before the next try: 2, 4, 8 … 60 s."""
    return min(RETRY_FIRST * 2.0 ** max(attempt - 1, 0), RETRY_LONGEST)
