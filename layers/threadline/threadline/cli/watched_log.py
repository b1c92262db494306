"""The structured log of this folder or of a stack, for whoever reads what became of deliveries."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from threadline.app.logline import Line
from threadline.cli import state
from threadline.core.errors import StoreUnavailable

INGEST_LOGS: Final = "IngestLogGroup"
SOCKET_LOGS: Final = "LongRunningLogGroup"
LOOKED_BACK: Final = 86_400.0
MOST_READS: Final = 100


@contextmanager
def from_now_on(platform: str, now: float) -> Iterator[Callable[[], Sequence[Line]]]:
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
    """Give the lines of a platform: all that this folder keeps, or a stack's of a day.

    Raises StoreUnavailable.
    """
    if state.stack.get():
        tail = _of_the_stack(platform, now - LOOKED_BACK)
        read, known = tail(), -1
        for _ in range(MOST_READS):
            if len(read) == known:
                break
            known, read = len(read), tail()  # the oldest come first, some pages at a time
        return read
    from threadline.local.folder import StateFolder
    from threadline.local.log import logged_lines

    return tuple(logged_lines(StateFolder(Path.cwd() / state.FOLDER).logs))


def _of_the_stack(platform: str, since: float) -> Callable[[], Sequence[Line]]:
    import boto3

    from threadline.backends.aws.log_tail import LogTail

    outputs = state.outputs()
    groups = [outputs[name] for name in (INGEST_LOGS, SOCKET_LOGS) if outputs.get(name)]
    if not groups:
        raise StoreUnavailable(
            f"the stack {state.stack.get()} does not name its log: sam build && sam deploy"
        )
    return LogTail(boto3.Session().client("logs"), groups, platform, since)
