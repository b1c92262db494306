"""The structured log of this folder or of a stack, for whoever reads what became of deliveries."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from threadline.app.logline import Line
from threadline.cli import state
from threadline.core.errors import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from threadline.backends.aws.log_tail import LogTail

INGEST_LOGS: Final = "IngestLogGroup"
SOCKET_LOGS: Final = "LongRunningLogGroup"
LOOKED_BACK: Final = 86_400.0
MOST_READS: Final = 100
"""Looks at a stack's log, each of several pages, before it counts as too long."""


@contextmanager
def from_now_on(platform: str, now: float) -> "Iterator[Callable[[], Sequence[Line]]]":
    """Open the lines that are logged of a platform from now on. Raises StoreUnavailable."""
    if state.stack.get():
        yield _of_the_stack(platform, now)
        return
    from threadline.local.folder import StateFolder
    from threadline.local.log import LogTail

    folder = StateFolder(Path.cwd() / state.FOLDER)
    folder.prepare()
    with closing(LogTail(folder.logs)) as tail:
        yield tail


def lately(platform: str, now: float) -> Sequence[Line]:
    """Give the lines of a platform, oldest first: all that a folder keeps, or a stack's of a day.

    Raises StoreUnavailable, also for a log that is too long: its latest lines are its last.
    """
    if state.stack.get():
        tail = _of_the_stack(platform, now - LOOKED_BACK)
        for _ in range(MOST_READS):
            read = tail()
            if not tail.behind:
                return sorted(read, key=_at)
        raise StoreUnavailable("a day's log is too long to be read here: use the dashboard")
    from threadline.local.folder import StateFolder
    from threadline.local.log import logged_lines

    return tuple(logged_lines(StateFolder(Path.cwd() / state.FOLDER).logs))


def _at(line: Line) -> float:
    at = line.get("at")
    return float(at) if isinstance(at, int | float) else 0.0


def _of_the_stack(platform: str, since: float) -> "LogTail":
    import boto3

    from threadline.backends.aws.log_tail import LogTail

    outputs = state.outputs()
    groups = [outputs[name] for name in (INGEST_LOGS, SOCKET_LOGS) if outputs.get(name)]
    if not groups:
        raise StoreUnavailable(
            f"the stack {state.stack.get()} does not name its log: sam build && sam deploy"
        )
    return LogTail(boto3.Session().client("logs"), groups, platform, since)
