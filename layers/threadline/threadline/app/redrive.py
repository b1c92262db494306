"""Dead letters: listed, and put back into their mailbox without touching their neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass

from threadline.app import audit, codec, items
from threadline.app.audit import Hand
from threadline.app.codec import Unreadable
from threadline.app.dead import every
from threadline.app.plan import read_mail, stored_mail
from threadline.app.telling import identity_of
from threadline.core import keys
from threadline.core.envelope import MAX_BODY, Arrived, FilesReady, Forget, RunEnded, Wake
from threadline.core.ports import Blobs, Clock, ItemStore, Outgoing, Queue, Received
from threadline.core.records import Seen


@dataclass(frozen=True, slots=True)
class Letter:
    """A dead letter: of which delivery, accepted or set aside when, and why it died."""

    id: str
    delivery: str
    since: float
    reason: str
    received: Received
    order: str = ""


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The dead-letter queue and where its letters go back to."""

    dead: Queue
    mailbox: Queue
    store: ItemStore
    blobs: Blobs
    clock: Clock

    def letters(self) -> tuple[Letter, ...]:
        """List every letter, oldest first; they stay among the dead."""
        with every(self.dead) as found:
            return self._in_order(found)

    def put_back(self, wanted: str, hand: Hand) -> int:
        """Put back the letters of one delivery or id, or "" for all; give how many went.

        Each behind an audit row, so that what was begun is never without one. Raises StoreError.
        """
        with every(self.dead) as found:
            meant = [
                letter
                for letter in self._in_order(found)
                if not wanted or wanted in {letter.id, letter.delivery}
            ]
            for moved, letter in enumerate(meant):
                this = Hand(hand.by, f"{hand.unique}{moved}")
                row = audit.row("redrive", self.clock.now(), this, delivery=letter.delivery)
                self.store.write([row])
                self._move(letter)
        return len(meant)

    def _in_order(self, found: Sequence[Received]) -> tuple[Letter, ...]:
        return tuple(sorted(map(self._letter, found), key=lambda one: (one.since, one.order)))

    def _letter(self, received: Received) -> Letter:
        delivery, order, since, reason = "", "", received.sent_at, "unreadable"
        try:
            mail = read_mail(self.blobs, received.body)
        except Unreadable:
            pass
        else:
            reason = mail.kind
            if isinstance(mail, Arrived):
                delivery, reason = mail.message.delivery, self._reason(mail)
                since, order = mail.accepted_at, mail.message.order
        return Letter(received.id, delivery, since, reason, received, order)

    def _reason(self, mail: Arrived) -> str:
        seen = items.read(Seen, self.store.get([items.seen(identity_of(mail.message))])[0])
        return seen.reason if seen else "not handled"

    def _body(self, mail: Arrived, letter: Letter) -> str:
        body = codec.encode(mail)
        if len(body) <= MAX_BODY:
            return body
        return stored_mail(self.blobs, body, f"redriven-{letter.id}")

    def _move(self, letter: Letter) -> None:
        """Send first, delete after: a letter that goes back twice is a duplicate there."""
        body, mailbox = letter.received.body, letter.received.group
        try:
            mail = read_mail(self.blobs, body)
        except Unreadable:
            mail = None
        if isinstance(mail, Arrived):
            revived = Arrived(
                message=mail.message, accepted_at=mail.accepted_at, redriven=True
            )  # fmt: skip
            body, mailbox = self._body(revived, letter), keys.queue_id(mail.message.mailbox)
        elif isinstance(mail, RunEnded | FilesReady | Wake | Forget):
            mailbox = keys.queue_id(mail.mailbox)
        dedup = keys.queue_id(f"redrive {letter.id} {self.clock.now()}")
        self.mailbox.send([Outgoing(body, group=mailbox, dedup=dedup)])
        self.dead.delete([letter.received.receipt])
