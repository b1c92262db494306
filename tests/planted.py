"""What must never be written: an installation's secrets anywhere, and people's words in a log.

Every test of `pipeline` and `aws` is watched by a fixture of its folder: whatever its processes,
logs and databases held is searched for the secrets it had and for what its people wrote. What only
stands in memory is announced by `heard`, and what somebody writes in a chat by `words`.
"""

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

SECRETS: Final = "secrets.json"
SHORTEST: Final = 8
WORDY: Final = 16
"""Letters from which words are long enough that no code happens to contain them."""

NO_SECRETS: Final = frozenset({"app_id", "client_id", "public_key", "application_id"})
"""Names of what stands beside secrets and is known to everybody."""

OF_OTHERS: Final = frozenset({"agent", "emulator", "runtime"})
"""Folders in which programs of others write what they like."""


@dataclass
class Watched:
    """What was announced while one test ran."""

    written: list[tuple[str, Callable[[], str]]] = field(default_factory=list)
    hidden: list[Callable[[], Iterable[str]]] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    def found(self, folder: Path) -> list[str]:
        """List what stands where it must not."""
        secrets = {one for more in self.hidden for one in more()} | set(_secrets(folder))
        secrets = {one for one in secrets if len(one) >= SHORTEST}
        logs = [(what, read()) for what, read in self.written] + list(_logs(folder))
        rests = [(path.name, _text(path)) for path in _files(folder) if ".db" in path.name]
        return [
            *(f"a secret in {what}: {_near(text, secrets)}" for what, text in [*logs, *rests]
              if any(_as_json(one) in text or one in text for one in secrets)),
            *(f"what somebody wrote in {what}: {_near(text, self.said)}" for what, text in logs
              if any(_as_json(one) in text or one in text for one in self.said)),
        ]  # fmt: skip


_NOW: Final = [Watched()]


def heard(what: str, read: Callable[[], str]) -> None:
    """Have something searched that stands in memory: what a process printed, lines of a log."""
    _NOW[0].written.append((what, read))


def hidden(read: Callable[[], Iterable[str]]) -> None:
    """Have secrets looked for that rest elsewhere than in a state folder."""
    _NOW[0].hidden.append(read)


def words(text: str) -> str:
    """Have a person's words looked for, and give them back; commands are no words."""
    if len(text) >= WORDY and not text.startswith("/"):
        _NOW[0].said.add(text)
    return text


@contextmanager
def watching(folder: Path) -> Iterator[Watched]:
    """Watch one test, whose installations are in a folder; at its end nothing may be found."""
    _NOW[0] = watched = Watched()
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    heard("logging", lambda: "\n".join(lines))
    logging.getLogger("threadline").addHandler(handler)
    try:
        yield watched
    finally:
        logging.getLogger("threadline").removeHandler(handler)
    if found := watched.found(folder):
        raise AssertionError("\n".join(found))


def _secrets(folder: Path) -> Iterator[str]:
    for path in _files(folder):
        if path.name == SECRETS and path.stat().st_size:
            for entry in json.loads(path.read_text(encoding="utf-8")).values():
                yield from (value for name, value in entry.items() if name not in NO_SECRETS)


def _logs(folder: Path) -> Iterator[tuple[str, str]]:
    for path in _files(folder):
        if path.suffix == ".log" or "log" in path.parent.name.split("-"):
            yield path.name, _text(path)


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not OF_OTHERS & set(path.relative_to(folder).parts[:-1]):
            yield path


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _as_json(text: str) -> str:
    return json.dumps(text)[1:-1]


def _near(text: str, forbidden: Iterable[str]) -> str:
    """Show where it stands."""
    for one in forbidden:
        at = max(text.find(one), text.find(_as_json(one)))
        if at >= 0:
            return text[max(at - 200, 0) : at + len(one) + 40]
    return ""
