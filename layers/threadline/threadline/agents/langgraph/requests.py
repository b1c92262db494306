"""The requests of the LangGraph API that this dialect makes, each built in one place.

https://docs.langchain.com/langsmith/server-api-ref
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from threadline.agents.blocks import resume_after
from threadline.agents.calls import Method, json_call, run_path, thread_path
from threadline.agents.prompt import as_text, human_message
from threadline.agents.shapes import mapping
from threadline.agents.threads import SOURCE, origin
from threadline.core.agent import AgentAccess, RunRequest
from threadline.core.http import HttpRequest
from threadline.core.ids import RunId, ThreadId
from threadline.core.json import Json, JsonObject

API_KEY: Final = "api_key"
"""The secret that LangGraph Platform wants as `X-Api-Key`."""
TOKEN: Final = "token"  # noqa: S105
"""The secret that a server with authentication of its own wants as bearer token."""

THREAD_TIMEOUT: Final = 4.0
RUN_TIMEOUT: Final = 6.0
"""Together what a start may cost; nobody looks for a lost run before."""
STATE_TIMEOUT: Final = 30.0
LIST_LENGTH: Final = 20
MOST_ASSISTANTS: Final = 100
MOST_THREADS: Final = 100

FROM_THE_START: Final = "-1"
STREAM_MODES: Final = ("messages-tuple", "custom")
EVENT_STREAMING: Final = "__event_streaming_v2"
"""Among a run's configurable values it makes the run tell its text as events, as the server's own
`run.start` has it.

Source: langgraph_api 0.16, `create_valid_run`; https://github.com/langchain-ai/open-swe
"""
FOUND_BY: Final = ("run_id", "status", "metadata")
SHOWN: Final = (*FOUND_BY, "created_at")


def create_thread(request: RunRequest, access: AgentAccess) -> HttpRequest:
    """Create the thread, or find it there; where it comes from stands under `channel_source`."""
    body: JsonObject = {
        "thread_id": request.thread,
        "if_exists": "do_nothing",
        "metadata": {SOURCE: origin(request.origin)},
    }
    return _request("POST", access, "/threads", "create thread", body, timeout=THREAD_TIMEOUT)


def create_run(request: RunRequest, access: AgentAccess) -> HttpRequest:
    """Create the run in the background. Every field that is ever sent stands here."""
    body: dict[str, Json] = {
        "assistant_id": request.assistant,
        "metadata": {**request.labels, "turn_id": request.turn},
        "multitask_strategy": "reject",
        "on_disconnect": "continue",
        "stream_mode": STREAM_MODES,
        "stream_resumable": True,
    }
    if request.answers:
        body["command"] = {"resume": as_text(request.prompt)}
    else:
        body["input"] = {"messages": [human_message(request.prompt, request.turn)]}
    config, context = _parameters(request, access)
    optional: dict[str, Json] = {"config": config, "context": context, "webhook": request.webhook}
    body.update({name: value for name, value in optional.items() if value})
    return _request(
        "POST",
        access,
        f"{thread_path(request.thread)}/runs",
        "create run",
        body,
        headers={"idempotency-key": request.turn},
        timeout=RUN_TIMEOUT,
    )


def list_runs(
    thread: ThreadId, access: AgentAccess, offset: int = 0, fields: Sequence[str] = FOUND_BY
) -> HttpRequest:
    """List runs newest first, without what they were asked: that may hold images."""
    query = [("limit", LIST_LENGTH), ("offset", offset), *(("select", f) for f in fields)]
    path = f"{thread_path(thread)}/runs?{urlencode(query)}"
    return _request("GET", access, path, "list runs", repeatable=True)


def read_run(thread: ThreadId, run: RunId, access: AgentAccess) -> HttpRequest:
    """Read a run."""
    return _request("GET", access, run_path(thread, run), "read run", repeatable=True)


def read_error(thread: ThreadId, run: RunId, access: AgentAccess) -> HttpRequest:
    """Join an ended run, which answers at once and with `__error__` where it failed."""
    return _request("GET", access, f"{run_path(thread, run)}/join", "join run", repeatable=True)


def cancel_run(thread: ThreadId, run: RunId, access: AgentAccess) -> HttpRequest:
    """Stop a run and keep what it has done so far."""
    path = f"{run_path(thread, run)}/cancel?wait=0&action=interrupt"
    return _request("POST", access, path, "cancel run", repeatable=True)


def last_checkpoint(thread: ThreadId, run: RunId, access: AgentAccess) -> HttpRequest:
    """Read the thread's state as this run left it, whatever came later."""
    body: JsonObject = {"limit": 1, "metadata": {"run_id": run}}
    path = f"{thread_path(thread)}/history"
    return _request(
        "POST", access, path, "read state", body, repeatable=True, timeout=STATE_TIMEOUT
    )


