"""Runs of a Gateway in the clock's own time: where they stand, what they stream and leave behind.

What a run does is told by its text, as for the other server's stand-in, and in words of its own:
`choose` asks with options, `present NAME,NAME` makes files, `fails` has a model that does not
answer, `flood N` streams N pieces.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.agent import START_AFTER, Run, Script, script_of

TAIL = 0.12
"""Seconds after its end during which a run still keeps its thread busy."""
ACTIVE = frozenset({"pending", "running"})
FALLBACK = "The configured LLM provider is temporarily unavailable after multiple retries."
PROVIDER = "Error code: 500 - {'error': {'message': 'of the provider'}}"
COLOURS = ("red", "blue")


@dataclass(slots=True, kw_only=True)
class GatewayRun(Run):
    """A run and what it was created with; `stopped` is a word of the server's about its end."""

    owner: str = ""
    key: str = ""
    fingerprint: str = ""
    modes: Sequence[str] = ("values",)
    on_disconnect: str = "cancel"
    context: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    first: bool = False
    local: bool = True
    stopped: str = ""
    tail: float = TAIL

    @property
    def wish(self) -> list[str]:
        """The words of its message that it acts on."""
        return str(self.human["content"]).rsplit(": ", 1)[-1].split()[:2]

    def status(self, now: float) -> str:
        if self.stopped and now >= self.ends_at:
            return "error"
        if self.wish == ["fails"] and now >= self.ends_at and self.cancelled_at is None:
            return "error"
        return Run.status(self, now)

    def busy(self, now: float) -> bool:
        """Whether it keeps its thread: a little longer than it looks."""
        return now < self.ends_at + self.tail

    def pieces(self) -> list[tuple[float, str]]:
        match self.wish:
            case ["flood", number]:
                every = self.script.seconds / int(number)
                first = self.began_at + START_AFTER
                return [(first + every * n, piece) for n, piece in enumerate(flood(int(number)))]
        return Run.pieces(self)

    def completed(self, now: float) -> bool:
        """Whether it came to its own end."""
        return now >= self.ends_at and self.cancelled_at is None and not self.stopped


def script(text: str) -> Script:
    """Read what a run shall do."""
    match text.rsplit(": ", 1)[-1].split()[:2]:
        case ["choose"]:
            return Script(question="Which colour?")
        case ["fails"]:
            return Script()
        case ["flood", number]:
            return Script("".join(flood(int(number))))
        case ["present", name]:
            return Script(f"Made {name}.")
    return script_of(text)


def flood(number: int) -> list[str]:
    """Give many short pieces, no two alike."""
    return [f"{n:x} " for n in range(number)]


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a stream; `at` is when it comes, `id` is `<milliseconds>-<sequence>`."""

    at: float
    id: str
    name: str
    payload: Any

    @property
    def sequence(self) -> int:
        return int(self.id.partition("-")[2])

    def written(self) -> bytes:
        """Write it as the Gateway does: the id comes last, and `end` has none."""
        last = f"id: {self.id}\n" if self.id else ""
        return f"event: {self.name}\ndata: {json.dumps(self.payload)}\n{last}\n".encode()


def timeline(run: GatewayRun) -> list[Event]:
    """Give every event of a run but its end, as if nobody cancelled it."""
    events = []
    for sequence, (at, name, payload) in enumerate(_events(run)):
        events.append(Event(at, f"{int(at * 1000)}-{sequence}", name, payload))
    return events


def _events(run: GatewayRun) -> Iterator[tuple[float, str, Any]]:
    at, told = run.began_at + START_AFTER, {"langgraph_node": "model"}
    yield at, "metadata", {"run_id": run.id, "thread_id": run.thread}
    if "messages-tuple" in run.modes:
        if run.first:
            yield at, "messages", [asked(run), told]
            yield at, "messages", [_memory(run), told]
        for when, piece in run.pieces():
            yield when, "messages", [_chunk(run, piece), told]
        for message in _after_text(run):
            yield run.ends_at, "messages", [message, told]
    if run.script.error and not run.script.text:
        told = {"message": run.script.error, "name": "GraphRecursionError"}
        yield run.ends_at, "error", told


def _chunk(run: GatewayRun, piece: str) -> dict[str, Any]:
    return {
        "content": piece, "additional_kwargs": {}, "response_metadata": {},
        "type": "AIMessageChunk", "name": None, "id": f"lc_run--{run.id}",
        "tool_calls": [], "tool_call_chunks": [],
    }  # fmt: skip


def _after_text(run: GatewayRun) -> list[dict[str, Any]]:
    """Complete messages that stream after the chunks: results of tools, a failed model's excuse."""
    return [one for one in left(run) if one["type"] == "tool" or one["id"].endswith("-fallback")]


