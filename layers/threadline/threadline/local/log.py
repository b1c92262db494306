"""What `serve` writes down: bounded JSON lines in the state folder, short lines on the terminal.

Neither holds message text or secrets: whoever logs names codes and ids only.
"""

import json
import logging
import logging.handlers
import os
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from datetime import datetime
from pathlib import Path
from typing import Final

from threadline.backends.log_lines import JsonLines, tell_of_threads, values
from threadline.core.legible import plain

FILE: Final = "threadline.jsonl"
FILE_BYTES: Final = 5_000_000
OLD_FILES: Final = 4
_QUIET: Final = (
    "httpx",
    "httpcore",
    "telegram",
    "aiohttp.access",
    "asyncio",
    "urllib3",
    "botocore",
)

_SHORT: Final = {
    "delivery": ("platform", "reason", "mailbox", "status"),
    "step": ("conversation", "step", "detail"),
    "part": ("platform", "action", "state", "reason"),
}
"""What a person is shown of the commonest events."""

_MEASURES: Final = frozenset({"mail", "turn"})

_events = logging.getLogger("threadline")


request: Final[ContextVar[str]] = ContextVar("request", default="")
"""The id of the HTTP request that is being answered in this context."""


def event_line(event: str, **values: str | float | bool) -> None:
    """Write one structured line; it is what use cases get as their log.

    Lines of a request bear its id, so that a delivery without an id of its own can be found.
    """
    if asked := request.get():
        values |= {"request": asked}
    _events.info(event, extra={"values": values})


class Tellable(logging.Filter):
    """Keeps what only measures off the terminal."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.getMessage() not in _MEASURES


class ShortLines(logging.Formatter):
    """A line for a person who looks on: time, and what matters of the event."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        mark = "" if record.levelno < logging.WARNING else f"{record.levelname.lower()}: "
        event, told_of = record.getMessage(), values(record)
        if names := _SHORT.get(event):
            told = [str(told_of[name]) for name in names if told_of.get(name)]
        else:
            told = [event, *(f"{name}={value}" for name, value in told_of.items() if value)]
        return plain(f"{at} {mark}{'  '.join(told)}")


class BoundedFile(logging.handlers.RotatingFileHandler):
    """A file that is rotated; a line is formatted once, not again to see whether it still fits."""

    _line = ""

    def emit(self, record: logging.LogRecord) -> None:
        self._line = ""
        super().emit(record)

    def format(self, record: logging.LogRecord) -> str:
        self._line = self._line or super().format(record)
        return self._line


def start_logging(folder: Path, *, terminal: bool) -> None:
    """Send every log line to the folder's rotating file and, if wanted, to standard error."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = BoundedFile(folder / FILE, maxBytes=FILE_BYTES, backupCount=OLD_FILES, encoding="utf-8")
    file.setFormatter(JsonLines())
    handlers: list[logging.Handler] = [file]
    if terminal:
        screen = logging.StreamHandler()
        screen.setFormatter(ShortLines())
        screen.addFilter(Tellable())
        handlers.append(screen)
    logging.basicConfig(level=logging.INFO, handlers=handlers, force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    tell_of_threads()


def logged_lines(folder: Path) -> Iterator[Mapping[str, object]]:
    """Read back every line there is, oldest first; what is no JSON object is passed over."""
    numbered = [folder / f"{FILE}.{number}" for number in range(OLD_FILES, 0, -1)]
    for path in (*numbered, folder / FILE):
        if path.exists():
            with path.open(encoding="utf-8", errors="replace") as lines:
                yield from _read(lines)


class LogTail:
    """What is logged from now on; its file may be rotated meanwhile."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._path = folder / FILE
        self._path.touch(mode=0o600)
        self._file = self._path.open(encoding="utf-8", errors="replace")
        self._file.seek(0, os.SEEK_END)
        self._torn = ""
        self._lines: list[Mapping[str, object]] = []

    def __call__(self) -> list[Mapping[str, object]]:
        """Give the lines so far, oldest first."""
        self._read_on()
        if self._path.exists() and self._path.stat().st_ino != os.fstat(self._file.fileno()).st_ino:
            self._read_on()
            self._file.close()
            self._file = self._path.open(encoding="utf-8", errors="replace")
            self._read_on()
        return self._lines

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read_on(self) -> None:
        *whole, self._torn = (self._torn + self._file.read()).split("\n")
        self._lines.extend(_read(whole))


def _read(lines: Iterable[str]) -> Iterator[Mapping[str, object]]:
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value
