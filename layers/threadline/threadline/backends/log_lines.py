"""Log lines as JSON: ids and codes, never the text of a message, of an error or of a secret."""

import json
import logging
import threading
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, default=str)


def place(error: BaseException) -> str:
    """Say where an error was raised, without its text, which may quote a message."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"


def tell_of_threads() -> None:
    """Let what ends a thread be a line like any other: Python's own quotes the error's text."""

    def told(ended: threading.ExceptHookArgs) -> None:
        error, thread = ended.exc_value, ended.thread
        if isinstance(error, SystemExit):
            return
        where = place(error) if error else "an unknown place"
        name = thread.name if thread else "a thread"
        logging.getLogger("threadline").error(
            "%s ended: %s at %s", name, ended.exc_type.__name__, where
        )

    threading.excepthook = told


def values(record: logging.LogRecord) -> Mapping[str, object]:
    """Give the named values that a record was logged with."""
    return cast("Mapping[str, object]", getattr(record, "values", {}))


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, what, and the named values."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": record.created,
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **values(record),
        }
        if error := record.exc_info and record.exc_info[1]:
            line |= {"error": type(error).__name__, "place": place(error)}
        return _ENCODER.encode(line)
