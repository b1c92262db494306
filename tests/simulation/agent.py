"""A strict stand-in for LangGraph Server in the clock's own time; nothing runs in between.

What a run does is told by its text: `echo` (default), `sleep N`, `long N`, `boom`, `half`,
`silent`, `ask`. Where a run stands follows from the clock alone, so that time may jump.
"""

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

from threadline.backends.http_exchange import outgoing
from threadline.core.http import HttpRequest, HttpResponse, Lost
from threadline.core.ports import Blobs

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
START_AFTER = 0.5
PIECES = 4


@dataclass(frozen=True, slots=True)
class Script:
    """What a run does: text in pieces over `seconds`, then its end.

    `before` is what another message says first; the piece of number `lost` leaves a gap.
    """

    text: str = ""
    seconds: float = 2.0
    before: str = ""
    lost: int | None = None
    error: str = ""
    question: str = ""
    options: tuple[str, ...] = ()


@dataclass(slots=True)
class Run:
    """One run and when it began; `metadata` as it was created with."""

    id: str
    thread: str
    metadata: Mapping[str, Any]
    human: Mapping[str, Any]
    script: Script
    began_at: float
    cancelled_at: float | None = None
    answers: bool = False

    @property
    def ends_at(self) -> float:
        planned = self.began_at + START_AFTER + self.script.seconds
        return planned if self.cancelled_at is None else min(planned, self.cancelled_at)

    def status(self, now: float) -> str:
        if now < self.ends_at:
            return "pending" if now < self.began_at + START_AFTER else "running"
        if self.cancelled_at is not None and self.cancelled_at <= self.ends_at:
            return "interrupted"
        return "error" if self.script.error else "success"

    def pieces(self) -> list[tuple[float, str]]:
        """Give when each piece of text comes."""
        cut = [*_cut(self.script.before), *_cut(self.script.text)]
        step = self.script.seconds / max(len(cut), 1)
        first = self.began_at + START_AFTER
        return [(first + step * number, piece) for number, piece in enumerate(cut)]

    def told(self, number: int, piece: str) -> bytes:
        """Write the frame of a piece."""
        if number == self.script.lost:
            return _frame("gap", {}, number)
        whose = "before" if number < len(_cut(self.script.before)) else "ai"
        chunk = {"type": "AIMessageChunk", "id": f"{whose}-{self.id}", "content": piece}
        return _frame("messages", [chunk, {}], number)


@dataclass(slots=True)
class Thread:
    """A thread and its runs, oldest first."""

    metadata: Mapping[str, Any]
    runs: list[Run] = field(default_factory=list)


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


