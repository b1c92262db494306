"""An agent whose runs are over as soon as they are created, and the Telegram in which it answers.

It answers as LangGraph Server and the Bot API do. What is said in a chat comes back in one word.
"""

import asyncio
import itertools
import json
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, override

from tests.stubs.crowd import FRAME
from tests.stubs.wire import LAST_CHUNK, STREAM, Wire, chunk

ANSWER = "word0"
BOT = {"id": 7000000001, "is_bot": True, "first_name": "T", "username": "threadline_bot"}
ASSISTANT = {
    "assistant_id": "fe096781-5601-53d2-b2f6-0d3403f7e9ca", "graph_id": "demo",
    "metadata": {"created_by": "system"},
}  # fmt: skip
PATIENCE = 600.0


@dataclass(slots=True)
class Immediate:
    """What was asked of it; `created` and `answered` are called with a chat when that is so."""

    url: str = ""
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    created: Callable[[str], None] = lambda _: None
    answered: Callable[[str], None] = lambda _: None

    def do[T](self, work: Coroutine[Any, Any, T]) -> T:
        """Do a work beside the stub, in its loop, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def create(self, thread: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Create a run, which is over at once."""
        run, at = str(uuid.UUID(int=next(self.ids))), "2026-09-21T14:13:20.000000+00:00"
        self.runs[run] = told = {
            "run_id": run, "thread_id": thread, "created_at": at, "updated_at": at,
            "assistant_id": ASSISTANT["assistant_id"], "status": "success",
            "metadata": asked.get("metadata", {}), "multitask_strategy": "reject", "kwargs": asked,
        }  # fmt: skip
        if of := told["metadata"].get("conversation"):
            self.created(of.split("/")[3])
        return told

    def values(self, run: str) -> dict[str, Any]:
        """Give the state that a run left."""
        human = self.runs[run]["kwargs"]["input"]["messages"][-1]
        said = {"type": "ai", "id": f"ai-{run}", "content": ANSWER}
        return {"messages": [{"type": "human", **human}, said]}


class Line(Wire):
    """One connection."""

    def __init__(self, agent: Immediate) -> None:
        self.agent = agent

    @override
    def answer(self, method: str, target: str, headers: bytes, body: bytes) -> None:
        agent, path = self.agent, target.partition("?")[0].strip("/").split("/")
        match (method, *path):
            case ("POST", "assistants", "search"):
                self.send(200, [ASSISTANT])
            case ("POST", "threads"):
                thread = json.loads(body).get("thread_id") or str(uuid.uuid4())
                self.send(200, {"thread_id": thread, "status": "idle", "values": None})
            case ("POST", "threads", thread, "runs"):
                self.send(200, agent.create(thread, json.loads(body)))
            case ("GET", "threads", _, "runs", run):
                self.send(200, agent.runs[run])
            case ("GET", "threads", _, "runs", run, "join"):
                self.send(200, agent.values(run))
            case ("GET", "threads", _, "runs", run, "stream"):
                frame = FRAME % {"word": ANSWER, "run": run, "number": 0}
                self.transport.write(STREAM + chunk(frame) + LAST_CHUNK)
            case ("POST", "threads", _, "history"):
                run = json.loads(body)["metadata"]["run_id"]
                state = {"values": agent.values(run), "tasks": [], "interrupts": []}
                self.send(200, [state])
            case (_, bot, called) if bot.startswith("bot"):
                self.send(200, {"ok": True, "result": self.telegram(called, body)})
            case _:
                self.send(404, {"detail": "Not Found"})

    def telegram(self, called: str, body: bytes) -> Any:
        """Answer a call of the Bot API."""
        if called == "getMe":
            return BOT
        if called not in {"sendMessage", "editMessageText"}:
            return True
        sent = json.loads(body)
        chat = {"id": sent["chat_id"], "type": "private"}
        number = sent.get("message_id") or next(self.agent.ids)
        if sent["text"] == ANSWER:
            self.agent.answered(str(sent["chat_id"]))
        return {"message_id": number, "chat": chat, "date": int(time.time()), "text": sent["text"]}


@contextmanager
def immediate() -> Iterator[Immediate]:
    """Serve beside this thread for as long as the block lasts."""
    agent = Immediate()
    thread = threading.Thread(target=agent.loop.run_forever, daemon=True)
    thread.start()

    async def listen() -> asyncio.Server:
        return await agent.loop.create_server(lambda: Line(agent), "127.0.0.1", 0, backlog=1024)

    server = agent.do(listen())
    agent.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield agent
    finally:
        agent.loop.call_soon_threadsafe(server.close)
        agent.loop.call_soon_threadsafe(agent.loop.stop)
        thread.join(20)
        agent.loop.close()
