"""A strict GitHub: the part of the REST API that we call, on 127.0.0.1, with its real refusals.

with GitHubStub() as github:
    github.add("acme/widgets", 42)
    token = github.tokens.plain("acme-bot", "acme/widgets")   # or github.tokens.private_key
    github.fault("POST", "/comments", Fault.limited(30))
    ...                                                       # base_url=github.url
    assert [c.body for c in github.comments("acme/widgets", 42)] == ["The answer."]
"""

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import parse_qs, parse_qsl, unquote, urlsplit

from tests.stubs.github_http import Handler
from tests.stubs.github_routes import ROUTES, Routes
from tests.stubs.github_state import (
    Answer,
    Comment,
    Conversation,
    Refusal,
    Repository,
    State,
    refused,
)
from tests.stubs.github_tokens import Tokens

SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that came in, in order; `status` of the answer, 0 for none."""

    method: str
    path: str
    parameters: Mapping[str, Any]
    status: int


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with a call: an answer instead of its effect, or no answer after it."""

    answer: Answer
    takes_effect: bool = False

    @classmethod
    def status(cls, status: int, message: str = "Server Error") -> Self:
        """Answer with this status; nothing was done."""
        return cls(refused(status, message))

    @classmethod
    def limited(cls, seconds: int | None = None) -> Self:
        """Ask to wait, as the secondary limit does, with or without saying how long."""
        headers = {} if seconds is None else {"retry-after": str(seconds)}
        return cls(refused(403, SECONDARY, headers=headers))

    @classmethod
    def drop(cls, when: Literal["before", "after"]) -> Self:
        """Close the connection without an answer, before or after the call took effect."""
        return cls(Answer(0, None), takes_effect=when == "after")


@dataclass(slots=True)
class GitHubStub:
    """The server and what a test sees of it; `state.now` is its clock and stands still."""

    state: State = field(default_factory=State)
    tokens: Tokens = field(init=False)
    calls: list[Call] = field(default_factory=list)
    _faults: list[tuple[str, str, Fault]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: ThreadingHTTPServer | None = None

    def __post_init__(self) -> None:
        self.tokens = Tokens(self.state)

    def __enter__(self) -> Self:
        handler = type("BoundHandler", (Handler,), {"stub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where the API is."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def add(
        self, repository: str, number: int, *, repository_id: int = 700100200, pull: bool = False
    ) -> Conversation:
        """Make an issue or pull request, and its repository where there is none."""
        fresh = Repository(repository, repository_id)
        known = self.state.repositories.setdefault(repository, fresh)
        return known.conversations.setdefault(number, Conversation(number, pull))

    def rename(self, repository: str, name: str) -> None:
        """Give a repository another name; calls under the former one are redirected."""
        self.state.repository(repository).name = name
        self.state.renamed[repository] = name

    def comments(self, repository: str, number: int) -> list[Comment]:
        """Give what stands in a conversation and on its diff, oldest first."""
        with self._lock:
            return list(self.state.conversation(repository, number).comments)

    def fault(self, method: str, path: str, fault: Fault, *, times: int = 1) -> None:
        """Let the next calls of this method whose path holds `path` go wrong."""
        self._faults += [(method, path, fault)] * times

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer a call, one at a time."""
        parts = urlsplit(target)
        path = unquote(parts.path)
        parameters: dict[str, Any] = {k: v[-1] for k, v in parse_qs(parts.query).items()}
        with self._lock:
            fault = self._fault_of(method, path)
            if fault is None:
                answer = self._done(method, path, headers, body, parameters)
            else:
                answer = fault.answer
                if fault.takes_effect:
                    self._done(method, path, headers, body, parameters)
            self.calls.append(Call(method, path, parameters, answer.status))
        return answer

    def _fault_of(self, method: str, path: str) -> Fault | None:
        for at, (wanted, part, fault) in enumerate(self._faults):
            if wanted == method and part in path:
                del self._faults[at]
                return fault
        return None

    def _done(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, into: dict[str, Any]
    ) -> Answer:
        if not headers.get("user-agent"):
            return refused(403, "Request forbidden by administrative rules.")
        routes = Routes(self.state, self.tokens, self.url)
        try:
            form = headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
            into.update(dict(parse_qsl(body.decode())) if form else _decoded(body))
            path = self._current(method, path)
            for wanted, pattern, call in ROUTES:
                found = re.fullmatch(pattern, path)
                if found and wanted == method:
                    return call(routes, headers.get("authorization", ""), into, *found.groups())
        except Refusal as refusal:
            return refusal.answer
        return refused(404, "Not Found")

    def _current(self, method: str, path: str) -> str:
        """Redirect from a former name; read an address that names a repository by its id."""
        for former, name in self.state.renamed.items():
            if path.startswith(f"/repos/{former}/"):
                known = self.state.repository(name)
                moved = path.replace(f"/repos/{former}", f"{self.url}/repositories/{known.id}", 1)
                status = 301 if method == "GET" else 307
                raise Refusal(Answer(status, {"message": "Moved"}, {"location": moved}))
        for known in self.state.repositories.values():
            path = path.replace(f"/repositories/{known.id}/", f"/repos/{known.name}/", 1)
        return path


def _decoded(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        decoded = json.loads(body.decode())
    except ValueError:
        decoded = None
    if not isinstance(decoded, dict):
        raise Refusal(refused(400, "Problems parsing JSON"))
    return decoded
