"""Forgetting in the tables, the bucket and the queues of AWS."""

from collections.abc import Iterator
from itertools import batched
from pathlib import Path

import pytest

from tests.aws.emulated import Emulated, on_ministack, on_moto
from tests.simulation.forgetting import (
    ADA,
    ADA_IM,
    ADA_SLACK,
    PLANTED,
    SLACK,
    TABLES,
    TELEGRAM,
    Busy,
    both_platforms,
    busy_history,
    kept_aside,
    no_line,
    plain,
)
from threadline import wiring
from threadline.app import codec, dispatch
from threadline.app.dispatch import Received
from threadline.app.forget.removal import Forgetting, Nothing
from threadline.app.world import Queues, World
from threadline.core.envelope import Forget
from threadline.core.ports import Expect, Item, Outgoing, Put

MARKS = (PLANTED, str(ADA), ADA_SLACK, ADA_IM)
OPENS = {"moto": on_moto, "ministack": on_ministack}


@pytest.fixture(params=["moto", pytest.param("ministack", marks=pytest.mark.aws)])
def emulated(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Emulated]:
    """Give either emulator, empty."""
    with OPENS[request.param](tmp_path) as opened:
        yield opened


def filled(emulated: Emulated, folder: Path) -> list[Item]:
    """Bring what a busy installation left into the emulator, and give every item."""
    world = Busy(folder)
    try:
        busy_history(world)
        kept_aside(world, ADA)
        items, ports = world.everything(), world.ports.ports
        ahead = emulated.now() - world.clock.now()
        for several in batched(items, 50, strict=False):
            emulated.store.write([Put(_later(item, ahead), Expect.ABSENT) for item in several])
        for name in ports.blobs.names(""):
            emulated.blobs.put(name, ports.blobs.get(name) or b"")
        for number, letter in enumerate(ports.queues.dead.receive(10, visibility=60.0)):
            sent = Outgoing(letter.body, group=f"g{number}", dedup=f"d{number}")
            emulated.queue("mailbox-dead.fifo").send([sent])
    finally:
        world.close()
    return items


def _later(item: Item, seconds: float) -> Item:
    """Give an item of virtual time its place in the emulator's."""
    ends = None if item.expires_at is None else item.expires_at + seconds
    return Item(item.key, item.attributes, due=item.due, expires_at=ends)


def world_on(emulated: Emulated) -> World:
    """Compose the use cases on the emulator."""
    queues = Queues(
        mailbox=emulated.fifo, runs=emulated.queue("runs"), timers=emulated.standard,
        outbox=emulated.queue("outbox"), dead=emulated.queue("mailbox-dead.fifo"),
    )  # fmt: skip
    ports = wiring.Ports(
        store=emulated.store, scans=emulated.scans, queues=queues, blobs=emulated.blobs,
        secrets=emulated.secrets, clock=emulated.clock,
    )  # fmt: skip
    return wiring.world_of(ports, no_line, settings=both_platforms)


def rests(emulated: Emulated) -> str:
    """Give everything that rests in tables, bucket and queues."""
    items = [item for table in TABLES for item in emulated.scans.scan(table, limit=100_000)]
    bodies = [emulated.blobs.get(name) or b"" for name in emulated.blobs.names("")]
    names = ("mailbox-dead.fifo", "mailbox.fifo", "runs", "outbox")
    letters = [
        one.body for name in names for one in emulated.queue(name).receive(10, visibility=0.0)
    ]
    texts = [*map(plain, items), *(body.decode(errors="replace") for body in bodies), *letters]
    return "\n".join((*texts, *emulated.blobs.names("")))


def test_nothing_of_a_person_rests_and_others_things_do(emulated: Emulated, tmp_path: Path) -> None:
    """No table, body or dead letter names the person or has their words; others' stay."""
    before = filled(emulated, tmp_path / "here")
    assert all(mark in rests(emulated) for mark in MARKS)
    world = world_on(emulated)

    def ask(mail: Forget) -> None:
        dispatch.handle(world, Received("forget-1", codec.encode(mail), 1))

    forgetting = Forgetting(world, emulated.scans, Nothing(), ask, patience=0.0)
    for subject in (TELEGRAM, SLACK):
        forgetting.remove(forgetting.inventory(subject))
        assert forgetting.inventory(subject).counts == {}
    after = rests(emulated)
    assert [mark for mark in MARKS if mark in after] == []
    kept = {item.key for table in TABLES for item in emulated.scans.scan(table, limit=100_000)}
    others = [item for item in before if "4711002" in plain(item)]
    assert len(others) > 30
    assert {item.key for item in others} <= kept
