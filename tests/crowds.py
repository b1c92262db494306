"""Thousands of runs at a stub agent, and a store in which all of them wait to be followed."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import batched
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.simulation.world import settings_with
from threadline import wiring
from threadline.app import codec, items, ledger, settings_items
from threadline.core.envelope import FollowRun
from threadline.core.ids import (
    AgentName,
    AppName,
    BindingName,
    ConversationKey,
    MailboxKey,
    OwnerId,
    PlatformName,
    RunId,
    ThreadId,
    TurnId,
)
from threadline.core.ports import Expect, ItemStore, Outgoing, Put
from threadline.core.posting import Destination, Receipt
from threadline.core.records import RunRecord, Turn
from threadline.core.settings import ReplyMode, Settings

HOURS = 4 * 3600.0
FIRST_CHAT = 1000


@dataclass(frozen=True, slots=True)
class CrowdServer:
    """The stub as a program of its own."""

    process: subprocess.Popen[str]
    url: str

    def seen(self) -> dict[str, Any]:
        """Ask it what it saw."""
        with urlopen(f"{self.url}/crowd", timeout=30) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def end(self) -> None:
        """Let every run end now."""
        with urlopen(Request(f"{self.url}/crowd/end", method="POST"), timeout=30) as answer:
            answer.read()

    def until(self, true: Callable[[dict[str, Any]], bool], seconds: float = 60.0) -> float:
        """Wait until what it saw is so; give the seconds that took."""
        begun = time.monotonic()
        while not true(seen := self.seen()):
            assert time.monotonic() - begun < seconds, f"not within {seconds} s: {seen}"
            time.sleep(0.1)
        return time.monotonic() - begun


@contextmanager
def crowd() -> Iterator[CrowdServer]:
    """Run the stub."""
    root = Path(__file__).resolve().parent.parent
    with subprocess.Popen(
        [sys.executable, "-m", "tests.stubs.crowd"], cwd=root, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield CrowdServer(process, f"http://127.0.0.1:{int(process.stdout.readline())}")
        finally:
            process.kill()


def crowd_settings(url: str) -> Settings:
    """Give settings under which agent and Telegram are both at the stub."""
    settings = settings_with()
    return replace(
        settings,
        apps=tuple(replace(app, base_url=url) for app in settings.apps),
        agents={name: replace(one, url=url) for name, one in settings.agents.items()},
    )


def seed(local: wiring.LocalPorts, url: str, numbers: range) -> None:
    """Store settings, and runs that were handed over after their first sign of life.

    Their chats cool: what grows is not shown, only the answer.
    """
    store, now = local.ports.store, time.time()
    settings_items.store_settings(store, crowd_settings(url), now)
    local.ports.secrets.put("telegram/default", {"bot_token": "7000000001:token-of-nobody"})
    hints = [hint(one, now) for one in numbers]
    for several in batched(hints, 50, strict=False):
        store.write(
            [
                change
                for one in several
                for change in (
                    Put(items.run_item(handed_over(one), now), Expect.ABSENT),
                    ledger.cooling(items.destination_of(one.turn.destination), now + HOURS),
                )
            ]
        )
    for several in batched(hints, 10, strict=False):
        local.ports.queues.runs.send([Outgoing(codec.encode(one)) for one in several])


def hint(number: int, now: float) -> FollowRun:
    """Give the hint to follow a run of the crowd, whose record was seen at its first version."""
    return FollowRun(
        conversation=ConversationKey(f"conversation/telegram/{number}"),
        mailbox=MailboxKey(f"mailbox/telegram/{number}"),
        turn=turn(number, now), observed=1,
    )  # fmt: skip


def turn(number: int, now: float) -> Turn:
    """Give the turn of a run of the crowd."""
    run = f"00000000-0000-4000-8000-{number:012d}"
    chat = Destination(
        PlatformName("telegram"), AppName("default"), "", str(FIRST_CHAT + number), private=True
    )
    return Turn(
        id=TurnId(f"turn-{number}"), binding=BindingName("chat"), agent=AgentName("demo"),
        owner=OwnerId("owner"), thread=ThreadId(run), run=RunId(run), sender="1",
        destination=chat, reply=ReplyMode.CHAT, waits=(), deliveries=(), accepted_at=now,
        limit_at=now + HOURS,
    )  # fmt: skip


def handed_over(one: FollowRun) -> RunRecord:
    """Give what a follower left that showed its first sign of life and no text yet."""
    return RunRecord(
        turn=one.turn.id, conversation=one.conversation, run=one.turn.run, lease=1,
        placeholder=Receipt("1"),
    )  # fmt: skip


def records(store: ItemStore, number: int) -> list[RunRecord]:
    """Read what the followers stored, in order."""
    read: list[RunRecord] = []
    for several in batched(range(number), 100, strict=False):
        wanted = [
            items.run(ConversationKey(f"conversation/telegram/{one}"), TurnId(f"turn-{one}"))
            for one in several
        ]
        found = [items.read(RunRecord, item) for item in store.get(wanted)]
        read += [record for record in found if record is not None]
    return read
