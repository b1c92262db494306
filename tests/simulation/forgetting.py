"""A busy installation with two people on two platforms, and forgetting one of them."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.simulation.installed import Embedded
from tests.simulation.roles import role
from tests.simulation.slack import GENERAL, SlackSimulation, slack_settings
from tests.simulation.world import settings_with
from tests.stubs.telegram import Fault
from threadline import wiring
from threadline.app.admission import make_code
from threadline.app.forget.removal import Forgetting
from threadline.app.forget.subject import Person, Subject
from threadline.app.plan import mailbox_message
from threadline.backends.clock import VirtualClock
from threadline.backends.outgoing import Gate
from threadline.core.envelope import Forget
from threadline.core.ids import BindingName, PlatformName
from threadline.core.ports import Item, Scans
from threadline.core.settings import Allow, ReplyMode, Settings
from threadline.local.folder import StateFolder
from threadline.local.forgetting import InFolder, forgetting_in

TABLES = ("conversations", "deliveries", "connections", "outbox")
GROUP, OTHERS = -100555, -100777
TOPIC: Mapping[str, Any] = {"chat": GROUP, "message_thread_id": 7, "is_topic_message": True}
"""Where both write in one conversation."""
PLANTED = "salbei"
"""Stands in everything that the person to be forgotten says."""
ADA, BEN = 4711001, 4711002
ADA_SLACK, BEN_SLACK = "U0ADALOVE1", "U0BENFRANK"
ADA_IM, BEN_IM = "D0ADA00077", "D0BEN00077"
TELEGRAM = Person("telegram", str(ADA))
SLACK = Person("slack", ADA_SLACK)


def both_platforms(**binding: Any) -> Settings:
    """Give settings with a Telegram bot and a Slack app that hear everything and let people in."""
    wanted = {"mention": False, "allow": Allow(everyone=True, admitted=True), **binding}
    telegram, slack = settings_with(wanted, give_up=100.0), slack_settings(wanted)
    at_slack = replace(slack.bindings[0], name=BindingName("slack"))
    silent = replace(
        telegram.bindings[0], name=BindingName("silent"), reply=ReplyMode.COMMENT,
        chats=frozenset({str(OTHERS)}), platform=PlatformName("telegram"),
    )  # fmt: skip
    return replace(
        telegram, apps=(*telegram.apps, *slack.apps),
        bindings=(silent, *telegram.bindings, at_slack),
    )  # fmt: skip


@dataclass(slots=True)
class Busy(SlackSimulation):
    """The installation; `theirs` are the deliveries of each person, by Telegram's numbers."""

    settings: Settings = field(default_factory=both_platforms)
    theirs: dict[int, set[str]] = field(default_factory=lambda: {ADA: set(), BEN: set()})

    def __post_init__(self) -> None:
        SlackSimulation.__post_init__(self)
        for person in (ADA, BEN):
            self.telegram.add_chat(person)
        for group in (GROUP, OTHERS):
            self.telegram.add_chat(group, "supergroup", threads=(7,))
        for channel in (ADA_IM, BEN_IM):
            self.slack.add_channel(channel)

    def installed(self) -> Embedded:
        """Keep it as `serve` does: what rests is looked for in every byte of the folder."""
        return Embedded.open(self.folder, self.clock)

    def says(self, person: int, text: str, *, chat: int = 0, **more: Any) -> dict[str, Any]:
        """Let a person write on Telegram, in private unless a chat is given."""
        planted = f"{text} {PLANTED}" if person == ADA and not text.startswith("/") else text
        update = self.write(planted, chat=chat or person, sender=person, **more)
        self.theirs[person].add(f"telegram-default-{update['update_id']}")
        return update

    @property
    def scans(self) -> Scans:
        """The tables, from end to end."""
        return self.ports.ports.scans

    def everything(self) -> list[Item]:
        """Give every item there is, in any table."""
        return [item for table in TABLES for item in self.scans.scan(table, limit=100_000)]

    def forgetting(self) -> Forgetting:
        """Give what forgets here; dispatch is asked through its mailbox."""

        def ask(mail: Forget) -> None:
            with role("operator"):
                self.world.queues.mailbox.send([mailbox_message(self.world, mail)])
            self.run(5.0, until=lambda: not self.ports.depth("mailbox"))

        folder = StateFolder(self.folder)
        assert isinstance(self.ports, Embedded)
        ports, database = self.ports.ports, self.ports.local.database
        beside = InFolder(folder, database, ports.queues, ports.blobs, served=True)
        return Forgetting(self.world, self.scans, beside, ask)

    def forget(self, subject: Subject, *, with_threads: bool = False) -> None:
        """Forget as the command does, until nothing is found."""
        forgetting = self.forgetting()
        with role("operator"):
            for _ in range(3):
                inventory = forgetting.inventory(subject)
                if not inventory.counts:
                    break
                forgetting.remove(inventory, with_threads=with_threads)
            forgetting.beside.scrub()