def read_state(thread: ThreadId, access: AgentAccess) -> HttpRequest:
    """Read the thread's state as it is now."""
    path = f"{thread_path(thread)}/state"
    return _request("GET", access, path, "read state", repeatable=True, timeout=STATE_TIMEOUT)


def follow_run(thread: ThreadId, run: RunId, cursor: str, access: AgentAccess) -> HttpRequest:
    """Open the run's stream after `cursor`, or from its start."""
    after = resume_after(cursor) or FROM_THE_START
    headers = {"accept": "text/event-stream", "last-event-id": after}
    path = f"{run_path(thread, run)}/stream"
    if access.event_streaming:  # such a run also tells its whole state after every step
        path += f"?{urlencode({'stream_mode': json.dumps(STREAM_MODES)})}"
    return _request("GET", access, path, "follow run", headers=headers, repeatable=True)


def read_version(access: AgentAccess) -> HttpRequest:
    """Read which server it is."""
    return _request("GET", access, "/info", "read version", repeatable=True)


def search_assistants(access: AgentAccess) -> HttpRequest:
    """List the assistants there are."""
    body: JsonObject = {"limit": MOST_ASSISTANTS, "offset": 0}
    path = "/assistants/search"
    return _request("POST", access, path, "list assistants", body, repeatable=True)


def search_threads(wanted: Mapping[str, str], access: AgentAccess, offset: int = 0) -> HttpRequest:
    """List threads whose metadata hold this origin, without what was said in them."""
    body: JsonObject = {
        "metadata": {SOURCE: origin(wanted)},
        "select": ("thread_id", "metadata"),
        "limit": MOST_THREADS,
        "offset": offset,
    }
    return _request("POST", access, "/threads/search", "search threads", body, repeatable=True)


def delete_thread(thread: ThreadId, access: AgentAccess) -> HttpRequest:
    """Delete a thread with its runs."""
    return _request("DELETE", access, thread_path(thread), "delete thread", repeatable=True)


def _parameters(request: RunRequest, access: AgentAccess) -> tuple[JsonObject, JsonObject]:
    """Give config and context; a server takes either for both and refuses a request with two."""
    configurable = mapping(request.config.get("configurable"))
    if access.event_streaming:
        configurable = {**configurable, EVENT_STREAMING: True}
    elif not configurable or not request.context:
        return request.config, request.context
    return {**request.config, "configurable": {**configurable, **request.context}}, {}


def _request(  # noqa: PLR0913
    method: Method,
    access: AgentAccess,
    path: str,
    label: str,
    body: JsonObject | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    repeatable: bool = False,
    timeout: float = 10.0,
) -> HttpRequest:
    url = access.url.rstrip("/") + path
    sent = {**_keys(access), **(headers or {})}
    return json_call(method, url, label, body, headers=sent, repeatable=repeatable, timeout=timeout)


def _keys(access: AgentAccess) -> Mapping[str, str]:
    keys = {}
    if key := access.secrets.get(API_KEY):
        keys["x-api-key"] = key
    if token := access.secrets.get(TOKEN):
        keys["authorization"] = f"Bearer {token}"
    return keys
