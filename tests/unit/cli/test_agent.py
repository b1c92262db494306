"""`threadline agent` at a DeerFlow Gateway; tests/pipeline has it at a LangGraph Server."""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.stubs.deerflow_http import Gateway
from tests.stubs.deerflow_rules import TOKEN
from tests.stubs.serving import Answer, Served
from tests.unit.cli.configured import keep
from tests.unit.cli.conftest import Command
from threadline import wiring
from threadline.app import audit
from threadline.core.ids import (
    AgentName,
    AppName,
    BindingName,
    ConversationKey,
    MailboxKey,
    OwnerId,
    PlatformName,
    RunId,
    ThreadId,
    TurnId,
)
from threadline.core.posting import Destination
from threadline.core.records import Conversation, Facts, Turn
from threadline.core.settings import ReplyMode
from threadline.core.turn import State

KEY = "telegram/default//77/"
THREAD = "0762017c-9c8e-4667-bda3-57f96752d282"
OWNER = "telegram-77"


@pytest.fixture(params=[False, True], ids=["older", "newer"])
def gateway(request: pytest.FixtureRequest) -> Iterator[Gateway]:
    """A Gateway of either kind."""
    with Gateway(newer=request.param) as running:
        yield running


def ask(gateway: Gateway, text: str) -> str:
    """Start a run as dispatch would, and give its id."""
    headers = {
        "x-deerflow-internal-token": TOKEN, "x-deerflow-owner-user-id": OWNER,
        "x-csrf-token": "x", "cookie": "csrf_token=x",
    }  # fmt: skip
    turn = f"turn-{len(gateway.stub.runs())}"
    asked: dict[str, Any] = {
        "input": {"messages": [{"type": "human", "content": text, "id": turn}]},
        "metadata": {"turn_id": turn},
    }
    gateway.stub.answer("POST", "/api/threads", headers, json.dumps({"thread_id": THREAD}).encode())
    made = gateway.stub.answer(
        "POST", f"/api/threads/{THREAD}/runs", headers, json.dumps(asked).encode()
    )
    assert made.status == 200, made.body
    return str(made.body["run_id"])


def conversation(state: State = State.IDLE, run: str = "", **more: Any) -> Conversation:
    """A conversation on the thread; any state but idle has a turn with that run."""
    turn = Turn(
        id=TurnId("turn-0"), binding=BindingName("chat"), agent=AgentName("df"),
        owner=OwnerId(OWNER), thread=ThreadId(THREAD), sender="77",
        destination=Destination(PlatformName("telegram"), AppName("default"), "", "77"),
        reply=more.pop("reply", ReplyMode.CHAT), waits=(), deliveries=(), accepted_at=0.0,
        limit_at=0.0, run=RunId(run),
    )  # fmt: skip
    return Conversation(
        key=ConversationKey(KEY), mailbox=MailboxKey("telegram/default/77"), platform="telegram",
        app="default", workspace="", chat="77", topic="", state=state, owner=OwnerId(OWNER),
        thread=ThreadId(THREAD), turn=None if state is State.IDLE else turn, **more,
    )  # fmt: skip


def configure(folder: Path, gateway: Gateway, *conversations: Conversation) -> None:
    """Let the folder know the Gateway and what stands."""
    source = (
        f"agents: {{df: {{dialect: deerflow, url: '{gateway.url}'}}}}\n"
        "bindings: {chat: {platform: telegram}}\n"
    )
    keep(folder, source, *conversations)
    local = wiring.local_ports(folder / ".threadline")
    local.ports.secrets.put("agent/df", {"internal_token": TOKEN})
    local.close()


def audited(folder: Path) -> tuple[Facts, ...]:
    """Read the audit rows."""
    local = wiring.local_ports(folder / ".threadline")
    try:
        return audit.rows(local.ports.store)
    finally:
        local.close()