@dataclass(slots=True)
class Copy:
    """A copy of an installation's folder, in which nobody serves; `gate` lets calls go wrong."""

    folder: Path
    clock: VirtualClock
    ports: wiring.LocalPorts

    @classmethod
    def of(cls, world: Busy, folder: Path) -> "Copy":
        """Copy what rests, as it is now."""
        shutil.copytree(world.folder, folder)
        clock = VirtualClock(world.clock.now())
        return cls(folder, clock, wiring.local_ports(folder, clock))

    def forget(self, subject: Subject, gate: Gate) -> None:
        """Forget as the command does where nobody serves."""
        gated = replace(self.ports, ports=wiring.gated_ports(self.ports.ports, gate))
        world = wiring.world_of(gated.ports, no_line, settings=both_platforms)
        forgetting = forgetting_in(StateFolder(self.folder), self.ports, world, served=False)
        for _ in range(3):
            inventory = forgetting.inventory(subject)
            if not inventory.counts:
                break
            forgetting.remove(inventory)
        forgetting.beside.scrub()

    def close(self) -> None:
        """Close its database and throw it away."""
        self.ports.close()
        shutil.rmtree(self.folder)


def no_line(event: str, **_: str | float | bool) -> None:
    """Write no line."""
    del event


def busy_history(world: Busy) -> None:
    """Let a good deal happen, and leave some of it undone."""
    for person in (ADA, BEN):
        _in_private(world, person)
        _on_slack(world, person)
    _in_groups(world)
    _letters(world)
    _left_undone(world)


def _in_private(world: Busy, person: int) -> None:
    with role("operator"):
        code, change = make_code("telegram", "default", bytes(15) + bytes([person % 251]),
                                 world.clock.now())  # fmt: skip
        world.ports.ports.store.write([change])
    world.says(person, f"/start {code}")
    world.run()
    world.says(person, "hello")
    world.run()
    world.telegram.add_file(f"F{person}", f"{PLANTED if person == ADA else 'thyme'} file".encode())
    document = {"file_id": f"F{person}", "file_unique_id": f"u{person}", "file_name": "notes.txt",
                "file_size": 11, "mime_type": "text/plain"}  # fmt: skip
    world.says(person, "a file", document=document)
    world.run()
    world.says(person, "sleep 30")
    world.run(5)
    for number in range(3):
        world.says(person, f"queued {number}")
    world.says(person, "x" * 20_000)
    world.run()
    world.says(person, "ask")
    world.run()
    world.says(person, "red")
    world.run()
    world.says(person, "/new")
    world.run()


def _on_slack(world: Busy, person: int) -> None:
    user, channel = (ADA_SLACK, ADA_IM) if person == ADA else (BEN_SLACK, BEN_IM)
    word = PLANTED if person == ADA else "thyme"
    world.hear(f"hello from slack {word}", channel=channel, user=user)
    world.run()
    root = world.hear(f"<@U0BOT00001> in general {word}", channel=GENERAL, user=user)
    world.run()
    world.hear("below, from the other", channel=GENERAL, user=BEN_SLACK,
               thread=root["event"]["ts"])  # fmt: skip
    world.run()


def _in_groups(world: Busy) -> None:
    for person in (ADA, BEN, ADA):
        world.says(person, "in the group", **TOPIC)
        world.run()
    world.says(BEN, "sleep 20", **TOPIC)
    world.run(5)
    world.says(ADA, "behind the other", **TOPIC)
    world.says(BEN, "behind both", **TOPIC)
    world.run()
    for person in (ADA, BEN):
        world.telegram.fault("sendMessage", Fault.drop("after"))
        world.says(person, "whose post is lost", chat=OTHERS)
        world.run()


def _letters(world: Busy) -> None:
    world.agent.down = True
    for person in (ADA, BEN):
        world.says(person, "nobody answers")
        world.run(600)
    world.agent.down = False


def _left_undone(world: Busy) -> None:
    """Leave posts that wait for a chat, a body that could not be sent, one nobody can read."""
    for person in (ADA, BEN):
        world.telegram.fault("sendMessage", Fault.status(503), times=50)
        world.says(person, "/help")
        world.run(10)
        odd = {"update_id": 1, "message": {"from": {"id": person}, "text": PLANTED, "chat": "?"}}
        if person == BEN:
            odd["message"]["text"] = "thyme"  # type: ignore[index]
        world.post(odd)


def kept_aside(world: Busy, person: int) -> None:
    """Let a message come in while the mailbox cannot be reached."""
    mailbox = world.ports.ports.queues.mailbox
    body = world.ports.ports.blobs
    before = set(body.names(""))
    world.says(person, "kept aside")
    for number, text in mailbox.bodies():  # type: ignore[attr-defined]
        mailbox.discard([number])  # type: ignore[attr-defined]
        kept = [{"body": text, "group": "g", "dedup": f"d{number}"}]
        body.put(f"unaccepted/{number:013d}-x", json.dumps(kept).encode())
    assert set(body.names("")) > before


def bytes_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Give every file of a folder as it lies on the disk."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "secrets.json":
            yield path.name, path.read_bytes()


def traces_of(folder: Path, *words: str) -> list[str]:
    """Name the files in which one of the words stands."""
    return [
        f"{name}: {word}"
        for name, body in bytes_of(folder)
        for word in words
        if word.encode() in body
    ]


def plain(item: Item) -> str:
    """Write an item down, its key and all."""
    return json.dumps([item.key.table, item.key.partition, item.key.sort, dict(item.attributes)])
