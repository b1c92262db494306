"""The real thing: `threadline serve` under load, killed with -9 again and again."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.pipeline.agent_server import AgentServer, free_port
from tests.pipeline.serving import Served, serving, telegram_folder, until
from tests.stubs.telegram import TelegramStub

CHATS = tuple(range(820001, 820009))
UP_FOR = (0.3, 2.5)
PAUSE = 0.25


@dataclass(slots=True)
class People:
    """Eight people who write all the time, each message again until it is accepted."""

    telegram: TelegramStub
    url: Callable[[], str]
    chance: random.Random
    written: list[str] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def write(self) -> None:
        """Write until told to stop."""
        while not self.stopping.wait(self.chance.uniform(0, 2 * PAUSE)):
            token = f"kept-{len(self.written):05d}-"
            update = self.telegram.say(self.chance.choice(CHATS), f"{token} hello")
            self.written.append(token)
            while not self._accepted(update):
                time.sleep(0.1)

    def _accepted(self, update: object) -> bool:
        from tests.pipeline.serving import WEBHOOK_SECRET

        headers = {"x-telegram-bot-api-secret-token": WEBHOOK_SECRET}
        try:
            answer = httpx.post(
                f"{self.url()}/webhooks/telegram", json=update, headers=headers, timeout=5.0
            )  # fmt: skip
        except httpx.HTTPError:
            return False
        return answer.status_code == 200


@dataclass(frozen=True, slots=True)
class Report:
    """What was counted after the last restart."""

    kills: int
    messages: int
    seconds: float
    violations: tuple[str, ...]


def kill_test(folder: Path, kills: int, seed: int) -> Report:
    """Kill serve this many times under load, then count runs and answers."""
    begun, chance = time.monotonic(), random.Random(seed)
    server = AgentServer.start(folder / "agent")
    port = free_port()
    try:
        with TelegramStub(edit_interval=0, group_edit_interval=0) as telegram:
            root = telegram_folder(folder / "root", telegram)
            for chat in CHATS:
                telegram.add_chat(chat)
            people = People(telegram, lambda: f"http://127.0.0.1:{port}", random.Random(seed + 1))
            writer = threading.Thread(target=people.write)
            writer.start()
            for _ in range(kills):
                _up_for_a_while(root, server, port, chance)
            with serving(root, {"THREADLINE_AGENT_URL": server.url}, port) as served:
                people.stopping.set()
                writer.join()
                _settle(served, telegram, people)
                found = [*_answers(telegram, people), *_runs(server, people)]
        return Report(kills, len(people.written), time.monotonic() - begun, tuple(found))
    finally:
        server.kill()


def _up_for_a_while(root: Path, server: AgentServer, port: int, chance: random.Random) -> None:
    with serving(root, {"THREADLINE_AGENT_URL": server.url}, port) as served:
        served.says("Threadline at")
        time.sleep(chance.uniform(*UP_FOR))
        served.kill()


def _shown(telegram: TelegramStub) -> Counter[str]:
    """Count the posts of the bot by the token of the message they answer."""
    posts = [one.text for chat in CHATS for one in telegram.shown(chat) if one.by_bot]
    return Counter(text[text.index("kept-") :][:11] for text in posts if "kept-" in text)


def _settle(served: Served, telegram: TelegramStub, people: People) -> None:
    """Wait until every message is answered, or all that is left waits for an operator."""

    def done() -> bool:
        missing = set(people.written) - set(_shown(telegram))
        return not missing or len(missing) <= _unknown(served)

    until(done, lambda: f"{sorted(set(people.written) - set(_shown(telegram)))[:5]}")
    time.sleep(3.0)


def _unknown(served: Served) -> int:
    from tests.pipeline.serving import command

    listed = command(served.root, "outbox").stdout
    return sum(1 for line in listed.splitlines() if "  unknown  " in line)


def _answers(telegram: TelegramStub, people: People) -> list[str]:
    shown = _shown(telegram)
    return [f"{token} is answered {shown[token]} times" for token in people.written
            if shown[token] > 1]  # fmt: skip


def _runs(server: AgentServer, people: People) -> list[str]:
    """Every message stands once in its thread, in the order it was written."""
    found = []
    with httpx.Client(base_url=server.url, timeout=30.0) as agent:
        threads = agent.post("/threads/search", json={"limit": 1000}).json()
        seen: Counter[str] = Counter()
        for thread in threads:
            state = agent.get(f"/threads/{thread['thread_id']}/state").json()
            asked = [str(one["content"])[:11] for one in state["values"].get("messages", ())
                     if one["type"] == "human"]  # fmt: skip
            seen.update(asked)
            if asked != sorted(asked):
                found.append(f"order: {asked}")
    found += [f"{token} ran {seen[token]} times" for token in people.written if seen[token] != 1]
    return found
