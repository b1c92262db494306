"""LangChain's own client makes the same requests as our flows."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient

from tests.flows import Script
from threadline.agents.langgraph import LangGraph, requests
from threadline.core.agent import AgentAccess, InlineImage, Prompt, RunRequest
from threadline.core.http import Flow, HttpRequest, HttpResponse
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId

URL = "http://agent.example:2024/base"
THREAD = ThreadId("0762017c-9c8e-4667-bda3-57f96752d282")
RUN = RunId("01a22a4c-787f-7102-91cb-f977255b7299")
TURN = TurnId("1750000000000-abc")
OWNER = OwnerId("alice")
ACCESS = AgentAccess(URL + "/", {"api_key": "lsv2-key"})
AGENT = LangGraph()


@dataclass(frozen=True)
class Difference:
    """Fields of a body or query that only one side sends, or sends so, with their values."""

    ours: Mapping[str, object] = MappingProxyType({})
    theirs: Mapping[str, object] = MappingProxyType({})


DIFFERENCES = {
    # Its `create` cannot say on_disconnect; what it adds is the server's default.
    "create_run": Difference({"on_disconnect": "continue"}, {"stream_subgraphs": False}),
    "read_state": Difference(theirs={"subgraphs": "false"}),
    "follow_run": Difference(theirs={"cancel_on_disconnect": "false", "stream_mode": ""}),
    # It repeats the parameter, of which the server reads the last one only, or all as an array.
    "follow events": Difference(
        {"stream_mode": '["messages-tuple", "custom"]'},
        {"cancel_on_disconnect": "false", "stream_mode": "messages-tuple,custom"},
    ),
}
"""By the name of a case, or of what builds its request."""


@dataclass(frozen=True)
class Case:
    """One call of the client, and the request of ours that does the same."""

    builder: str
    theirs: Callable[[SyncLangGraphClient], object]
    ours: HttpRequest


def request_of[T](flow: Flow[T], answers: list[HttpResponse], number: int = -1) -> HttpRequest:
    """Drive a flow on canned answers and give one of its requests."""
    script = Script(answers)
    script.run(flow)
    return script.requests[number]


FULL = RunRequest(
    thread=THREAD,
    turn=TURN,
    owner=OWNER,
    prompt=Prompt("Look", (InlineImage("image/png", b"\x89PNG"),)),
    assistant="demo",
    new_thread=True,
    origin={"provider": "slack", "chat_id": "C1"},
    config={"recursion_limit": 50},
    context={"model_name": "small"},
    webhook="https://bridge.example/agents/demo/ended",
)
"""A run with everything that can be sent."""

REPLY = replace(
    FULL, prompt=Prompt("blue"), answers=True, new_thread=False, config={}, context={}, webhook=""
)
"""The bare answer to a question."""


def answer(body: object) -> HttpResponse:
    """A success with this JSON."""
    return HttpResponse(200, {}, json.dumps(body).encode())


CREATED = [answer({"thread_id": THREAD}), answer({"run_id": RUN})]
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}


def create_run(sdk: SyncLangGraphClient, **said: Any) -> object:
    """Create a run by the client with the options that every run of ours has."""
    return sdk.runs.create(
        THREAD,
        "demo",
        stream_mode=["messages-tuple", "custom"],
        stream_resumable=True,
        multitask_strategy="reject",
        metadata={"turn_id": TURN},
        headers={"Idempotency-Key": TURN},
        **said,
    )


CASES = {
    "create thread": Case(
        "create_thread",
        lambda sdk: sdk.threads.create(
            thread_id=THREAD,
            if_exists="do_nothing",
            metadata={
                "channel_source": {"type": "im_channel", "provider": "slack", "chat_id": "C1"}
            },
        ),
        request_of(AGENT.start(FULL, ACCESS), CREATED, 0),
    ),
    "create run": Case(
        "create_run",
        lambda sdk: create_run(
            sdk,
            input={
                "messages": [
                    {
                        "type": "human",
                        "id": TURN,
                        "content": [{"type": "text", "text": "Look"}, IMAGE],
                    }
                ]
            },
            config={"recursion_limit": 50},
            context={"model_name": "small"},
            webhook="https://bridge.example/agents/demo/ended",
        ),
        request_of(AGENT.start(FULL, ACCESS), CREATED),
    ),
    "create run to answer": Case(
        "create_run",
        lambda sdk: create_run(
            sdk,
            command={"resume": "blue"},
        ),
        request_of(
            AGENT.start(REPLY, ACCESS),
            CREATED[1:],
        ),
    ),
    "list runs": Case(
        "list_runs",
        lambda sdk: sdk.runs.list(THREAD, limit=20, select=["run_id", "status", "metadata"]),
        request_of(AGENT.find(THREAD, TURN, OWNER, ACCESS), [answer([])]),
    ),
    "list runs for an operator": Case(
        "list_runs",
        lambda sdk: sdk.runs.list(
            THREAD, limit=20, select=["run_id", "status", "metadata", "created_at"]
        ),
        request_of(AGENT.runs(THREAD, OWNER, ACCESS), [answer([])]),
    ),
    "read run": Case(
        "read_run",
        lambda sdk: sdk.runs.get(THREAD, RUN),
        request_of(AGENT.status(THREAD, RUN, OWNER, ACCESS), [answer({"status": "running"})]),
    ),
    "cancel run": Case(
        "cancel_run",
        lambda sdk: sdk.runs.cancel(THREAD, RUN),
        request_of(AGENT.cancel(THREAD, RUN, OWNER, ACCESS), [HttpResponse(202)]),
    ),
    "read state of a run": Case(
        "last_checkpoint",
        lambda sdk: sdk.threads.get_history(THREAD, limit=1, metadata={"run_id": RUN}),
        requests.last_checkpoint(THREAD, RUN, ACCESS),
    ),
    "read state": Case(
        "read_state", lambda sdk: sdk.threads.get_state(THREAD), requests.read_state(THREAD, ACCESS)
    ),
    "search threads": Case(
        "search_threads",
        lambda sdk: sdk.threads.search(
            metadata={
                "channel_source": {"type": "im_channel", "provider": "slack", "chat_id": "C1"}
            },
            select=["thread_id", "metadata"],
            limit=100,
        ),
        request_of(AGENT.threads_of(FULL.origin, OWNER, ACCESS), [answer([])]),
    ),
    "delete thread": Case(
        "delete_thread",
        lambda sdk: sdk.threads.delete(THREAD),
        request_of(AGENT.delete(THREAD, OWNER, ACCESS), [HttpResponse(204)]),
    ),
    "join run": Case(
        "read_error",
        lambda sdk: sdk.runs.join(THREAD, RUN),
        requests.read_error(THREAD, RUN, ACCESS),
    ),
    "follow run": Case(
        "follow_run",
        lambda sdk: list(sdk.runs.join_stream(THREAD, RUN, last_event_id="1796-0")),
        AGENT.follow(THREAD, RUN, "1796-0", OWNER, ACCESS),
    ),
    "follow events": Case(
        "follow_run",
        lambda sdk: list(
            sdk.runs.join_stream(
                THREAD, RUN, last_event_id="1796-0", stream_mode=["messages-tuple", "custom"]
            )
        ),
        AGENT.follow(THREAD, RUN, "1796-0\nm1", OWNER, replace(ACCESS, event_streaming=True)),
    ),
    "read version": Case(
        "read_version", lambda sdk: sdk.http.get("/info"), requests.read_version(ACCESS)
    ),
    "list assistants": Case(
        "search_assistants",
        lambda sdk: sdk.assistants.search(limit=100),
        request_of(AGENT.assistants(ACCESS), [answer([])]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_client_makes_the_same_request(name: str) -> None:
    """Method, path, query and body agree, but for the differences declared above."""
    theirs, ours = recorded(CASES[name].theirs), CASES[name].ours
    url = httpx.URL(ours.url)
    assert (ours.method, url.path) == (theirs.method, theirs.url.path)
    assert isinstance(ours.body, bytes)
    difference = DIFFERENCES.get(name) or DIFFERENCES.get(CASES[name].builder, Difference())
    sent_by_us = fields_of(url, ours.body)
    sent_by_them = fields_of(theirs.url, theirs.content)
    assert difference.ours.items() <= sent_by_us.items()
    assert difference.theirs.items() <= sent_by_them.items()
    assert rest(sent_by_us, difference.ours) == rest(sent_by_them, difference.theirs)


@pytest.mark.parametrize("name", CASES)
def test_the_client_sends_the_same_headers(name: str) -> None:
    """The key, the cursor of a stream and the idempotency key travel under the same names."""
    theirs = recorded(CASES[name].theirs)
    for header in ("x-api-key", "last-event-id", "idempotency-key"):
        assert CASES[name].ours.headers.get(header) == theirs.headers.get(header)


def test_every_request_is_judged() -> None:
    """No request that this dialect can make is missing from the comparison."""
    builders = {
        name
        for name, made in vars(requests).items()
        if inspect.isfunction(made) and made.__module__ == requests.__name__ and name[0] != "_"
    }
    assert {case.builder for case in CASES.values()} == builders


def rest(sent: Mapping[str, object], declared: Mapping[str, object]) -> dict[str, object]:
    """What is sent beside the differences declared."""
    return {name: value for name, value in sent.items() if name not in declared}


def recorded(call: Callable[[SyncLangGraphClient], object]) -> httpx.Request:
    """Make one call of the client and give the request it sent."""
    seen: list[httpx.Request] = []

    def answer_anything(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        streams = request.url.path.endswith("/stream")
        mime = "text/event-stream" if streams else "application/json"
        return httpx.Response(200, headers={"content-type": mime}, text="" if streams else "{}")

    with httpx.Client(
        base_url=URL,
        headers={"x-api-key": "lsv2-key"},
        transport=httpx.MockTransport(answer_anything),
    ) as client:
        call(SyncLangGraphClient(client))
    assert len(seen) == 1
    return seen[0]


def fields_of(url: httpx.URL, body: bytes) -> dict[str, object]:
    """What a request says in its query and its body, by name."""
    query: dict[str, str] = {}
    for name, value in url.params.multi_items():
        earlier = query.get(name)
        query[name] = value if earlier is None else f"{earlier},{value}"
    return {**query, **(json.loads(body) if body else {})}
