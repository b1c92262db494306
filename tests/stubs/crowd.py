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

TICKS = 20
HEAD = re.compile(rb"(GET|POST) (\S+) HTTP/1\.1\r\n(.*?)\r\n\r\n", re.DOTALL)
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


class Line(asyncio.Protocol):
    """One connection."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd = crowd
        self.received = b""
        self.transport: asyncio.Transport

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.crowd.open.pop(self, None)

    @override
    def data_received(self, data: bytes) -> None:
        self.received += data
        while head := HEAD.match(self.received):
            length = re.search(rb"(?i)content-length: *(\d+)", head[3])
            end = head.end() + (int(length[1]) if length else 0)
            if len(self.received) < end:
                return
            body, self.received = self.received[head.end() : end], self.received[end:]
            self.answer(head[1].decode(), head[2].decode(), head[3], body)

    def answer(self, method: str, target: str, headers: bytes, body: bytes) -> None:
        """Answer one request."""
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
        head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
        self.transport.write(f"{head}transfer-encoding: chunked\r\n\r\n".encode())
        self.crowd.open[self] = (run, int(seen[1]) + 1 if seen else 0)
        if self.crowd.ended is not None:
            self.send_words(*self.crowd.open[self], self.crowd.words())
            self.end_stream()

    def send_words(self, run: str, sent: int, words: int) -> None:
        """Send the words that were written since."""
        for number in range(sent, words):
            told = FRAME % {"word": f"word{number}", "run": run, "number": number}
            self.transport.write(f"{len(told):x}\r\n{told}\r\n".encode())
        self.crowd.open[self] = (run, words)

    def end_stream(self) -> None:
        """End the stream, and with it the connection's answer."""
        self.crowd.open.pop(self, None)
        self.transport.write(b"0\r\n\r\n")

    def send(self, status: int, told: Any) -> None:
        """Answer with JSON."""
        body = json.dumps(told).encode()
        reason = "OK" if status == 200 else "Not Found"
        head = f"HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\n"
        self.transport.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)


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
