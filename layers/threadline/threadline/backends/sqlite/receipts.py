"""What a receive gives: a message, and the receipt that names this delivery of it."""

import sqlite3

from threadline.core.ports import Received


def receive(number: int, until: float, connection: sqlite3.Connection) -> Received:
    """Count one more delivery of a message and give it, hidden until then."""
    body, group, received, sent_at = connection.execute(
        "UPDATE message SET received = received + 1, visible_at = ? WHERE number = ?"
        " RETURNING body, group_id, received, sent_at",
        (until, number),
    ).fetchone()
    return Received(
        body=body,
        receipt=f"{number}-{received}",
        id=str(number),
        group=group,
        received=received,
        sent_at=sent_at,
    )


def numbers(receipt: str) -> tuple[int, int]:
    """Take a receipt apart: which message, and which of its deliveries."""
    number, _, received = receipt.partition("-")
    return int(number), int(received)
