"""What rests of the subject outside the tables: stored bodies and files, dead letters."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from threadline.app import codec
from threadline.app.codec import Unreadable
from threadline.app.dead import every
from threadline.app.forget.subject import Person, Traces
from threadline.app.ingest import LARGE, UNACCEPTED, UNREADABLE
from threadline.app.plan import read_mail
from threadline.core import keys
from threadline.core.ports import Blobs, Queue
from threadline.core.records import Waiting

OF_TURNS: Final = ("files/", "artifacts/")
"""What people sent and what the agent made, each in a folder named after its turn."""
LONG_TEXTS: Final = "waiting/"
MOST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Body:
    """A stored body of the subject's; `rest` replaces it where others' messages are in it."""

    name: str
    rest: bytes | None = None


def stored(blobs: Blobs, traces: Traces) -> tuple[Body, ...]:
    """Find the subject's files, long texts, long or unsent mail, and what could not be read."""
    return (
        *_of_turns(blobs, traces),
        *_long_texts(blobs, traces),
        *_mail(blobs, traces),
        *_unsent(blobs, traces),
        *_unread(blobs, traces),
    )


def remove(blobs: Blobs, bodies: Sequence[Body]) -> None:
    """Remove bodies; what others said stays."""
    for body in bodies:
        if body.rest is not None:
            blobs.put(body.name, body.rest)
    blobs.delete([body.name for body in bodies if body.rest is None])


def letters(dead: Queue, blobs: Blobs, traces: Traces, *, remove: bool) -> int:
    """Count the subject's dead letters, or remove them; all others stay where they are."""
    with every(dead) as found:
        theirs = [one.receipt for one in found if is_letter(blobs, traces, one.body)]
        if remove:
            dead.delete(theirs)
    return len(theirs)


def is_letter(blobs: Blobs, traces: Traces, body: str) -> bool:
    """Tell whether the body of mail is about the subject."""
    try:
        return traces.concerns(read_mail(blobs, body))
    except Unreadable:
        return names_subject(traces, body.encode())


def is_hint(traces: Traces, body: str) -> bool:
    """Tell whether a hint or timer is about the subject."""
    try:
        return traces.concerns(codec.decode(body))
    except Unreadable:
        return names_subject(traces, body.encode())


def names_subject(traces: Traces, body: bytes) -> bool:
    """Tell whether the subject's id, or that of a chat of its own, is in a body nobody can read."""
    chats = {keys.split(one)[3] for one in traces.chats}
    ids = chats | ({traces.subject.id} if isinstance(traces.subject, Person) else set())
    text = body.decode(errors="replace")
    return any(
        re.search(rf"(?<![A-Za-z0-9]){re.escape(one)}(?![A-Za-z0-9])", text, re.IGNORECASE)
        for one in ids
    )


def _of_turns(blobs: Blobs, traces: Traces) -> Iterator[Body]:
    for prefix in OF_TURNS:
        for name in blobs.names(prefix, MOST):
            if name.removeprefix(prefix).partition("/")[0] in traces.turns:
                yield Body(name)


def _long_texts(blobs: Blobs, traces: Traces) -> Iterator[Body]:
    for name in blobs.names(LONG_TEXTS, MOST):
        body = blobs.get(name) or b""
        try:
            message = codec.decode_value(Waiting, body).message
        except Unreadable:
            theirs = names_subject(traces, body)
        else:
            theirs = traces.said(message)
        turn = name.removeprefix(LONG_TEXTS).rpartition("-")[0]
        if theirs or turn in traces.turns:
            yield Body(name)


def _mail(blobs: Blobs, traces: Traces) -> Iterator[Body]:
    for name in blobs.names(LARGE, MOST):
        if is_letter(blobs, traces, (blobs.get(name) or b"").decode(errors="replace")):
            yield Body(name)


def _unsent(blobs: Blobs, traces: Traces) -> Iterator[Body]:
    """Find what ingest could not send: a delivery's messages, each by itself."""
    for name in blobs.names(UNACCEPTED, MOST):
        body = blobs.get(name) or b""
        try:
            kept: Any = json.loads(body)
            others = [one for one in kept if not is_letter(blobs, traces, str(one["body"]))]
        except (ValueError, TypeError, KeyError):
            if names_subject(traces, body):
                yield Body(name)
            continue
        if len(others) < len(kept):
            yield Body(name, json.dumps(others).encode() if others else None)


def _unread(blobs: Blobs, traces: Traces) -> Iterator[Body]:
    for name in blobs.names(UNREADABLE, MOST):
        if names_subject(traces, blobs.get(name) or b""):
            yield Body(name)
