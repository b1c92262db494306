"""People who write to a bot by its webhook, and hear when a run was created for them and answered.

All of it happens in the loop of the agent and the Telegram that they meet.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import aiohttp

from tests.pipeline.serving import WEBHOOK_SECRET
from tests.stubs.immediate import Immediate

FIRST_CHAT = 1000
READS_FOR = 1.0
"""Seconds between an answer and what is said next."""

PATIENCE = 120.0
TEXT = "What became of the order that I placed last week?"


@dataclass(slots=True)
class Talkers:
    """Everybody who talks to a bot; `url` is its front door."""

    url: str
    agent: Immediate
    answers: int = 0
    _sent: int = 0
    _heard: dict[str, asyncio.Event] = field(default_factory=dict)
    _created: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.agent.created, self.agent.answered = self._run_created, self._answered

    async def all_at_once(
        self, chats: int, settle: float, measure: float, spent: Callable[[], float]
    ) -> tuple[float, float]:
        """Let so many talk at once; give the milliseconds an answer took, in wall clock and CPU.

        An answer's share of the seconds measured, which begin once the talk has settled.
        """
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            talk = [
                asyncio.create_task(self._talk(session, FIRST_CHAT + number))
                for number in range(chats)
            ]
            await asyncio.sleep(settle)
            begun, before, answers = time.monotonic(), spent(), self.answers
            await asyncio.sleep(measure)
            took, cost, answers = (
                time.monotonic() - begun, spent() - before, self.answers - answers
            )  # fmt: skip
            for one in talk:
                one.cancel()
            await asyncio.gather(*talk, return_exceptions=True)
        return took / answers * 1e3, cost / answers * 1e3

    async def one_by_one(self, chats: int) -> list[float]:
        """Let one after the other say something; give the milliseconds until a run was created."""
        async with aiohttp.ClientSession() as session:
            return [await self._say(session, FIRST_CHAT + number) for number in range(chats)]

    async def _talk(self, session: aiohttp.ClientSession, chat: int) -> None:
        while True:
            await self._say(session, chat)
            await asyncio.sleep(READS_FOR)

    async def _say(self, session: aiohttp.ClientSession, chat: int) -> float:
        name, self._sent = str(chat), self._sent + 1
        message = {
            "message_id": self._sent, "date": int(time.time()), "text": TEXT,
            "chat": {"id": chat, "type": "private"},
            "from": {"id": chat, "is_bot": False, "first_name": "A"},
        }  # fmt: skip
        heard = self._heard[name] = asyncio.Event()
        self._created.pop(name, None)
        begun = time.perf_counter()
        async with session.post(
            f"{self.url}/webhooks/telegram", json={"update_id": self._sent, "message": message},
            headers={"x-telegram-bot-api-secret-token": WEBHOOK_SECRET},
        ) as answer:  # fmt: skip
            assert answer.status == 200
        await asyncio.wait_for(heard.wait(), PATIENCE)
        return (self._created[name] - begun) * 1e3

    def _run_created(self, chat: str) -> None:
        self._created.setdefault(chat, time.perf_counter())

    def _answered(self, chat: str) -> None:
        self.answers += 1
        self._heard[chat].set()
