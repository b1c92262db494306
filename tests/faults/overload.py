"""Thousands of messages at once on the embedded store: kept or refused, in order, in bounds."""

import asyncio
import json
import resource
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from functions.connect.handler import handler as connect
from functions.deliver.handler import handler as deliver
from functions.dispatch.handler import handler as dispatch
from functions.ingest.handler import handler as ingest
from functions.sweep.handler import handler as sweep
from tests.simulation.agent import AgentStub, Run
from tests.simulation.network import AsyncioStubs, BlockingStubs, Stubs
from tests.simulation.world import SECRET, settings_with
from tests.stubs.telegram import TelegramStub
from threadline import wiring
from threadline.app.watch import Watch
from threadline.backends.clock import SystemClock
from threadline.core.settings import Busy, Settings
from threadline.local.front_door import listen
from threadline.local.hosting import Handlers, Hosting

CHATTY = 1
AT_ONCE = 200
PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class Report:
    """What became of the messages; `grown` is the growth of the process in megabytes."""

    accepted: int
    refused: int
    seconds: float
    grown: float
    violations: tuple[str, ...]


def overload(folder: Path, conversations: int, each: int) -> Report:
    """Send `each` messages to every conversation and as many again to a chatty one, all at once."""
    return asyncio.run(_overload(folder, conversations, each))


async def _overload(folder: Path, conversations: int, each: int) -> Report:
    begun, before = time.monotonic(), _megabytes()
    agent = AgentStub(time.time, pace=0.02)
    local = wiring.local_ports(folder)
    telegram = TelegramStub(clock=time.time, edit_interval=0.0)
    local.ports.secrets.put(
        "telegram/default", {"bot_token": telegram.token, "webhook_secret": SECRET}
    )
    for chat in range(1, conversations + 2):
        telegram.add_chat(chat)
    reasons = _Reasons()
    stubs = Stubs(_Instant(), agent, telegram, local.ports.blobs)
    world = wiring.world_of(
        local.ports, reasons, settings=_settings,
        transports=wiring.Transports(BlockingStubs(stubs), AsyncioStubs(stubs)),
    )  # fmt: skip
    wiring.install(world)
    handlers = Handlers(ingest, connect, dispatch, deliver, sweep)
    hosting = Hosting(world, handlers, Watch(world), wiring.random_id)
    listener = listen(20000)
    await hosting.open(listener)
    port = listener.getsockname()[1]
    statuses = await _send(port, conversations, each)
    violations = await _settle(agent, local, statuses, reasons)
    await hosting.drain()
    local.close()
    counts = Counter(statuses.values())
    return Report(
        counts[200], counts[503], time.monotonic() - begun, _megabytes() - before,
        tuple(violations),
    )  # fmt: skip


class _Instant(SystemClock):
    """A clock whose sleeps cost nothing: calls to the stubs take no time."""

    def sleep(self, seconds: float) -> None:
        """Go on at once."""


@dataclass(slots=True)
class _Reasons:
    """A log that keeps only who was told that too much is waiting: a stated reason for no run."""

    refused: set[str] = field(default_factory=set)

    def __call__(self, event: str, **fields: str | float | bool) -> None:
        if event == "step" and fields.get("step") == "backlog_full":
            self.refused.add(str(fields["delivery"]))


def _settings() -> Settings:
    return settings_with({"busy": Busy.COLLECT, "backlog": 40})


async def _send(port: int, conversations: int, each: int) -> dict[tuple[int, int], int]:
    """Send everything at once; give the status of each message."""
    slots, statuses = asyncio.Semaphore(AT_ONCE), {}
    wanted = [(chat, number) for number in range(each) for chat in range(2, conversations + 2)]
    wanted += [(CHATTY, number) for number in range(each * 20)]
    async with aiohttp.ClientSession() as session:

        async def one(chat: int, number: int) -> None:
            async with slots:
                url = f"http://127.0.0.1:{port}/webhooks/telegram"
                body = json.dumps(_update(chat, number))
                async with session.post(url, data=body, headers=_headers()) as answer:
                    statuses[chat, number] = answer.status

        await asyncio.gather(*(one(*which) for which in wanted))
    return statuses


def _headers() -> dict[str, str]:
    return {"content-type": "application/json", "x-telegram-bot-api-secret-token": SECRET}


def _update(chat: int, number: int) -> dict[str, object]:
    return {
        "update_id": chat * 100_000 + number,
        "message": {
            "message_id": number + 1,
            "date": int(time.time()),
            "chat": {"id": chat, "type": "private"},
            "from": {"id": chat, "is_bot": False, "first_name": "A"},
            "text": f"<{chat}:{number:05d}>",
        },
    }


async def _settle(
    agent: AgentStub,
    local: wiring.LocalPorts,
    statuses: dict[tuple[int, int], int],
    reasons: _Reasons,
) -> list[str]:
    """Wait until every accepted message ran or has its reason, and check each conversation."""
    taken = {which for which, status in statuses.items() if status == 200}
    accepted = taken
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        ran = _ran(agent.runs())
        accepted = {which for which in taken if _delivery(*which) not in reasons.refused}
        if accepted <= set(ran):
            break
        await asyncio.sleep(0.5)
    ran = _ran(agent.runs())
    found = [f"{which} ran {ran[which]} times" for which in accepted if ran[which] != 1]
    found += [f"{which} ran although refused" for which in ran if which not in accepted]
    found += _disorder(agent.runs(), statuses)
    found += [f"status {status}" for status in set(statuses.values()) - {200, 503}]
    letters = local.ports.queues.dead.receive(1, visibility=1.0)
    return found[:10] + [f"dead letter {letter.id}" for letter in letters]


def _delivery(chat: int, number: int) -> str:
    return f"telegram-default-{chat * 100_000 + number}"


def _named(run: Run) -> list[tuple[int, int]]:
    text = str(run.human["content"]).replace("&lt;", "<").replace("&gt;", ">")
    pieces = [piece.split(">")[0] for piece in text.split("<")[1:]]
    named = [piece.split(":") for piece in pieces if ":" in piece]
    return [(int(chat), int(number)) for chat, number in named]


def _ran(runs: list[Run]) -> Counter[tuple[int, int]]:
    return Counter(which for run in runs for which in _named(run))


def _disorder(runs: list[Run], statuses: dict[tuple[int, int], int]) -> list[str]:
    """Each conversation is run in the order in which its messages were accepted."""
    order: dict[int, list[int]] = {}
    for run in runs:
        for chat, number in _named(run):
            order.setdefault(chat, []).append(number)
    accepted: dict[int, list[int]] = {}
    for (chat, number), status in statuses.items():
        if status == 200:
            accepted.setdefault(chat, []).append(number)
    return [
        f"chat {chat} ran {numbers[:8]}"
        for chat, numbers in order.items()
        if numbers != sorted(numbers) and sorted(accepted[chat]) == accepted[chat]
    ]


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
