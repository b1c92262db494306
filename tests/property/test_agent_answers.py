"""Whatever an agent's server answers, each dialect makes of it a value or a refusal of ours."""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.agents.deerflow.asking import ACCESS, PERSONAL, REQUEST, RUN
from threadline.agents.deerflow import DeerFlow
from threadline.agents.langgraph import LangGraph
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.core.agent import Agent, AgentAccess, Obeys, Outcome, Probes, StoredFile
from threadline.core.command import Command, CommandName
from threadline.core.errors import AgentError, NotOffered
from threadline.core.http import BlobRef, Flow, HttpRequest, HttpResponse, Lost
from threadline.core.visible import VisibleText

AGENTS = (DeerFlow(), LangGraph())
THREAD, OWNER, TURN = REQUEST.thread, REQUEST.owner, REQUEST.turn
FILE = StoredFile("a.txt", "text/plain", BlobRef("b", 3))
KNOWN_KEYS = (
    "additional_kwargs", "args", "artifact", "caller", "content", "data", "deerflow_error_fallback",
    "detail", "event_type", "facts", "filepaths", "files", "goal", "hide_from_ui", "human_input",
    "id", "interrupts", "kwargs", "label", "messages", "metadata", "models", "name", "objective",
    "options", "question", "run_id", "status", "stop_reason", "text", "thread_id", "tool_calls",
    "turn_id", "type", "value", "values", "virtual_path",
)  # fmt: skip
KNOWN_VALUES = (
    "", "ai", "human", "tool", "success", "error", "running", "ask_clarification", "present_files",
    "/mnt/user-data/uploads/x", "/mnt/user-data/outputs/a/../../x", "lead_agent", "constructor",
    "llm.ai.response", "run.error", TURN, RUN,
)  # fmt: skip
WORDS = st.sampled_from(KNOWN_VALUES) | st.text(max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KNOWN_KEYS) | st.text(max_size=4), inner, max_size=5)
    ),
    max_leaves=20,
)
STATUSES = st.sampled_from((200, 200, 200, 201, 204, 400, 401, 404, 409, 413, 422, 429, 500, 503))
ANSWERS = st.one_of(
    st.builds(lambda status, told: HttpResponse(status, {}, json.dumps(told).encode()),
              STATUSES, JSON),
    st.builds(lambda status, body: HttpResponse(status, {}, body),
              STATUSES, st.binary(max_size=20)),
    st.builds(lambda why, sent: Lost(why, sent=sent),
              st.sampled_from(("refused", "forbidden", "timeout", "reset")), st.booleans()),
)  # fmt: skip
FRAMES = st.one_of(
    st.binary(max_size=30),
    st.builds(
        lambda event, told, at: f"event: {event}\ndata: {json.dumps(told)}\nid: {at}\n\n".encode(),
        st.sampled_from(("messages", "metadata", "end", "error", "gap", "values", "custom")),
        JSON, st.integers(0, 99),
    ),
)  # fmt: skip


def asked(agent: Agent, access: AgentAccess) -> Iterator[Flow[object]]:
    """Give every conversation that we have with an agent."""
    for how in ({}, {"new_thread": True}, {"answers": True}):
        yield agent.start(replace(REQUEST, **how), access)  # type: ignore[arg-type]
    yield agent.find(THREAD, TURN, OWNER, access)
    yield agent.status(THREAD, RUN, OWNER, access)
    yield agent.outcome(THREAD, RUN, TURN, OWNER, access)
    yield agent.cancel(THREAD, RUN, OWNER, access)
    yield agent.command("models", OWNER, access)
    yield agent.command("memory", OWNER, access)
    yield agent.assistants(access)
    yield agent.attach(THREAD, FILE, OWNER, access)
    if isinstance(agent, Probes):
        yield agent.probe(access)
    if isinstance(agent, Obeys):
        for words in ("", "clear", "ship it"):
            order = Command(CommandName.GOAL, words)
            yield agent.obey(replace(REQUEST, order=order), access)
            yield agent.obey(replace(REQUEST, order=order, new_thread=True), access)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.dialect)
@pytest.mark.parametrize("access", [ACCESS, PERSONAL], ids=["key", "token"])
@settings(max_examples=150)
@given(answers=st.lists(ANSWERS, min_size=1, max_size=6))
def test_any_answer_is_a_value_or_a_refusal(
    agent: Agent, access: AgentAccess, answers: list[HttpResponse | Lost]
) -> None:
    """Each flow ends, raises nothing but our own errors, and leads to no file outside outputs."""
    for flow in asked(agent, access):
        waiting = deque(answers)

        def perform(_: HttpRequest, waiting: deque[HttpResponse | Lost] = waiting) -> object:
            waiting.rotate(-1)
            return waiting[-1]

        try:
            told = drive(flow, perform, VirtualClock())  # type: ignore[arg-type]
        except (AgentError, NotOffered):
            continue
        for artifact in told.artifacts if isinstance(told, Outcome) else ():
            request = agent.download(THREAD, artifact, OWNER, access)
            inside = request is None or "/artifacts/mnt/user-data/outputs/" in request.url
            assert inside
            assert request is None or ".." not in request.url


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.dialect)
@settings(max_examples=300)
@given(
    frames=st.lists(FRAMES, max_size=8),
    cursor=st.sampled_from(("", "5-0")),
    cut=st.integers(1, 9),
)
def test_any_stream_is_read(agent: Agent, frames: list[bytes], cursor: str, cut: int) -> None:
    """Any bytes, cut anywhere, are events or nothing, and never an error."""
    decoder, shown, stream = agent.decoder(cursor), VisibleText(), b"".join(frames)
    for start in range(0, len(stream), cut):
        shown = shown.after(decoder.feed(stream[start : start + cut]))
    assert isinstance(decoder.cursor, str)
