"""An agent with thousands of runs, each of which writes a word a second until all end at once.

A program of its own (`python -m tests.stubs.crowd`, which prints its port), so that what it costs
does not count as the cost of those who listen. It answers as LangGraph Server does; what is posted
to it as to Telegram is kept. `GET /crowd` tells what it saw, `POST /crowd/end` ends every run.
"""

import asyncio
import json
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, override

from tests.stubs.wire import LAST_CHUNK, STREAM, Wire, chunk

TICKS = 20
FRAME = """\
event: messages\r
data: [{"content":"%(word)s ","additional_kwargs":{},"response_metadata":{},\
"type":"AIMessageChunk","name":null,"id":"lc_run--%(run)s","tool_calls":[],\
"invalid_tool_calls":[],"usage_metadata":null,"tool_call_chunks":[],"chunk_position":null},\
{"created_by":"system","channel_source":{"type":"im_channel","provider":"telegram",\
"chat_id":"7"},"graph_id":"demo","assistant_id":"fcb1d0d2-a4d7-5bb4-b10a-57c00fdcb684",\
"turn_id":"turn-fd41950f89464c9aaa7bc761128fc22f","run_attempt":1,\
"langgraph_version":"1.2.24","langgraph_api_version":"0.16.7","langgraph_plan":"enterprise",\
"langgraph_host":"self-hosted","langgraph_api_url":"http://127.0.0.1:2024",\
"thread_id":"%(run)s","run_id":"%(run)s","ls_integration":"langchain_chat_model",\
"langgraph_step":1,"langgraph_node":"answer","langgraph_triggers":["branch:to:answer"],\
"langgraph_path":["__pregel_pull","answer"],\
"langgraph_checkpoint_ns":"answer:f4e016e2-c549-dc37-8afc-6373f8f016f2",\
"checkpoint_ns":"answer:f4e016e2-c549-dc37-8afc-6373f8f016f2","ls_provider":"recital",\
"ls_model_type":"chat","lc_versions":{"langchain-core":"1.8.3"}}]\r
id: 1796006006233-%(number)d\r
\r
"""
"""As recorded from langgraph-api 0.16.7."""


@dataclass(slots=True)
class Crowd:
    """All runs: they began with the process, and have as many words as seconds have passed."""

    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    open: dict["Line", tuple[str, int]] = field(default_factory=dict)
    joined: Counter[str] = field(default_factory=Counter)
    from_start: int = 0
    posts: dict[str, str] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)

    def words(self) -> int:
        """Count the words that every run has written."""
        return int((self.ended or time.monotonic()) - self.began)

    def text(self) -> str:
        """Give what a run wrote in all."""
        return "".join(f"word{number} " for number in range(self.words()))

    def tick(self, number: int) -> None:
        """Send what is new to a twentieth of the streams."""
        words = self.words()
        for line, (run, sent) in tuple(self.open.items()):
            if int(run[-6:]) % TICKS == number % TICKS:
                line.send_words(run, sent, words)

    async def live(self) -> None:
        """Let the runs write until they end, then end their streams."""
        number = 0
        while self.ended is None:
            self.tick(number)
            number += 1
            await asyncio.sleep(1 / TICKS)
        for line, (run, sent) in tuple(self.open.items()):
            line.send_words(run, sent, self.words())
            line.end_stream()

    def seen(self) -> dict[str, Any]:
        """Tell what was seen."""
        return {
            "open": len(self.open), "runs": len(self.joined), "joined": self.joined.total(),
            "from_start": self.from_start, "words": self.words(), "calls": dict(self.calls),
            "posts": len(self.posts), "different": len(set(self.posts.values())),
            "whole": sum(text.split() == self.text().split() for text in self.posts.values()),
        }  # fmt: skip


class Line(Wire):
    """One connection."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd = crowd

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.crowd.open.pop(self, None)

    @override
    def answer(self, method: str, target: str, headers: bytes, body: bytes) -> None:
        crowd = self.crowd
        path = target.partition("?")[0].strip("/").split("/")
        crowd.calls[f"{method} {path[-1] if len(path) != 4 else 'run'}"] += 1
        match (method, *path):
            case ("GET", "threads", run, "runs", _, "stream"):
                self.begin_stream(run, headers)
            case ("GET", "threads", run, "runs", _):
                status = "running" if crowd.ended is None else "success"
                self.send(200, {"run_id": run, "thread_id": run, "status": status})
            case ("POST", "threads", run, "history"):
                self.send(200, [self.state(run)])
            case ("POST", bot, "sendMessage" | "editMessageText") if bot.startswith("bot"):
                sent = json.loads(body)
                crowd.posts[str(sent["chat_id"])] = sent["text"]
                chat = {"id": sent["chat_id"], "type": "private"}
                posted = {"message_id": sent.get("message_id", 1), "chat": chat, "date": 1}
                self.send(200, {"ok": True, "result": posted})
            case ("GET", "crowd"):
                self.send(200, crowd.seen())
            case ("POST", "crowd", "end"):
                crowd.ended = time.monotonic()
                self.send(200, {})
            case _:
                self.send(404, {"detail": "Not Found"})

    def state(self, run: str) -> Any:
        """Give a thread's state as its run left it."""
        said = {"type": "ai", "id": f"ai-{run}", "content": self.crowd.text()}
        human = {"type": "human", "id": f"turn-{int(run[-6:])}", "content": "write"}
        return {"values": {"messages": [human, said]}, "tasks": [], "interrupts": []}

    def begin_stream(self, run: str, headers: bytes) -> None:
        """Open a run's stream after the event that was seen last."""
        seen = re.search(rb"(?i)last-event-id: *\d+-(\d+)", headers)
        self.crowd.joined[run] += 1
        self.crowd.from_start += seen is None
        self.transport.write(STREAM)
        self.crowd.open[self] = (run, int(seen[1]) + 1 if seen else 0)
        if self.crowd.ended is not None:
            self.send_words(*self.crowd.open[self], self.crowd.words())
            self.end_stream()

    def send_words(self, run: str, sent: int, words: int) -> None:
        """Send the words that were written since."""
        for number in range(sent, words):
            told = FRAME % {"word": f"word{number}", "run": run, "number": number}
            self.transport.write(chunk(told))
        self.crowd.open[self] = (run, words)

    def end_stream(self) -> None:
        """End the stream, and with it the connection's answer."""
        self.crowd.open.pop(self, None)
        self.transport.write(LAST_CHUNK)


async def serve() -> None:
    """Serve on a free port of 127.0.0.1, print it, and go on until killed."""
    crowd = Crowd()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Line(crowd), "127.0.0.1", 0, backlog=4096)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await crowd.live()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
