"""The one kind of mail that ingest writes, apart from the others: a cold start loads no more."""

from dataclasses import dataclass
from typing import Final, Literal

from threadline.core.message import Message

MAX_BODY: Final = 900_000
"""Longest queue body in bytes; longer ones travel as a blob reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """A parsed message for its mailbox; `accepted_at` is when ingest took it."""

    message: Message
    accepted_at: float
    forwarded: bool = False
    redriven: bool = False
    kind: Literal["arrived"] = "arrived"
    schema: int = 1
