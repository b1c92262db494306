"""The embedded ports of the unit tests."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count

from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.queue import SqliteQueue
from threadline.backends.sqlite.store import SqliteStore
from threadline.core.json import Json
from threadline.core.ports import Expect, Item, Key, Outgoing, Put


def numbered(prefix: str = "w") -> Callable[[], str]:
    """Give a source of ids that are told apart by a number."""
    numbers: Iterator[int] = count()
    return lambda: f"{prefix}{next(numbers)}"


def item_store(database: Database) -> SqliteStore:
    """Open the item store of a database."""
    return SqliteStore(database, write_ids=numbered())


def mailbox(database: Database) -> SqliteQueue:
    """Open a FIFO queue of a database."""
    return SqliteQueue(database, "mailbox", fifo=True)


def key(sort: str) -> Key:
    """Give a key of the one partition that the tests use."""
    return Key("conversations", "p", sort)


def put(sort: str, expect: int | Expect = Expect.ABSENT, **attributes: Json) -> Put:
    """Put an item of that partition."""
    return Put(Item(key(sort), attributes), expect)


def mail(body: str, group: str = "g") -> Outgoing:
    """Make a message for the FIFO queue, its body also its dedup id."""
    return Outgoing(body, group, f"{group}-{body}")


def another_process(program: str, *arguments: str) -> "subprocess.Popen[str]":
    """Start a Python program that sees the modules of this one, its output a pipe."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