@dataclass(slots=True)
class AgentStub:
    """The server; `calls` lists what was asked, `keys` the idempotency keys.

    `down` makes it refuse every connection, `endless` keeps streams open after their run. Scripts
    take `pace` times their seconds; `scripts` has those of single messages, by their text. A fault
    planned for a call quotes the message that was sent, as servers do.
    """

    clock: Callable[[], float]
    down: bool = False
    endless: bool = False
    pace: float = 1.0
    scripts: dict[str, Script] = field(default_factory=dict)
    threads: dict[str, Thread] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    faults: dict[str, list[int]] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    _numbers: Any = field(default_factory=lambda: count(1))

    def answer(self, method: str, url: str, body: bytes) -> tuple[int, Any]:
        """Answer one request with a status and JSON."""
        parts = urlsplit(url)
        self.calls.append((method, parts.path))
        sent = json.loads(body) if body else {}
        planned = self.faults.get(f"{method} {parts.path.rsplit('/', 1)[-1]}")
        if planned:
            return planned.pop(0), {"detail": f"cannot: {_last_words(sent)}"}
        try:
            told = self._route(method, parts.path.split("/")[1:], sent, parse_qs(parts.query))
        except Refused as refused:
            return refused.status, {"detail": refused.detail}
        else:
            return 204 if told is None else 200, told

    def respond(self, request: HttpRequest, blobs: Blobs) -> HttpResponse | Lost:
        """Answer a request as the network brings it."""
        if self.down:
            return Lost("refused", sent=False)
        if key := request.headers.get("idempotency-key"):
            self.keys.append(key)
        body = b"".join(outgoing(request, blobs))
        status, told = self.answer(request.method, request.url, body)
        return HttpResponse(status, {"content-type": "application/json"}, json.dumps(told).encode())

    def follow(self, request: HttpRequest, pause: Callable[[float], Any]) -> AsyncGenerator[bytes]:
        """Open a stream as the network does."""
        return self.stream(request.url, request.headers.get("last-event-id", ""), pause)

    async def stream(
        self, url: str, last_id: str, pause: Callable[[float], Any]
    ) -> AsyncGenerator[bytes]:
        """Give a run's events from `last_id` on, in time; the end is the end of the stream."""
        run = self._run(urlsplit(url).path.split("/")[1:])
        start = 0 if last_id in {"", "-1"} else int(last_id) + 1
        for number, (at, piece) in enumerate(run.pieces()):
            if number < start:
                continue
            while self.clock() < min(at, run.ends_at):
                await pause(min(min(at, run.ends_at) - self.clock(), 0.5))
            if run.cancelled_at is not None and at > run.cancelled_at:
                return
            yield run.told(number, piece)
        while self.clock() < run.ends_at or self.endless:
            await pause(min(max(run.ends_at - self.clock(), 0.1), 0.5))
        if run.script.error and run.cancelled_at is None:
            yield _frame("error", {"error": "ValueError", "message": run.script.error}, 999)

    def runs(self, text: str = "") -> list[Run]:
        """Give all runs, or those of one message text, in order of their creation."""
        return runs_of(self.threads, text)

    def foreign_run(self, thread: str, seconds: float) -> Run:
        """Let somebody else run on a thread."""
        place = self.threads.setdefault(thread, Thread({}))
        run = Run(
            self._id(), thread, {}, {"type": "human", "id": "foreign", "content": "foreign"},
            Script("foreign", seconds), self.clock(),
        )  # fmt: skip
        place.runs.append(run)
        return run

    def _route(self, method: str, path: list[str], sent: Any, query: Any) -> Any:
        match (method, *path):
            case (_, "threads", *rest) if method == "DELETE" or rest in ([], ["search"]):
                return self._thread_route(method, rest, sent)
            case ("POST", "threads", thread, "runs"):
                return self._create_run(thread, sent)
            case ("GET", "threads", thread, "runs"):
                offset = int(query.get("offset", ["0"])[0])
                runs = self._thread(thread).runs[::-1]
                return [self._shown(run) for run in runs[offset : offset + 20]]
            case ("GET", "threads", _, "runs", _):
                return self._shown(self._run(path))
            case ("GET", "threads", _, "runs", _, "join"):
                run = self._run(path)
                failed = {"error": "ValueError", "message": run.script.error}
                return {"__error__": failed} if run.script.error else {}
            case ("POST", "threads", _, "runs", _, "cancel"):
                return self._cancel(path)
            case ("POST", "threads", thread, "history"):
                return self._history(thread, sent)
            case ("POST", "assistants", "search"):
                return [{"assistant_id": "1", "graph_id": "demo", "name": "demo", "metadata": {}}]
            case _:
                raise Refused(404, "Not Found")

    def _create_thread(self, sent: Any) -> Any:
        wanted = sent["thread_id"]
        if not UUID.fullmatch(wanted):
            raise Refused(422, "Invalid thread ID: must be a UUID")
        if wanted in self.threads and sent.get("if_exists") != "do_nothing":
            raise Refused(409, "Thread already exists")
        self.threads.setdefault(wanted, Thread(sent.get("metadata", {})))
        return {"thread_id": wanted, "status": "idle"}

    def _thread_route(self, method: str, rest: list[str], sent: Any) -> Any:
        match (method, *rest):
            case ("POST",):
                return self._create_thread(sent)
            case ("POST", "search"):
                return self._search(sent)
            case ("DELETE", thread):
                self._thread(thread)
                self.threads.pop(thread)
                return None
        raise Refused(404, "Not Found")

    def _search(self, sent: Any) -> Any:
        """Find threads whose metadata hold what is wanted, nested as it may be."""
        found = [
            {"thread_id": id_, "metadata": dict(thread.metadata)}
            for id_, thread in self.threads.items()
            if _holds(thread.metadata, sent["metadata"])
        ]
        return found[sent["offset"] :][: sent["limit"]]

    def _create_run(self, thread: str, sent: Any) -> Any:
        place = self._thread(thread)
        if any(run.status(self.clock()) in {"pending", "running"} for run in place.runs):
            raise Refused(409, "Thread is already running a task.")
        resume = sent.get("command", {}).get("resume")
        if resume is not None:
            human = {"type": "human", "id": "resume", "content": str(resume)}
        else:
            human = sent["input"]["messages"][-1]
        assert sent["multitask_strategy"] == "reject"
        text = _text(human["content"])
        script = self.scripts.get(text) or script_of(text, answers=resume is not None)
        script = replace(script, seconds=script.seconds * self.pace)
        run = Run(
            self._id(), thread, sent.get("metadata", {}), human,
            script, self.clock(), answers=resume is not None,
        )  # fmt: skip
        place.runs.append(run)
        return self._shown(run)

    def _cancel(self, path: list[str]) -> Any:
        run = self._run(path)
        if run.status(self.clock()) not in {"pending", "running"}:
            raise Refused(404, "run already ended")
        run.cancelled_at = self.clock()
        return {}

    def _history(self, thread: str, sent: Any) -> Any:
        wanted = sent["metadata"]["run_id"]
        messages: list[Any] = []
        for run in self._thread(thread).runs:
            if not run.answers:
                messages.append(run.human)
            over = self.clock() >= run.ends_at and run.cancelled_at is None
            if over and run.script.text:
                ai = {"type": "ai", "id": f"ai-{run.id}", "content": run.script.text}
                messages.append(ai)
            if run.id == wanted:
                asked = [{"value": _asked(run.script), "id": "i"}] if run.script.question else []
                return [{"values": {"messages": messages}, "interrupts": asked, "tasks": []}]
        return []

    def _thread(self, thread: str) -> Thread:
        if thread not in self.threads:
            raise Refused(404, "Thread or assistant not found.")
        return self.threads[thread]

    def _run(self, path: list[str]) -> Run:
        for run in self._thread(path[1]).runs:
            if run.id == path[3]:
                return run
        raise Refused(404, "Run not found")

    def _shown(self, run: Run) -> Any:
        return {
            "run_id": run.id, "thread_id": run.thread, "status": run.status(self.clock()),
            "metadata": dict(run.metadata),
        }  # fmt: skip

    def _id(self) -> str:
        return f"00000000-0000-4000-8000-{next(self._numbers):012d}"


