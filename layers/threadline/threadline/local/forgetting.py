"""What rests beside the stores in a state folder: messages in its queues, log lines, the report."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from threadline.app import codec, dispatch
from threadline.app.dispatch import Received
from threadline.app.forget.bodies import is_hint, is_letter, names_subject
from threadline.app.forget.removal import Forgetting
from threadline.app.forget.subject import Person, Traces
from threadline.app.forget.survey import named_in
from threadline.app.logline import Line
from threadline.app.plan import mailbox_message
from threadline.app.world import Queues, World
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.queue import SqliteQueue
from threadline.core import keys
from threadline.core.envelope import Forget
from threadline.core.ports import Blobs
from threadline.local.folder import REPORT, StateFolder
from threadline.local.log import FILE, OLD_FILES
from threadline.wiring import LocalPorts

LINES: Final = "log lines"
QUEUED: Final = "messages on their way"
REPORTS: Final = "reports of an error"
_CHAT_IN: Final = MappingProxyType({"mailbox": 2, "conversation": 3})
"""Where the chat stands in the keys that a line names."""


@dataclass(frozen=True, slots=True)
class InFolder:
    """The folder; where `serve` runs, what is in the mailbox is left to it."""

    folder: StateFolder
    database: Database
    queues: Queues
    blobs: Blobs
    served: bool

    def count(self, traces: Traces) -> Mapping[str, int]:
        """Count the subject's messages, lines and reports."""
        return {
            QUEUED: sum(len(numbers) for _, numbers in self._queued(traces)),
            LINES: sum(_each_line(path, _theirs(traces), blank=False) for path in self._logs()),
            REPORTS: int(self._reported(traces)),
        }

    def remove(self, traces: Traces) -> None:
        """Remove them. Lines are blanked in their place: `serve` may be writing further ones."""
        for queue, numbers in self._queued(traces):
            queue.discard(numbers)
        for path in self._logs():
            _each_line(path, _theirs(traces), blank=True)
        if self._reported(traces):
            self._report.unlink()

    def scrub(self) -> None:
        """Write the database anew. Raises StoreUnavailable while others keep it busy."""
        self.database.scrub()

    def _queued(self, traces: Traces) -> Iterator[tuple[SqliteQueue, list[int]]]:
        queues, blobs = self.queues, self.blobs
        wanted: list[tuple[object, Callable[[str], bool]]] = [
            (queue, lambda body: is_hint(traces, body))
            for queue in (queues.runs, queues.timers, queues.outbox)
        ]
        if not self.served:
            wanted.append((queues.mailbox, lambda body: is_letter(blobs, traces, body)))
        for queue, theirs in wanted:
            assert isinstance(queue, SqliteQueue)
            yield queue, [number for number, body in queue.bodies() if theirs(body)]

    def _logs(self) -> Iterator[Path]:
        names = (FILE, *(f"{FILE}.{number}" for number in range(1, OLD_FILES + 1)))
        yield from (path for name in names if (path := self.folder.logs / name).exists())

    @property
    def _report(self) -> Path:
        return self.folder.path / REPORT

    def _reported(self, traces: Traces) -> bool:
        return self._report.exists() and names_subject(traces, self._report.read_bytes())


def _each_line(path: Path, theirs: Callable[[bytes], bool], *, blank: bool) -> int:
    """Count the subject's lines of a file, and write spaces over them where that is wanted."""
    counted = 0
    with path.open("r+b" if blank else "rb") as file:
        while line := file.readline():
            if not (line.endswith(b"\n") and theirs(line)):
                continue
            counted += 1
            if blank:
                file.seek(-len(line), 1)
                file.write(b" " * (len(line) - 1) + b"\n")
                file.flush()
                file.seek(file.tell())
    return counted


def _theirs(traces: Traces) -> Callable[[bytes], bool]:
    def theirs(line: bytes) -> bool:
        try:
            value = json.loads(line)
        except ValueError:
            return False
        return isinstance(value, dict) and _is_about(traces, value)

    return theirs


def _is_about(traces: Traces, line: Line) -> bool:
    texts = {name: value for name, value in line.items() if isinstance(value, str)}
    if texts.get("mailbox") in traces.mailboxes:
        return True
    if any(_has_id(traces, texts.get(name, ""), place) for name, place in _CHAT_IN.items()):
        return True
    return any(named_in(traces, value) for value in texts.values())


def _has_id(traces: Traces, key: str, place: int) -> bool:
    """Tell whether a key of ours is that of a chat whose id is the person's own."""
    person = traces.subject
    if not isinstance(person, Person) or not key.startswith(f"{person.platform}/"):
        return False
    return keys.split(key)[place : place + 1] == (person.id,)


def forgetting_in(
    folder: StateFolder, local: LocalPorts, world: World, *, served: bool
) -> Forgetting:
    """Make what forgets in a folder: dispatch is asked through the mailbox, or done right here.

    Where nobody serves, the caller holds the folder's lock: nobody else dispatches.
    """

    def send(mail: Forget) -> None:
        world.queues.mailbox.send([mailbox_message(world, mail)])

    def do(mail: Forget) -> None:
        dispatch.handle(world, Received(f"forget-{world.random()}", codec.encode(mail), 1))

    ports = local.ports
    beside = InFolder(folder, local.database, ports.queues, ports.blobs, served)
    if served:
        return Forgetting(world, ports.scans, beside, send)
    return Forgetting(world, ports.scans, beside, do, patience=0.0)
