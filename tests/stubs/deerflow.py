"""A strict DeerFlow Gateway: what it refuses, forgets and takes over, in the clock's own time.

`newer` chooses what the newer document tells: personal access tokens, `Idempotency-Key`, uploads
that keep what is there, joins that end with `end` alone after a restart.
https://github.com/bytedance/deer-flow/blob/main/backend/docs/API.md
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.simulation.agent import Run, Script, Thread, runs_of
from tests.stubs import deerflow_rules as rules
from tests.stubs.deerflow_files import Files
from tests.stubs.deerflow_replay import Replay
from tests.stubs.deerflow_rules import Answer, Crashed, Refused
from tests.stubs.deerflow_runs import ACTIVE, GatewayRun, left, opening, presented, rows, script


@dataclass(slots=True)
class DeerFlowStub:
    """The Gateway; `calls` lists what was asked, `takeovers` threads that changed hands.

    `down` makes it refuse every connection, `endless` keeps streams open after their run,
    `elsewhere` gives new runs to a worker that this one cannot stream for;
    `faults` are statuses to answer with, by method and last part of the path. `made` has what is
    in files that are presented by these names, None for a file that is not there; `scripts` has
    what is done on single messages, by their text. Runs take `pace` times their seconds; `keys` are
    the idempotency keys that came.
    """

    clock: Callable[[], float]
    newer: bool = False
    down: bool = False
    endless: bool = False
    elsewhere: bool = False
    threads: dict[str, Thread] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    deleted: dict[str, Thread] = field(default_factory=dict)
    goals: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    sent: list[Mapping[str, Any]] = field(default_factory=list)
    faults: dict[str, list[int]] = field(default_factory=dict)
    takeovers: list[str] = field(default_factory=list)
    agents: dict[str, list[str]] = field(default_factory=dict)
    facts: int = 0
    made: dict[str, bytes | None] = field(default_factory=dict)
    scripts: dict[str, Script] = field(default_factory=dict)
    pace: float = 1.0
    keys: list[str] = field(default_factory=list)
    files: Files = field(init=False)
    _numbers: Any = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.files = Files(self.newer)

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes = b""
    ) -> Answer:
        """Answer one request; header names are lower case."""
        path = unquote(urlsplit(target).path)
        self.calls.append((method, path))
        if key := headers.get("idempotency-key", ""):
            self.keys.append(key)
        planned = self.faults.get(f"{method} {path.rsplit('/', 1)[-1]}")
        if planned:
            return Answer(planned.pop(0), {"detail": "planned by the test"})
        try:
            if path in rules.PUBLIC:
                return Answer(200, {"status": "healthy", "service": "deer-flow-gateway"})
            owner = rules.caller(method, path, headers, newer=self.newer)
            parts = path.removeprefix("/api/").split("/") if path.startswith("/api/") else []
            if parts[:1] == ["threads"] and parts[2:3] == ["uploads"] and method == "POST":
                kind = headers.get("content-type", "")
                return self.files.upload(owner, parts[1], kind, body)
            return self._route(method, parts, owner, headers, json.loads(body) if body else {})
        except Refused as refused:
            return refused.answer
        except Crashed:
            return Answer(500, text="Internal Server Error")

    def replay(self, target: str, headers: Mapping[str, str]) -> Replay:
        """Open a run's stream. Raises Refused."""
        path = unquote(urlsplit(target).path)
        self.calls.append(("GET", path))
        owner = rules.caller("GET", path, headers, newer=self.newer)
        _, _, thread, _, run_id, _ = path.removeprefix("/").split("/")
        run = self._run(owner, thread, run_id)
        if not run.local and not self.newer:
            raise Refused(409, f"Run {run.id} is not active on this worker and cannot be streamed")
        return Replay(
            run, headers.get("last-event-id", ""), self.clock,
            newer=self.newer, endless=lambda: self.endless,
        )  # fmt: skip

    def runs(self, text: str = "") -> list[Run]:
        """Give all runs, or those of one message text, in order of their creation."""
        return runs_of(self.threads, text)

    def foreign_run(self, thread: str, seconds: float) -> Run:
        """Let somebody else run on a thread."""
        place = self.threads.setdefault(thread, Thread({}))
        run = GatewayRun(
            self._id(), thread, {}, {"type": "human", "id": "foreign", "content": "foreign"},
            Script("foreign", seconds), self.clock(), owner=self.owners.get(thread, ""),
        )  # fmt: skip
        place.runs.append(run)
        return run

    def restart(self, *, killed: bool) -> None:
        """Go down and come back: active runs end, streams and the log of runs are gone."""
        for run in self.runs():
            assert isinstance(run, GatewayRun)
            run.local = False
            if run.status(self.clock()) in ACTIVE:
                run.cancelled_at = self.clock()
                run.stopped = "orphan_recovered" if killed else ""

    def _route(
        self, method: str, parts: Sequence[str], owner: str, headers: Mapping[str, str], sent: Any
    ) -> Answer:
        match (method, *parts):
            case (_, "threads", *_):
                return self._thread_route(method, parts[1:], owner, headers, sent)
            case ("POST", "assistants", "search"):
                names = ["lead_agent", *self.agents.get(owner, [])]
                return Answer(
                    200, [{"assistant_id": one, "graph_id": "lead_agent"} for one in names]
                )
            case ("GET", "models"):
                known = [{"name": one, "display_name": one.title()} for one in rules.MODELS]
                return Answer(200, {"models": known, "token_usage": {"enabled": True}})
            case ("GET", "memory"):
                return Answer(200, {"version": "1.0", "facts": [{}] * self.facts})
            case ("GET", "v1", "auth", "pats") if self.newer:
                raise Refused(403, "Session authentication required")
        raise Refused(404, "Not Found")

    def _thread_route(
        self, method: str, parts: Sequence[str], owner: str, headers: Mapping[str, str], sent: Any
    ) -> Answer:
        match (method, *parts):
            case ("POST",):
                return self._create_thread(owner, sent)
            case ("POST", "search"):
                own = [one for one in self.threads if self.owners.get(one) == owner]
                page = own[sent.get("offset", 0) :][: sent.get("limit", 100)]
                shown = [
                    {"thread_id": one, "metadata": dict(self.threads[one].metadata)} for one in page
                ]
                return Answer(200, shown)
            case ("DELETE", thread):
                return self._delete(owner, thread)
            case ("GET", thread, "state"):
                return Answer(200, self._state(owner, thread))
            case (_, thread, "goal"):
                return self._goal(method, owner, thread, sent)
            case ("GET", thread, "artifacts", *rest):
                self._make_artifacts(owner, thread)
                return self.files.artifact(owner, thread, "/".join(rest))
            case ("POST", thread, "runs"):
                return self._create_run(owner, thread, headers, sent)
            case ("GET", thread, "runs"):
                known = self.threads.get(thread) if self._sees(owner, thread) else None
                return Answer(200, [self._shown(run) for run in known.runs[::-1]] if known else [])
            case (_, thread, "runs", run, *rest):
                return self._run_route(method, self._run(owner, thread, run), rest)
        raise Refused(404, "Not Found")

    def _run_route(self, method: str, run: GatewayRun, rest: Sequence[str]) -> Answer:
        match (method, *rest):
            case ("GET",):
                return Answer(200, self._shown(run))
            case ("POST", "cancel"):
                return self._cancel(run)
            case ("GET", "messages"):
                told = rows(run, self.clock()) if run.local else []
                return Answer(200, {"data": told, "has_more": False})
            case ("GET", "events"):
                failed = run.local and run.script.error and not run.script.text
                error = {"event_type": "run.error", "content": run.script.error}
                return Answer(200, [error] if failed else [])
        raise Refused(404, "Not Found")

    def _create_thread(self, owner: str, sent: Any) -> Answer:
        thread = sent.get("thread_id") or self._id()
        rules.check_thread_id(thread)
        if self.owners.get(thread, owner) != owner:
            self.takeovers.append(thread)
        self.owners[thread] = owner
        place = self.threads.setdefault(thread, Thread(sent.get("metadata", {})))
        return Answer(200, {"thread_id": thread, "status": "idle", "metadata": place.metadata})

    def _create_run(self, owner: str, thread: str, headers: Mapping[str, str], sent: Any) -> Answer:
        place = self._thread(owner, thread)
        rules.check_run(sent, newer=self.newer)
        key, fingerprint = headers.get("idempotency-key", ""), json.dumps(sent.get("input"))
        if self.newer and key and (known := self._by_key(owner, key)):
            if known.fingerprint != fingerprint or known.thread != thread:
                raise Refused(409, "Idempotency-Key was already used for another request")
            return Answer(200, self._shown(known))
        if any(one.busy(self.clock()) for one in place.runs if isinstance(one, GatewayRun)):
            raise Refused(409, f"Thread {thread} already has an active run")
        self.sent.append(sent)
        run = self._made(owner, thread, sent)
        run.key, run.fingerprint = key, fingerprint
        place.runs = [one for one in place.runs if one.id != run.id]
        place.runs.append(run)
        return Answer(200, self._shown(run))

    def _made(self, owner: str, thread: str, sent: Any) -> GatewayRun:
        human, place = sent["input"]["messages"][-1], self.threads[thread]
        human = {**human, "id": human.get("id") or self._id(), "content": _text(human["content"])}
        context = sent.get("context", {})
        name = context.get("agent_name") or sent.get("assistant_id", "lead_agent")
        plan = self.scripts.get(human["content"]) or script(human["content"])
        plan = replace(plan, seconds=plan.seconds * self.pace)
        if not rules.SAFE.fullmatch(owner):
            plan = Script(error=f"Invalid user_id {owner!r}")
        elif name != "lead_agent" and name not in self.agents.get(owner, []):
            plan = Script(error=f"Agent directory not found: /srv/agents/{name}")
        before = place.runs[-1] if place.runs else None
        return GatewayRun(
            self._id(), thread, sent.get("metadata", {}), human, plan, self.clock(),
            answers=before is not None and bool(before.script.question), owner=owner,
            modes=sent.get("stream_mode") or ("values",),
            on_disconnect=sent.get("on_disconnect", "cancel"), context=context,
            config=sent.get("config", {}), first=before is None,
            local=not self.elsewhere,
        )  # fmt: skip

    def _delete(self, owner: str, thread: str) -> Answer:
        """Delete a thread; what was asked in its runs stays in their rows."""
        place = self._thread(owner, thread)
        if any(one.status(self.clock()) in ACTIVE for one in place.runs):
            raise Refused(409, "Thread has work in flight. Delete it after the work finishes.")
        self.deleted[thread] = self.threads.pop(thread)
        told = f"Deleted local thread data for {thread}"
        return Answer(200, {"success": True, "message": told})

    def _cancel(self, run: GatewayRun) -> Answer:
        status = run.status(self.clock())
        if status == "interrupted":
            return Answer(202)
        if status not in ACTIVE:
            raise Refused(409, f"Run {run.id} is not cancellable (status: {status})")
        run.cancelled_at = self.clock()
        return Answer(202)

    def _state(self, owner: str, thread: str) -> Any:
        place, now = self._thread(owner, thread), self.clock()
        messages: dict[str, Any] = {}
        for run in place.runs:
            assert isinstance(run, GatewayRun)
            begun = opening(run) if now >= run.began_at else []
            for message in [*begun, *(left(run) if run.completed(now) else [])]:
                messages[message["id"]] = message
        values = {
            "messages": list(messages.values()),
            "artifacts": self._presented(place),
            "title": "A title",
        }
        return {"values": values, "next": [], "tasks": [], "metadata": {}}

    def _presented(self, place: Thread) -> list[str]:
        """Artifacts accumulate over the runs of a thread."""
        ended = [run for run in place.runs if isinstance(run, GatewayRun)]
        named = [run.wish[1] for run in ended if run.wish[:1] == ["present"] and len(run.wish) > 1]
        return [path for names in named for path in presented(names)]

    def _make_artifacts(self, owner: str, thread: str) -> None:
        for path in self._presented(self._thread(owner, thread)):
            made = self.made.get(path.rpartition("/")[2], f"content of {path}".encode())
            if made is not None:
                self.files.of(owner, thread).setdefault(path, made)

    def _goal(self, method: str, owner: str, thread: str, sent: Any) -> Answer:
        if method == "PUT":
            if thread not in self.threads:
                self._create_thread(owner, {"thread_id": thread})
            if not sent["objective"].strip():
                raise Refused(422, "Goal objective must not be empty.")
        place = self._thread(owner, thread)
        busy = any(one.status(self.clock()) in ACTIVE for one in place.runs)
        if method != "GET" and busy:
            raise Refused(409, "Thread has a run in flight. Set the goal after the run finishes.")
        if method == "PUT":
            self.goals[thread] = sent["objective"]
        if method == "DELETE":
            self.goals.pop(thread, None)
        objective = self.goals.get(thread)
        return Answer(200, {"goal": {"objective": objective} if objective else None})

    def _by_key(self, owner: str, key: str) -> GatewayRun | None:
        """Keys of internal callers hold for all threads of an owner."""
        for run in self.runs():
            if isinstance(run, GatewayRun) and (run.owner, run.key) == (owner, key):
                return run
        return None

    def _sees(self, owner: str, thread: str) -> bool:
        return self.owners.get(thread, owner) == owner

    def _thread(self, owner: str, thread: str) -> Thread:
        if thread not in self.threads or not self._sees(owner, thread):
            raise Refused(404, f"Thread {thread} not found")
        return self.threads[thread]

    def _run(self, owner: str, thread: str, wanted: str) -> GatewayRun:
        for run in self.threads[thread].runs if thread in self.threads else []:
            if run.id == wanted and self._sees(owner, thread) and isinstance(run, GatewayRun):
                return run
        raise Refused(404, f"Run {wanted} not found")

    def _shown(self, run: Run) -> Any:
        return {
            "run_id": run.id, "thread_id": run.thread, "assistant_id": "lead_agent",
            "status": run.status(self.clock()), "metadata": dict(run.metadata),
            "kwargs": {"input": {"messages": [run.human]}}, "multitask_strategy": "reject",
            "stop_reason": run.stopped or None if isinstance(run, GatewayRun) else None,
            "created_at": datetime.fromtimestamp(run.began_at, UTC).isoformat(),
        }  # fmt: skip

    def _id(self) -> str:
        return f"00000000-0000-4000-8000-{next(self._numbers):012d}"


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)
