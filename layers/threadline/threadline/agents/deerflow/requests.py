"""The requests of the Gateway's API that this dialect makes, each built in one place.

https://github.com/bytedance/deer-flow/blob/main/backend/docs/API.md
"""

from collections.abc import Mapping
from typing import Final

from threadline.agents.calls import Method, json_call, run_path, thread_path
from threadline.agents.deerflow.caller import Caller
from threadline.agents.deerflow.message import message
from threadline.agents.deerflow.parameters import LEAD_AGENT, Parameters
from threadline.agents.runs import TURN
from threadline.agents.threads import SOURCE, origin
from threadline.core.agent import RunRequest
from threadline.core.http import HttpRequest
from threadline.core.ids import RunId, ThreadId
from threadline.core.json import JsonObject

FIRST_TIMEOUT: Final = 4.0
RUN_TIMEOUT: Final = 6.0
"""Together what a start may cost; nobody looks for a lost run before."""
STATE_TIMEOUT: Final = 30.0
MOST_ROWS: Final = 200

STREAM_MODES: Final = ("messages-tuple", "custom")
"""Fixed when the run is made: without the first, nobody who joins sees text grow."""


def create_thread(request: RunRequest, caller: Caller) -> HttpRequest:
    """Create the thread, or find it there; where it comes from stands under `channel_source`.

    Under another owner than before, this call takes the thread over: its id is never a guess.
    """
    body: JsonObject = {
        "thread_id": request.thread,
        "metadata": {SOURCE: origin(request.origin)},
    }
    return _call("POST", caller, "/threads", "create thread", body, timeout=FIRST_TIMEOUT)


def create_run(
    request: RunRequest, given: Parameters, choice: JsonObject | None, caller: Caller
) -> HttpRequest:
    """Create the run in the background. Every field that is ever sent stands here.

    A field the Gateway does not know is refused, and so are callbacks, queueing, resumable streams.
    """
    body: JsonObject = {
        "assistant_id": LEAD_AGENT,
        "input": {"messages": [message(request, choice)]},
        "metadata": {**request.labels, TURN: request.turn},
        "config": given.config,
        "context": given.context,
        "stream_mode": STREAM_MODES,
        "on_disconnect": "continue",
        "multitask_strategy": "reject",
    }
    return _call(
        "POST", caller, f"{thread_path(request.thread)}/runs", "create run", body,
        headers={"idempotency-key": request.turn}, timeout=RUN_TIMEOUT,
    )  # fmt: skip


def list_runs(thread: ThreadId, caller: Caller) -> HttpRequest:
    """List a thread's runs, newest first; there is no selecting and no paging."""
    return _read(caller, f"{thread_path(thread)}/runs", "list runs")


def read_run(thread: ThreadId, run: RunId, caller: Caller) -> HttpRequest:
    """Read a run."""
    return _read(caller, run_path(thread, run), "read run")


def read_messages(thread: ThreadId, run: RunId, caller: Caller) -> HttpRequest:
    """Read what the server's log has of one run; by default it does not outlive the server."""
    return _read(caller, f"{run_path(thread, run)}/messages?limit={MOST_ROWS}", "read messages")


def read_errors(thread: ThreadId, run: RunId, caller: Caller) -> HttpRequest:
    """Read the error of a failed run, which the run itself does not tell."""
    return _read(caller, f"{run_path(thread, run)}/events?event_types=run.error", "read error")


def read_state(thread: ThreadId, caller: Caller, timeout: float = STATE_TIMEOUT) -> HttpRequest:
    """Read the thread's state as it is now."""
    return _read(caller, f"{thread_path(thread)}/state", "read state", timeout=timeout)


def cancel_run(thread: ThreadId, run: RunId, caller: Caller) -> HttpRequest:
    """Stop a run and keep what it has done so far."""
    path = f"{run_path(thread, run)}/cancel?action=interrupt"
    return _call("POST", caller, path, "cancel run", repeatable=True)


def follow_run(thread: ThreadId, run: RunId, cursor: str, caller: Caller) -> HttpRequest:
    """Open the run's stream after `cursor`, or from the oldest event that is kept."""
    resume = {"last-event-id": cursor} if cursor else {}
    headers = {"accept": "text/event-stream", **resume}
    return _read(caller, f"{run_path(thread, run)}/stream", "follow run", headers=headers)


def list_assistants(caller: Caller) -> HttpRequest:
    """List the assistants there are."""
    return _call("POST", caller, "/assistants/search", "list assistants", {}, repeatable=True)


def search_threads(caller: Caller, limit: int = 1, offset: int = 0) -> HttpRequest:
    """List threads; one is the cheapest question that a personal access token may ask."""
    body: JsonObject = {"limit": limit, "offset": offset}
    return _call("POST", caller, "/threads/search", "search threads", body, repeatable=True)


def delete_thread(thread: ThreadId, caller: Caller) -> HttpRequest:
    """Delete a thread; the Gateway keeps the rows of its runs."""
    return _call("DELETE", caller, thread_path(thread), "delete thread", repeatable=True)


def list_models(caller: Caller) -> HttpRequest:
    """List the models that are configured."""
    return _read(caller, "/models", "list models")


def read_memory(caller: Caller) -> HttpRequest:
    """Read what is remembered of an owner."""
    return _read(caller, "/memory", "read memory")


def goal(method: Method, thread: ThreadId, caller: Caller, objective: str = "") -> HttpRequest:
    """Read, set or clear a thread's goal."""
    body: JsonObject | None = {"objective": objective} if method == "PUT" else None
    path = f"{thread_path(thread)}/goal"
    return _call(
        method, caller, path, "goal", body, repeatable=True, timeout=FIRST_TIMEOUT
    )  # fmt: skip


def personal_tokens(caller: Caller) -> HttpRequest:
    """Ask for the route that manages personal access tokens: older servers do not have it."""
    return _read(caller, "/v1/auth/pats", "probe")


def _read(
    caller: Caller,
    path: str,
    label: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = 10.0,
) -> HttpRequest:
    return _call(
        "GET", caller, path, label, headers=headers, repeatable=True, timeout=timeout
    )  # fmt: skip


def _call(  # noqa: PLR0913
    method: Method,
    caller: Caller,
    path: str,
    label: str,
    body: JsonObject | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    repeatable: bool = False,
    timeout: float = 10.0,
) -> HttpRequest:
    sent = {**caller.headers, **(headers or {})}
    return json_call(
        method, caller.url(path), label, body, headers=sent, repeatable=repeatable, timeout=timeout
    )