def test_the_runs_of_a_conversation_are_listed(
    threadline: Command, folder: Path, gateway: Gateway
) -> None:
    """Runs stand newest first with status, age and turn; one made by others is told apart."""
    first = ask(gateway, "hello")
    wait_for(gateway, first)
    foreign = gateway.stub.foreign_run(THREAD, 60.0).id
    configure(folder, gateway, conversation())
    ended = threadline("agent", "runs", KEY)
    assert ended.code == 0, ended.err
    heading, place, newest, oldest = ended.out.splitlines()
    assert heading == f"thread {THREAD} of owner {OWNER} at agent df"
    assert place == f"conversation {KEY}: idle"
    assert newest.split()[0] == foreign
    assert newest.split()[1] in {"pending", "running"}
    assert " s ago" in newest
    assert newest.endswith("not made by Threadline")
    assert oldest.split()[:2] == [first, "success"]
    assert oldest.endswith("turn turn-0")


def test_a_thread_is_listed_by_its_id_and_owner(
    threadline: Command, folder: Path, gateway: Gateway
) -> None:
    """A thread that no conversation leads to wants its owner, and the error says so; others not."""
    run = ask(gateway, "hello")
    configure(folder, gateway)
    lacking = threadline("agent", "runs", THREAD)
    assert lacking.code == 1
    assert "add --owner OWNER" in lacking.err
    assert run in threadline("agent", "runs", THREAD, "--owner", OWNER).out
    configure(folder, gateway, conversation())
    known = threadline("agent", "runs", THREAD)
    assert f"conversation {KEY}: idle" in known.out
    assert run in known.out


def test_a_run_is_cancelled_once_agreed(
    threadline: Command, folder: Path, gateway: Gateway
) -> None:
    """Who cancels is told what the chat will see, asked, and named in an audit row."""
    run = ask(gateway, "sleep 300")
    running = conversation(State.RUNNING, run, waiting=2)
    configure(folder, gateway, running)
    refused = threadline("agent", "cancel", KEY)
    assert refused.code == 1
    assert "add --yes" in refused.err
    assert audited(folder) == ()
    ended = threadline("agent", "cancel", run, "--yes")
    assert ended.code == 0, ended.err
    assert "The chat is told “⏹ Stopped.”, below what is written so far." in ended.out
    assert "The next of 2 messages that wait begins." in ended.out
    assert ended.out.endswith(f"Run {run} is cancelled.\n")
    assert gateway.stub.runs()[0].status(time.time()) == "interrupted"
    (row,) = audited(folder)
    assert (row.action, row.values["run"], row.values["agent"]) == ("agent cancel", run, "df")
    again = threadline("agent", "cancel", KEY, "--yes")
    assert (again.code, again.err) == (1, f"threadline: nothing runs on thread {THREAD} of df\n")


def test_what_nobody_will_see_is_told(threadline: Command, folder: Path, gateway: Gateway) -> None:
    """Of a run that no chat waits for, and of one whose binding says nothing, that is told."""
    run = ask(gateway, "sleep 300")
    configure(folder, gateway, conversation(State.RUNNING, run, reply=ReplyMode.LOG))
    silent = threadline("agent", "cancel", KEY)
    assert "Nothing is said in the chat" in silent.out
    configure(folder, gateway, conversation(State.RUNNING, "another"))
    assert "Nobody in a chat waits for this run." in threadline("agent", "cancel", KEY).out


def test_a_thread_is_shown(threadline: Command, folder: Path, gateway: Gateway) -> None:
    """Messages are counted and the last ones shortened; what the model alone reads stays hidden."""
    wait_for(gateway, ask(gateway, "hello " + "x" * 500))
    wait_for(gateway, ask(gateway, "choose"))
    configure(folder, gateway, conversation())
    ended = threadline("agent", "state", KEY)
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert lines[2].split()[0].isdigit()
    assert not [line for line in lines if len(line) > 300]
    assert "<memory>" not in ended.out
    assert TOKEN not in ended.out
    assert any(line.strip() == "human: choose" for line in lines)
    assert "[calls ask_clarification]" in ended.out
    assert lines[-1].startswith("waits with the question: ❓ Which colour?")
    few = threadline("agent", "state", KEY, "--last", "1").out.splitlines()
    assert len(few) == len(lines) - 5
    first = threadline("agent", "state", KEY, "--last", "100").out
    assert "hidden from people" in first


