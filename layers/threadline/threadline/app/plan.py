"""What one step decided: everything it writes, at once, and what it sends afterwards."""

import json
from dataclasses import dataclass, field

from threadline.app import codec, items
from threadline.app.codec import Unreadable
from threadline.app.world import World
from threadline.core import keys
from threadline.core.envelope import (
    MAX_BODY,
    MAX_DELAY,
    Arrived,
    FilesReady,
    FlushOutbox,
    FollowRun,
    Forget,
    Mail,
    RunEnded,
    Timer,
    Wake,
)
from threadline.core.ids import DeliveryId, MailboxKey
from threadline.core.ports import MAX_CHANGES, Blobs, Change, Delete, Expect, Key, Outgoing, Put
from threadline.core.records import JournalRow, Part


@dataclass(slots=True)
class Plan:
    """Collects changes and messages; nothing happens before `commit`.

    `asides` are parts that are written behind all else, as many as there are: a process that ends
    in between leaves them unsaid.
    """

    world: World
    now: float
    changes: dict[Key, Change] = field(default_factory=dict)
    mail: list[Mail] = field(default_factory=list)
    hints: list[FollowRun | FlushOutbox] = field(default_factory=list)
    timers: list[Timer] = field(default_factory=list)
    asides: list[Part] = field(default_factory=list)

    def change(self, *changes: Change) -> None:
        """Add changes; a later one for the same item replaces the earlier."""
        for one in changes:
            self.changes[one.item.key if isinstance(one, Put) else one.key] = one

    def drop(self, key: Key) -> None:
        """Delete an item whatever its version."""
        self.change(Delete(key, Expect.ANY))

    def journal(
        self,
        delivery: str,
        step: str,
        *,
        detail: str = "",
        conversation: str = "",
        turn: str = "",
    ) -> None:
        """Add a journal row and write the same as a log line."""
        row = JournalRow(
            delivery=DeliveryId(delivery), at=self.now, step=str(step), detail=detail,
            conversation=conversation, turn=turn,
        )  # fmt: skip
        self.change(Put(items.journal_item(row, self.world.random()), Expect.ANY))
        self.world.log(
            "step", delivery=delivery, step=str(step), detail=detail,
            conversation=conversation, turn=turn,
        )  # fmt: skip

    def say(self, *parts: Part) -> None:
        """Add parts to the ledger and hint the outbox."""
        for part in parts:
            self.change(Put(items.part_item(part, self.now), Expect.ABSENT))
            self._flush(part)

    def _flush(self, part: Part) -> None:
        hint = FlushOutbox(destination=items.destination_of(part.destination))
        if hint not in self.hints:
            self.hints.append(hint)

    def wake_at(self, at: float, mail: Wake | FlushOutbox | FollowRun) -> None:
        """Set a timer; what is due is found by the sweep even if it is lost."""
        self.timers.append(Timer(at=at, mail=mail))

    def commit(self) -> None:
        """Write all or nothing, then send. Raises Conflict or StoreUnavailable."""
        if self.changes:
            self.world.store.write(tuple(self.changes.values()))
        for start in range(0, len(self.asides), MAX_CHANGES):
            some = self.asides[start : start + MAX_CHANGES]
            self.world.store.write(
                [Put(items.part_item(part, self.now), Expect.ABSENT) for part in some]
            )
        for part in self.asides:
            self._flush(part)
        send(self.world, self.now, self.mail, self.hints, self.timers)


def send(
    world: World,
    now: float,
    mail: list[Mail],
    hints: list[FollowRun | FlushOutbox],
    timers: list[Timer],
) -> None:
    """Send mail to mailboxes, hints to their queues and timers with their delay."""
    if mail:
        world.queues.mailbox.send([mailbox_message(world, one) for one in mail])
    follow = [Outgoing(codec.encode(one)) for one in hints if isinstance(one, FollowRun)]
    flush = [Outgoing(codec.encode(one)) for one in hints if isinstance(one, FlushOutbox)]
    if follow:
        world.queues.runs.send(follow)
    if flush:
        world.queues.outbox.send(flush)
    if timers:
        world.queues.timers.send(
            [
                Outgoing(codec.encode(one), delay=delay_until(one.at, now))
                for one in timers
            ]
        )  # fmt: skip


def delay_until(at: float, now: float) -> int:
    """Give the whole seconds to wait, at most what a queue takes."""
    return min(max(int(at - now + 0.999), 0), MAX_DELAY)


def mailbox_message(world: World, mail: Mail) -> Outgoing:
    """Address mail of our own to its mailbox, under a fresh id."""
    group = keys.queue_id(mailbox_of(mail))
    return Outgoing(write_mail(world, mail), group=group, dedup=world.random())


def mailbox_of(mail: Mail) -> MailboxKey:
    """Give the mailbox that mail belongs to."""
    return mail.message.mailbox if mail.kind == "arrived" else mail.mailbox


def write_mail(world: World, mail: Mail) -> str:
    """Write mail as a queue body; a longer one than a queue takes rests in a blob."""
    body = codec.encode(mail)
    if len(body) <= MAX_BODY:
        return body
    return stored_mail(world.blobs, body, world.random())


def stored_mail(blobs: Blobs, body: str, name: str) -> str:
    """Store a long body and give the queue body that refers to it."""
    blob = blobs.put(f"mail/{name}", body.encode(), "application/json")
    return json.dumps({"kind": "stored", "blob": blob.name, "schema": 1})


def read_mail(blobs: Blobs, body: str) -> Mail:
    """Read mail, from the blob it rests in where it is long. Raises Unreadable."""
    if '"kind":"stored"' in body.replace(" ", "")[:60]:
        try:
            stored = blobs.get(str(json.loads(body)["blob"]))
        except (ValueError, KeyError) as error:
            raise Unreadable("a stored body's reference") from error
        if stored is None:
            raise Unreadable("a stored body that is gone")
        body = stored.decode()
    mail = codec.decode(body)
    if not isinstance(mail, Arrived | RunEnded | FilesReady | Wake | Forget):
        raise Unreadable("a queue body that is no mail")
    return mail
