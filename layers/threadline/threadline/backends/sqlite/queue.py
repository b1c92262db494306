"""Queues in SQLite, with the semantics of SQS.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
"""

import sqlite3
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from threadline.backends.limits import check_messages, check_receive, check_visibility
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.receipts import numbers, receive
from threadline.core.ports import Outgoing, Received

DEDUP_SECONDS: Final = 300.0
RETENTION: Final = 14 * 86_400.0
"""Seconds."""
POLL: Final = 0.25
"""Seconds between looks for what another process sent; one's own process rings."""


class SqliteQueue:
    """A FIFO or standard queue in a `Database`.

    The group whose next message has been ready longest comes first, so that a chatty group waits
    for its turn like the others. Messages older than `RETENTION` are removed in the background; one
    that was received `most` times goes to `dead` in place of being received again. A receive waits
    in real time, whatever the database's clock.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        *,
        fifo: bool,
        dead: "SqliteQueue | None" = None,
        most: int = 0,
    ) -> None:
        self._database = database
        self._name = name
        self._fifo = fifo
        self._dead = dead
        self._most = most
        self._arrivals = database.arrivals(name)
        database.tidy_with(self._purge)

    def send(self, messages: Sequence[Outgoing]) -> None:
        check_messages(messages, fifo=self._fifo)
        if messages:
            self._database.write(partial(self._insert, messages))
            self._arrivals.ring()

    def receive(self, limit: int, *, visibility: float, wait: float = 0.0) -> tuple[Received, ...]:
        check_receive(limit, visibility)
        give_up = time.monotonic() + wait
        while True:
            seen = self._arrivals.count()
            ready_in = self._ready_in()
            if ready_in <= 0:
                taken = self._database.write(partial(self._take, limit, visibility))
                if taken:
                    return taken
            left = give_up - time.monotonic()
            if left <= 0:
                return ()
            self._arrivals.wait(seen, min(left, max(ready_in, 0.001), POLL))

    def delete(self, receipts: Iterable[str]) -> None:
        held = [numbers(receipt) for receipt in receipts]
        if held:
            self._database.write(partial(self._delete, held))
            self._arrivals.ring()

    def change_visibility(self, receipts: Iterable[str], seconds: float) -> None:
        check_visibility(seconds)
        held = [numbers(receipt) for receipt in receipts]
        if held:
            self._database.write(partial(self._hide, held, seconds))
            self._arrivals.ring()

    def release(self) -> None:
        """Give back at once what is in flight: for a process that knows its receivers are dead."""
        self._database.write(self._release)
        self._arrivals.ring()

    def bodies(self) -> tuple[tuple[int, str], ...]:
        """Give the number and body of every message, for a person who looks in."""
        with self._database.reading() as connection:
            sql = "SELECT number, body FROM message WHERE queue = ? ORDER BY number"
            return tuple(connection.execute(sql, (self._name,)).fetchall())

    def discard(self, numbers: Iterable[int]) -> None:
        """Remove messages by number, in flight or not; what holds one cannot bring it back."""
        wanted = tuple(numbers)
        if wanted:
            self._database.write(partial(self._discard, wanted))
            self._arrivals.ring()

    def depth(self) -> int:
        """Count the messages, those in flight and those delayed too."""
        with self._database.reading() as connection:
            sql = "SELECT count(*) FROM message WHERE queue = ?"
            count: int = connection.execute(sql, (self._name,)).fetchone()[0]
        return count

    def _ready_in(self) -> float:
        sql = (
            "SELECT ready_at FROM message WHERE queue = ? AND ready_at IS NOT NULL"
            " ORDER BY ready_at LIMIT 1"
        )
        with self._database.reading() as connection:
            row = connection.execute(sql, (self._name,)).fetchone()
        return float(row[0]) - self._database.clock.now() if row else POLL

    def _insert(self, messages: Sequence[Outgoing], connection: sqlite3.Connection) -> None:
        now = self._database.clock.now()
        for message in messages:
            if self._fifo and not self._first_of_its_id(message, now, connection):
                continue
            self.append(message.group, message.body, now, now + message.delay, connection)

    def append(
        self, group: str, body: str, sent_at: float, ready_at: float, connection: sqlite3.Connection
    ) -> None:
        """Put a message behind those of its group, inside a write of the database's."""
        starts_group = not self._fifo or self._head(group, connection) is None
        inserted = connection.execute(
            "INSERT INTO message (queue, group_id, sent_at, visible_at, body)"
            " VALUES (?, ?, ?, ?, ?)",
            (self._name, group, sent_at, ready_at, body),
        )
        if starts_group and inserted.lastrowid is not None:
            self._set_ready(inserted.lastrowid, ready_at, connection)

    def _first_of_its_id(
        self, message: Outgoing, now: float, connection: sqlite3.Connection
    ) -> bool:
        noted = connection.execute(
            "INSERT INTO dedup VALUES (:queue, :group, :dedup, :until)"
            " ON CONFLICT DO UPDATE SET until = :until WHERE until <= :now",
            {
                "queue": self._name,
                "group": message.group,
                "dedup": message.dedup,
                "until": now + DEDUP_SECONDS,
                "now": now,
            },
        )
        return noted.rowcount == 1

    def _take(
        self, limit: int, visibility: float, connection: sqlite3.Connection
    ) -> tuple[Received, ...]:
        now = self._database.clock.now()
        heads = connection.execute(
            "SELECT number, group_id, received FROM message WHERE queue = ? AND ready_at <= ?"
            " ORDER BY ready_at, turn LIMIT ?",
            (self._name, now, limit),
        ).fetchall()
        if self._dead is not None:
            worn = [number for number, _, received in heads if received >= self._most]
            if worn:
                self._set_aside(worn, self._dead, connection)
                return self._take(limit, visibility, connection)
        taken: list[Received] = []
        for head, group, _ in heads:
            numbers = [head]
            if self._fifo:
                numbers = self._first_of_group(group, limit - len(taken), connection)
            taken.extend(receive(number, now + visibility, connection) for number in numbers)
            self._set_ready(head, now + visibility, connection)
            if len(taken) >= limit:
                break
        return tuple(taken)

    def _set_aside(
        self, worn: Sequence[int], dead: "SqliteQueue", connection: sqlite3.Connection
    ) -> None:
        """Move messages that were received too often, each behind what its group has there."""
        now = self._database.clock.now()
        for number in worn:
            group, body, sent_at = connection.execute(
                "DELETE FROM message WHERE number = ? RETURNING group_id, body, sent_at", (number,)
            ).fetchone()
            dead.append(group, body, sent_at, now, connection)
            self._settle([group], now, connection)

    def _delete(self, held: Sequence[tuple[int, int]], connection: sqlite3.Connection) -> None:
        now = self._database.clock.now()
        groups: dict[str, None] = {}
        for number, received in held:
            group = self._group_in_flight(number, received, now, connection)
            if group is not None:
                connection.execute("DELETE FROM message WHERE number = ?", (number,))
                groups[group] = None
        self._settle(groups, now, connection)

    def _hide(
        self, held: Sequence[tuple[int, int]], seconds: float, connection: sqlite3.Connection
    ) -> None:
        now = self._database.clock.now()
        for number, received in held:
            group = self._group_in_flight(number, received, now, connection)
            if group is None:
                continue
            connection.execute(
                "UPDATE message SET visible_at = ? WHERE number = ?", (now + seconds, number)
            )
            if self._fifo:
                self._settle([group], now, connection)
            else:
                self._set_ready(number, now + seconds, connection)

    def _discard(self, numbers: Sequence[int], connection: sqlite3.Connection) -> None:
        groups: set[str] = set()
        for number in numbers:
            gone = connection.execute(
                "DELETE FROM message WHERE number = ? AND queue = ? RETURNING group_id",
                (number, self._name),
            ).fetchone()
            groups |= {gone[0]} if gone else set()
        self._settle(groups, self._database.clock.now(), connection)

    def _release(self, connection: sqlite3.Connection) -> None:
        now = self._database.clock.now()
        held = connection.execute(
            "UPDATE message SET visible_at = :now, ready_at = iif(ready_at > :now, :now, ready_at)"
            " WHERE queue = :queue AND received > 0 AND visible_at > :now RETURNING group_id",
            {"now": now, "queue": self._name},
        ).fetchall()
        self._settle({group for (group,) in held}, now, connection)

    def _group_in_flight(
        self, number: int, received: int, now: float, connection: sqlite3.Connection
    ) -> str | None:
        row = connection.execute(
            "SELECT group_id FROM message"
            " WHERE number = ? AND queue = ? AND received = ? AND visible_at > ?",
            (number, self._name, received, now),
        ).fetchone()
        return None if row is None else str(row[0])

    def _settle(self, groups: Iterable[str], now: float, connection: sqlite3.Connection) -> None:
        """Note when each group can give its next message: not while one of it is in flight."""
        for group in groups if self._fifo else ():
            head = self._head(group, connection)
            if head is not None:
                last = connection.execute(
                    "SELECT visible_at FROM message"
                    " WHERE queue = ? AND group_id = ? AND received > 0"
                    " ORDER BY visible_at DESC LIMIT 1",
                    (self._name, group),
                ).fetchone()
                self._set_ready(head, max(now, last[0]) if last else now, connection)

    def _set_ready(self, number: int, ready_at: float, connection: sqlite3.Connection) -> None:
        """Note when a message can be given; it stands behind the others of the same moment."""
        connection.execute(
            "UPDATE message SET ready_at = :at, turn = (SELECT coalesce(max(turn), 0) + 1"
            " FROM message WHERE queue = :queue AND ready_at = :at) WHERE number = :number",
            {"at": ready_at, "queue": self._name, "number": number},
        )

    def _head(self, group: str, connection: sqlite3.Connection) -> int | None:
        first = self._first_of_group(group, 1, connection)
        return first[0] if first else None

    def _first_of_group(self, group: str, most: int, connection: sqlite3.Connection) -> list[int]:
        rows = connection.execute(
            "SELECT number FROM message WHERE queue = ? AND group_id = ? ORDER BY number LIMIT ?",
            (self._name, group, most),
        )
        return [number for (number,) in rows.fetchall()]

    def _purge(self, connection: sqlite3.Connection) -> None:
        now = self._database.clock.now()
        connection.execute("DELETE FROM dedup WHERE until <= ?", (now,))
        old = connection.execute(
            "DELETE FROM message WHERE queue = ? AND sent_at < ? RETURNING group_id",
            (self._name, now - RETENTION),
        ).fetchall()
        self._settle({group for (group,) in old}, now, connection)