EVIL = "\x1b]0;of the terminal's\x07\r\x9b2J"


class Evil(Served):
    """An agent whose server writes to the terminal of whoever looks."""

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer everything with it; thread `refused` is refused so."""
        del method, headers, body
        if "refused" in target:
            return Answer(422, {"detail": f"no{EVIL}"})
        if target.partition("?")[0].endswith("/runs"):
            run = {"run_id": f"r{EVIL}", "status": "running", "metadata": {"turn_id": f"t{EVIL}"},
                   "created_at": "2026-01-01T00:00:00"}  # fmt: skip
            return Answer(200, json.dumps([run]).encode())
        call = {"name": f"tool{EVIL}", "args": {}, "id": "1", "type": "tool_call"}
        said = {"type": f"ai{EVIL}", "content": f"hi{EVIL}", "tool_calls": [call], "id": "1"}
        return Answer(200, {"values": {"messages": [said]}, "next": [f"node{EVIL}"]})


@pytest.mark.parametrize("words", [("runs", "x"), ("state", "x"), ("runs", "refused")])
def test_nothing_that_an_agent_says_reaches_the_terminal_as_a_command(
    threadline: Command, folder: Path, words: tuple[str, ...]
) -> None:
    """Ids, turns, kinds, tools, nodes and refusals are shown without control characters."""
    with Evil() as agent:
        source = f"agents: {{one: {{dialect: langgraph, url: '{agent.url}', assistant_id: a}}}}\n"
        keep(folder, source + "bindings: {chat: {platform: telegram}}\n")
        ended = threadline("agent", *words)
    said = ended.out + ended.err
    assert "of the terminal's" in said
    assert all(char.isprintable() or char == "\n" for char in said)


def test_what_a_person_can_do_is_told(threadline: Command, folder: Path, gateway: Gateway) -> None:
    """An unknown thread, a wrong key and an agent that is down each say what to do."""
    configure(folder, gateway, conversation())
    missing = threadline("agent", "state", KEY)
    assert missing.code == 1
    assert "the next message begins a new thread" in missing.err
    threadline("secrets", "set", "agent/df", stdin="internal_token=of-nobody-at-all\n")
    wrong = threadline("agent", "state", KEY)
    assert "threadline secrets set agent/NAME" in wrong.err
    assert "of-nobody-at-all" not in wrong.err
    keep(folder, "agents: {df: {dialect: deerflow, url: 'http://127.0.0.1:9'}}\n", conversation())
    down = threadline("agent", "runs", THREAD, "--owner", OWNER)
    assert down.code == 1
    assert "Is the agent up? threadline doctor" in down.err


def test_which_agent_is_asked_for(threadline: Command, folder: Path) -> None:
    """Where several agents may be meant, they are named."""
    agents = "{one: {url: 'http://127.0.0.1:9'}, two: {url: 'http://127.0.0.1:9'}}"
    keep(folder, f"agents: {agents}\nbindings: {{chat: {{platform: telegram, agent: one}}}}\n")
    ended = threadline("agent", "runs", THREAD)
    assert ended.code == 1
    assert ended.err == (
        f"threadline: nothing here is called {THREAD}; "
        "say which agent with --agent NAME: one, two\n"
    )


def test_text_of_others_is_no_command_to_the_terminal(
    threadline: Command, folder: Path, gateway: Gateway
) -> None:
    """Escape sequences in a message reach no terminal."""
    wait_for(gateway, ask(gateway, "red \x1b[31m alert \x07"))
    configure(folder, gateway, conversation())
    out = threadline("agent", "state", KEY).out
    assert "alert" in out
    assert all(char.isprintable() for char in out.replace("\n", ""))


def wait_for(gateway: Gateway, run: str) -> None:
    """Wait until a run of the stub is over, and its thread is free."""
    deadline = time.monotonic() + 30
    while True:
        made = next(one for one in gateway.stub.runs() if one.id == run)
        if not made.busy(time.time()):  # type: ignore[attr-defined]
            return
        assert time.monotonic() < deadline
        time.sleep(0.05)
