"""The end of a followed run: its answer into the ledger, posted, and the mailbox told."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from threadline.app import answer, handing, items, lease, ledger, sending
from threadline.app.agents import brief
from threadline.app.answer import Ending
from threadline.app.following import Following
from threadline.app.ledger import Entry
from threadline.app.plan import send
from threadline.app.rendered import rendered
from threadline.app.world import World
from threadline.core import keys
from threadline.core.agent import Outcome, StoredFile
from threadline.core.envelope import FlushOutbox, FollowRun, RunEnded, Timer
from threadline.core.errors import Conflict
from threadline.core.ids import DeliveryId
from threadline.core.platform import Platform
from threadline.core.ports import Change, Delete, Expect, Put
from threadline.core.posting import Draft, Receipt, Reply, Tone
from threadline.core.records import JournalRow, Part, PartState, RunRecord
from threadline.core.settings import ReplyMode
from threadline.core.texts import say

APPLY_AGAIN_AFTER: Final = 15.0
MOST_PARTS: Final = 40
MOST_OPTIONS: Final = 20


def close(
    run: Following, outcome: Outcome, files: Sequence[StoredFile], cooling_until: float
) -> Ending:
    """Plan the answer under the lease, post its words, put RunEnded into the mailbox.

    Files are left to whoever flushes the outbox: they may take their time.

    A growing post that only changes into the answer needs nobody's leave; anything new comes after
    what was planned before it.

    Raises LeaseLost where somebody else follows now: then nothing was said.
    """
    world, hint = run.world, run.hint
    language = world.settings().language
    ending = answer.compose(
        outcome, run.visible.text, language, over_limit=run.cancelled, files=files
    )
    drafts = _drafts(run.screen.platform, ending, language)
    posted = run.screen.posted or _doubtful_sign(run)
    parts = answer_parts(world, hint, drafts, posted)
    uploads = handing.parts(_part(world, hint, drafts[-1], len(drafts) + 1), files)
    free = cooling_until <= world.clock.now() and _is_next(run, parts)
    if free:
        parts[0] = ledger.claimed(parts[0], world.holder, world.clock.now())
    record = replace(
        run.record(), ended=True, visible="", outcome=ending.code, asked=ending.asked,
        asked_at=max(world.clock.now(), 0.0 if free else cooling_until), holder="",
        options=tuple(one[:200] for one in ending.options[:MOST_OPTIONS]),
    )  # fmt: skip
    changes = ledger.planned([*parts, *uploads], world.clock.now())
    changes += _journal(world, hint, ending, outcome)
    changes += _once_more(run, parts)
    lease.write(world, run.lease, record, changes)
    if free:
        shown_at = post(world, parts)
        record = replace(record, asked_at=max(record.asked_at, shown_at))
    if uploads or not free:
        _hint(world, parts[0])
    tell(world, hint, record)
    return ending


def sign_of(world: World, hint: FollowRun) -> Receipt | None:
    """Give the first sign of life that is known to stand in the chat."""
    key = items.settled_by_id(hint.turn.destination, keys.part_id(hint.turn.id, 0))
    shown = items.read(Part, world.store.get([key])[0])
    return shown.receipt if shown is not None and shown.state is PartState.SENT else None


def _doubtful_sign(run: Following) -> Receipt | None:
    """Repeat a first sign of life that may stand in the chat; one still in doubt is given up."""
    world, hint, traits = run.world, run.hint, run.screen.platform.traits
    if not (traits.placeholder and traits.dedupes_posts) or hint.turn.reply is not ReplyMode.CHAT:
        return None
    sign = keys.part_id(hint.turn.id, 0)
    live = ledger.live(world, run.screen.destination)
    for entry in live.entries:
        if entry.part.id == sign and entry.part.state is PartState.SENDING:
            try:
                if sending.take_up(world, entry).again_at:
                    world.store.write([Delete(items.open_part(entry.part), Expect.ANY)])
            except Conflict:
                break  # somebody else has just settled it
    return sign_of(world, hint)


def _drafts(platform: Platform, ending: Ending, language: str) -> list[Draft]:
    """Render what is said; the rest of an answer beyond all measure is left out, and said so."""
    replies = [rendered(platform, reply, MOST_PARTS) for reply in ending.replies]
    drafts = [draft for some, _ in replies for draft in some]
    if len(drafts) > MOST_PARTS or not all(complete for _, complete in replies):
        rest = platform.render(Reply(say("too_long", language), Tone.NOTICE))
        drafts = [*drafts[: MOST_PARTS - 1], *rest[:1]]
    return drafts or list(platform.render(Reply(say("run_silent", language), Tone.NOTICE)))


def _is_next(run: Following, parts: list[Part]) -> bool:
    if all(part.action == "edit" for part in parts):
        return True
    live = ledger.live(run.world, run.screen.destination)
    cools = live.cooling_until > run.now()
    return not (cools or live.waits_before(run.hint.conversation))


def tell(world: World, hint: FollowRun, record: RunRecord) -> None:
    """Put RunEnded into the mailbox; telling it twice changes nothing."""
    ended = RunEnded(
        conversation=hint.conversation, mailbox=hint.mailbox, turn=hint.turn.id,
        outcome=record.outcome, asked=record.asked, asked_at=record.asked_at,
        options=record.options,
    )  # fmt: skip
    send(world, world.clock.now(), [ended], [], [])


def post(world: World, parts: list[Part]) -> float:
    """Post parts in order, the first one claimed; give when what cannot go now may go, else 0."""
    entry = Entry(parts[0], 1)
    for following in [*parts[1:], None]:
        sent = sending.send(world, entry, following)
        if sent.again_at:
            place = items.destination_of(entry.part.destination)
            timer = Timer(at=sent.again_at, mail=FlushOutbox(destination=place))
            send(world, world.clock.now(), [], [], [timer])
        if sent.following is None:
            return sent.again_at
        entry = sent.following
    return 0.0


def answer_parts(
    world: World, hint: FollowRun, drafts: list[Draft], posted: Receipt | None
) -> list[Part]:
    """Make the parts of an answer: the first grows out of what was posted, the others follow."""
    parts = [_part(world, hint, draft, number) for number, draft in enumerate(drafts, 1)]
    if posted is not None:
        first = parts[0]
        parts[0] = replace(
            first, id=keys.part_id(hint.turn.id, 0), number=0, action="edit", target=posted
        )
    return parts


def first_sign(world: World, hint: FollowRun, draft: Draft) -> Part:
    """Make part 0: the first sign of life, claimed by its follower."""
    part = replace(_part(world, hint, draft, 0), id=keys.part_id(hint.turn.id, 0))
    return ledger.claimed(part, world.holder, world.clock.now())


def _part(world: World, hint: FollowRun, draft: Draft, number: int) -> Part:
    turn, now = hint.turn, world.clock.now()
    traits_window = _window(world, hint)
    return Part(
        id=keys.part_id(turn.id, number), turn=turn.id, number=number,
        conversation=hint.conversation, destination=turn.destination, action="post", draft=draft,
        order=now + number / 1000, moved_at=now, alias=hint.topic, mailbox=hint.mailbox,
        delivery=DeliveryId(turn.deliveries[-1]) if turn.deliveries else DeliveryId(""),
        window_ends=turn.accepted_at + traits_window if traits_window else 0.0,
    )  # fmt: skip


def _window(world: World, hint: FollowRun) -> float:
    platform = world.platform(hint.turn.destination.platform)
    return platform.traits.reply_window if platform else 0.0


def _once_more(run: Following, parts: list[Part]) -> list[Change]:
    """Apply the final edit again later where an edit of a former holder may still land."""
    first = parts[0]
    alone = run.lease.record.lease == 1 and not run.screen.uncertain
    if alone or first.action != "edit":
        return []
    now = run.world.clock.now()
    again = replace(
        first, id=keys.part_id(first.turn, ledger.REPEAT), number=ledger.REPEAT,
        order=now + 1.0, not_before=now + APPLY_AGAIN_AFTER, holder="", tries=0,
        state=PartState.PLANNED, delivery=DeliveryId(""),
    )  # fmt: skip
    return ledger.planned([again], now)


def _journal(world: World, hint: FollowRun, ending: Ending, outcome: Outcome) -> list[Change]:
    now = world.clock.now()
    rows = [
        JournalRow(
            delivery=DeliveryId(delivery), at=now, step=f"run {ending.code}",
            detail=brief(outcome.error), conversation=hint.conversation, turn=hint.turn.id,
        )
        for delivery in hint.turn.deliveries
    ]  # fmt: skip
    return [Put(items.journal_item(row, world.random()), Expect.ANY) for row in rows]


def _hint(world: World, part: Part) -> None:
    flush = FlushOutbox(destination=items.destination_of(part.destination))
    send(world, world.clock.now(), [], [flush], [])