def runs_of(threads: Mapping[str, Thread], text: str = "") -> list[Run]:
    """Give all runs of these threads, or those of one message text, in order of their creation."""
    every = [run for thread in threads.values() for run in thread.runs]
    every.sort(key=lambda run: run.began_at)
    return [run for run in every if not text or text in str(run.human["content"])]


def script_of(text: str, *, answers: bool = False) -> Script:
    """Read what a run shall do from its message."""
    wish = text.rsplit(": ", 1)[-1] if not answers else f"echo {text}"
    words = wish.split()
    match words[:2]:
        case ["sleep", seconds] if seconds.replace(".", "").isdigit():
            return Script(f"slept {seconds}", float(seconds))
        case ["long", number] if number.isdigit():
            return Script(
                "\n\n".join(f"Paragraph {n}. " + "word " * 200 for n in range(int(number)))
            )
        case ["boom", *_]:
            return Script(error="boom")
        case ["half", *_]:
            return Script("half an answer", error="boom")
        case ["silent", *_]:
            return Script("")
        case ["ask", *_]:
            return Script(question="Which colour?")
        case _:
            return Script(f"echo: {text}")


def _asked(script: Script) -> Any:
    if not script.options:
        return script.question
    return {"question": script.question, "options": list(script.options)}


def _last_words(sent: Any) -> str:
    messages = (sent.get("input") or {}).get("messages", [])
    return _text(messages[-1]["content"]) if messages else ""


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def _cut(text: str) -> list[str]:
    size = max(len(text) // PIECES, 1)
    return [text[at : at + size] for at in range(0, len(text), size)]


def _frame(event: str, payload: Any, number: int) -> bytes:
    return f"event: {event}\ndata: {json.dumps(payload)}\nid: {number}\n\n".encode()


def _holds(there: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        return isinstance(there, Mapping) and all(
            name in there and _holds(there[name], value) for name, value in wanted.items()
        )
    return bool(there == wanted)
