"""Second look through the tables: every item that is the subject's, by the names that are known."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import Final

from threadline.app import codec
from threadline.app.forget import found as kinds
from threadline.app.forget import names
from threadline.app.forget.found import Found
from threadline.app.forget.subject import Person, Traces
from threadline.app.scanning import all_of
from threadline.app.sending import SENDING_TIMEOUT
from threadline.core import keys
from threadline.core.ports import Item, ItemStore, Scans
from threadline.core.records import (
    AdmitCode,
    Admitted,
    Alias,
    Claim,
    Facts,
    JournalRow,
    Part,
    PartState,
    RunRecord,
    Seen,
)

FORGOTTEN: Final = "(forgotten)"
"""Stands in an audit row in place of what named the subject."""


def survey(store: ItemStore, scans: Scans, traces: Traces, now: float) -> Found:
    """Go through the tables twice and change nothing. Raises StoreUnavailable."""
    found = Found(traces, now)
    names.look(store, scans, found)
    for table in ("outbox", "conversations", "deliveries", "connections"):
        for _, group in groupby(all_of(scans, table), lambda item: item.key.partition):
            together = tuple(group)
            for item in together:
                kind = item.key.sort.partition("#")[0]
                LOOKS.get((table, kind), _unknown)(found, item, together)
    return found


def named_in(traces: Traces, text: str) -> bool:
    """Tell whether a text names the subject: a key, a delivery, or an id that is nothing else.

    An id of digits alone may be that of a message or a chat as well.
    """
    if not text:
        return False
    if text in traces.whole or text in traces.deliveries or text in traces.turns:
        return True
    person = traces.subject
    if not isinstance(person, Person) or person.id.isdigit():
        return False
    return re.search(rf"(?<![\w]){re.escape(person.id)}(?![\w])", text) is not None


def _post(found: Found, item: Item, _: Sequence[Item]) -> None:
    if item.key.sort == "live#cooling":
        if item.key.partition in found.traces.chats:
            found.take(kinds.COOLING, item)
        return
    part, traces = found.read(Part, item), found.traces
    if part is None:
        return
    theirs = part.turn in traces.turns or part.delivery in traces.deliveries
    if not theirs and not traces.goes(part.conversation):
        return
    found.take(kinds.POSTS, item)
    if part.state is PartState.SENDING and found.now - part.moved_at < SENDING_TIMEOUT:
        found.busy.append(f"{part.conversation}: a post is just being made")


def _run(found: Found, item: Item, _: Sequence[Item]) -> None:
    """Take what following a run left; where others are, it stays, but for its text.

    Without it a late hint would have the run followed, and answered, once more. Dispatch leaves a
    mark against that where a conversation goes as a whole.
    """
    record, traces = found.read(RunRecord, item), found.traces
    if record is None:
        return
    whole = traces.goes(record.conversation)
    if not whole and record.turn not in traces.turns:
        return
    if not record.ended and record.lease_end > found.now:
        found.busy.append(f"{record.conversation}: run {record.run} is still being followed")
    plain = replace(record, visible="", shown="", options=())
    if whole:
        found.take(kinds.RUNS, item)
    elif plain != record:
        found.rewrite(kinds.SHOWN, item, codec.attributes(plain))


def _left_waiting(found: Found, item: Item, together: Sequence[Item]) -> None:
    """Take a waiting message whose conversation is gone: dispatch takes the others."""
    gone = all(one.key.sort != "conversation" for one in together)
    if gone and found.traces.goes(item.key.partition):
        found.waiting.add(item.key)
        found.take(kinds.WAITING, item)


def _alias(found: Found, item: Item, _: Sequence[Item]) -> None:
    alias = found.read(Alias, item)
    if alias and found.traces.goes(alias.conversation):
        found.take(kinds.ALIASES, item)


def _claim(found: Found, item: Item, _: Sequence[Item]) -> None:
    """Leave a claim: without it another owner could take the agent's thread over."""
    claim = found.read(Claim, item)
    found.claims += claim is not None and found.traces.goes(claim.conversation)


def _seen(found: Found, item: Item, _: Sequence[Item]) -> None:
    seen = found.read(Seen, item)
    if seen is None:
        return
    platform, app, *_rest = keys.split(seen.identity)
    if found.traces.goes(seen.conversation) or found.traces.wrote(platform, app, seen.sender):
        found.take(kinds.SEEN, item)


def _journal(found: Found, item: Item, together: Sequence[Item]) -> None:
    """Take a row of the subject's delivery, or of its conversation where others had it too."""
    row, traces = found.read(JournalRow, item), found.traces
    if row is None:
        return
    places = {str(one.attributes.get("conversation", "")) for one in together} - {""}
    alone = bool(places) and all(map(traces.goes, places))
    if alone:
        traces.deliveries.add(row.delivery)
    if alone or traces.goes(row.conversation) or named_in(traces, row.delivery):
        found.take(kinds.JOURNAL, item)


def _audited(found: Found, item: Item, _: Sequence[Item]) -> None:
    facts = found.read(Facts, item)
    if facts is None:
        return
    values = {
        name: FORGOTTEN if named_in(found.traces, value) else value
        for name, value in facts.values.items()
    }
    if values != facts.values:
        plain = Facts(facts.action, facts.at, facts.by, values)
        found.rewrite(kinds.AUDITED, item, codec.attributes(plain))


def _admitted(found: Found, item: Item, _: Sequence[Item]) -> None:
    person = found.read(Admitted, item)
    if person and found.traces.wrote(person.platform, person.app, person.sender):
        found.take(kinds.PEOPLE, item)


def _code(found: Found, item: Item, _: Sequence[Item]) -> None:
    code = found.read(AdmitCode, item)
    if code and found.traces.wrote(code.platform, code.app, code.used_by):
        found.take(kinds.PEOPLE, item)


def _nothing(found: Found, item: Item, together: Sequence[Item]) -> None:
    """Leave what dispatch removes, and what names nobody."""


def _unknown(found: Found, item: Item, _: Sequence[Item]) -> None:
    found.unreadable.append(item.key)


type _Look = Callable[[Found, Item, Sequence[Item]], None]

LOOKS: Final[Mapping[tuple[str, str], _Look]] = MappingProxyType(
    {
        ("conversations", "conversation"): _nothing,
        ("conversations", "wait"): _left_waiting,
        ("conversations", "run"): _run,
        ("conversations", "alias"): _alias,
        ("conversations", "claim"): _claim,
        ("conversations", "forgotten"): _nothing,
        ("deliveries", "seen"): _seen,
        ("deliveries", "journal"): _journal,
        ("deliveries", "audit"): _audited,
        ("connections", "admitted"): _admitted,
        ("connections", "code"): _code,
        ("outbox", "live"): _post,
        ("outbox", "done"): _post,
    }
)
"""What is looked at in each kind of item, by table and the beginning of its sort key."""