def asked(run: GatewayRun) -> dict[str, Any]:
    """Give the message of the person as the state keeps it; the first one's id is lengthened."""
    kept = dict(run.human.get("additional_kwargs", {}))
    id_ = f"{run.human['id']}__user" if run.first else run.human["id"]
    return {
        "type": "human", "name": "user-input", "id": id_, "content": run.human["content"],
        "additional_kwargs": {**kept, "run_id": run.id, "timestamp": "2026-11-29T23:09:06Z"},
    }  # fmt: skip


def _memory(run: GatewayRun) -> dict[str, Any]:
    return {
        "type": "human", "id": f"{run.human['id']}__memory",
        "content": "<memory>\nFacts:\n- User likes blue\n</memory>",
        "additional_kwargs": {"hide_from_ui": True},
    }  # fmt: skip


def opening(run: GatewayRun) -> list[dict[str, Any]]:
    """Give what a run puts before its answer: on a thread's first, reminders for the model too."""
    reminder = {
        "type": "system", "id": run.human["id"], "content": "<system-reminder>today</...>",
        "additional_kwargs": {"hide_from_ui": True},
    }  # fmt: skip
    return [reminder, asked(run), _memory(run)] if run.first else [asked(run)]


def left(run: GatewayRun) -> list[dict[str, Any]]:
    """Give the messages that a run of itself adds after the person's."""
    match run.wish:
        case ["fails"]:
            return [_fallback(run)]
        case ["choose"]:
            return _clarifying(run, COLOURS)
        case ["present", name]:
            return _presenting(run, name)
    if run.script.error:
        return [_fallback(run)] if run.script.text else []
    if run.script.question:
        return _clarifying(run, ())
    return [_ai(run, run.script.text)]


def _ai(run: GatewayRun, text: str, *calls: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "ai", "id": f"lc_run--{run.id}-0", "content": text, "tool_calls": list(calls),
        "additional_kwargs": {"refusal": None}, "name": None,
    }  # fmt: skip


def _fallback(run: GatewayRun) -> dict[str, Any]:
    return {
        "type": "ai", "id": f"{run.id}-fallback", "content": FALLBACK, "tool_calls": [],
        "additional_kwargs": {
            "deerflow_error_fallback": True, "error_type": "InternalServerError",
            "error_detail": PROVIDER,
        },
    }  # fmt: skip


def _clarifying(run: GatewayRun, options: Sequence[str]) -> list[dict[str, Any]]:
    question, call = run.script.question, f"call_{run.id}"
    listed = "".join(f"\n  {number}. {one}" for number, one in enumerate(options, 1))
    offered = [
        {"id": f"option-{number}", "label": one, "value": one}
        for number, one in enumerate(options, 1)
    ]
    human = {
        "version": 1, "kind": "human_input_request", "source": "ask_clarification",
        "request_id": f"clarification:{call}", "question": question,
        "input_mode": "choice_with_other" if options else "text", "options": offered,
    }  # fmt: skip
    tool = {
        "type": "tool", "name": "ask_clarification", "id": f"clarification:{call}",
        "tool_call_id": call, "status": "success", "artifact": {"human_input": human},
        "content": f"❓ {question}\n{listed}" if options else question,
    }  # fmt: skip
    return [_ai(run, "", {"name": "ask_clarification", "id": call, "args": {}}), tool]


def _presenting(run: GatewayRun, name: str) -> list[dict[str, Any]]:
    call = {"name": "present_files", "id": "call_1", "args": {"filepaths": presented(name)}}
    tool = {"type": "tool", "name": "present_files", "id": f"{run.id}-tool", "content": "ok"}
    calling = _ai(run, "", call) | {"id": f"lc_run--{run.id}-call"}
    return [calling, tool, _ai(run, run.script.text)]


def presented(names: str) -> list[str]:
    """Give the paths of files by their names, which a comma parts; `!` and a path is a path."""
    folder = "/mnt/user-data/outputs/"
    return [one[1:] if one[0] == "!" else f"{folder}{one}" for one in names.split(",")]


def rows(run: GatewayRun, now: float) -> list[dict[str, Any]]:
    """Give the rows of the server's log of one run; a failed model's excuse is not in it."""
    found = [{"event_type": "llm.human.input", "content": asked(run), "metadata": {}}]
    for message in left(run) if run.completed(now) else []:
        if message["id"].endswith("-fallback"):
            continue
        kind = "llm.tool.result" if message["type"] == "tool" else "llm.ai.response"
        who = {} if message["type"] == "tool" else {"caller": "lead_agent"}
        found.append({"event_type": kind, "content": message, "metadata": who})
    return [{**row, "run_id": run.id, "seq": number} for number, row in enumerate(found, 1)]
