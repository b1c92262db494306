import signal
from pathlib import Path

import pytest

from tests.unit.backends.embedded import another_process, item_store, key, mailbox
from threadline.backends.clock import SystemClock
from threadline.backends.sqlite.database import Database

WRITER = """
import sys
import threading
from pathlib import Path
from tests.unit.backends.embedded import item_store, mail, mailbox, put
from threadline.backends.clock import SystemClock
from threadline.backends.sqlite.database import Database

database = Database(Path(sys.argv[1]), SystemClock())
store, queue = item_store(database), mailbox(database)
saying = threading.Lock()

def work(name):
    for number in range(100_000):
        store.write([put(f"{name}-{number}-a"), put(f"{name}-{number}-b")])
        queue.send([mail(f"{name}-{number}", group=name)])
        with saying:
            print(f"{name}-{number}", flush=True)

for name in "abcd":
    threading.Thread(target=work, args=(name,)).start()
"""


@pytest.mark.parametrize("acknowledged", [1, 40, 150])
def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path, acknowledged: int) -> None:
    """After `kill -9` every acknowledged write is there, whole, and no write is half there."""
    path = tmp_path / "a.db"
    with another_process(WRITER, str(path)) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline().strip() for _ in range(acknowledged)]
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.read().split("\n")[:-1]
    assert writer.returncode == -signal.SIGKILL
    with Database(path, SystemClock()) as database:
        store = item_store(database)
        sorts = {item.key.sort for item in store.query("conversations", "p", limit=1_000_000)}
        assert {f"{one}-{half}" for one in said for half in "ab"} <= sorts
        assert {sort[:-1] + "a" for sort in sorts} == {
            sort[:-1] + "a" for sort in sorts if sort[-1] == "b"
        }
        assert store.get([key(f"{said[0]}-a")]) != (None,)
        came = drained(database)
    assert {name: came[name][: len(sent)] for name, sent in grouped(said).items()} == grouped(said)


def grouped(said: list[str]) -> dict[str, list[str]]:
    """Sort what was said by its writer, keeping the order."""
    return {name: [one for one in said if one[0] == name] for name in sorted({s[0] for s in said})}


def drained(database: Database) -> dict[str, list[str]]:
    """Take everything from the mailbox, by group, in the order it came."""
    came: dict[str, list[str]] = {}
    queue = mailbox(database)
    while got := queue.receive(10, visibility=100):
        for message in got:
            came.setdefault(message.group, []).append(message.body)
        queue.delete(message.receipt for message in got)
    return came
