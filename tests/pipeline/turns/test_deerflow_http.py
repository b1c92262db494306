"""The dialect and the stub over HTTP, with the drivers that ship, and LangChain's own client."""

import asyncio
import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import ConflictError, PermissionDeniedError, UnprocessableEntityError

from tests.stubs.deerflow_http import Gateway
from tests.stubs.deerflow_rules import PERSONAL, TOKEN
from threadline.agents.deerflow import DeerFlow
from threadline.backends.calls import Network
from threadline.backends.clock import SystemClock
from threadline.backends.files import FileBlobs
from threadline.backends.http_asyncio import AsyncioHttp
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.agent import AgentAccess, Artifact, Prompt, RunRequest, RunStatus, StoredFile
from threadline.core.errors import AgentBusy
from threadline.core.http import Flow, HttpResponse, SaveTo, ask
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId
from threadline.core.policy import Policy, admitted, guarded
from threadline.core.visible import VisibleText

SPEED = 10.0
OWNER = OwnerId("alice")
THREAD = ThreadId("0762017c-9c8e-4667-bda3-57f96752d282")
AGENT = DeerFlow()
HEADERS = {
    "X-DeerFlow-Internal-Token": TOKEN, "X-DeerFlow-Owner-User-Id": "alice",
    "X-CSRF-Token": "x", "Cookie": "csrf_token=x",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Talk:
    """One Gateway, and our way to it."""

    gateway: Gateway
    access: AgentAccess
    blobs: FileBlobs

    @property
    def policy(self) -> Policy:
        """The policy of every call."""
        return Policy(base_urls=(self.gateway.url,))

    def run[T](self, flow: Flow[T]) -> T:
        """Drive a flow over HTTP."""
        http = BlockingHttp(self.blobs)
        try:
            network = Network(http, AsyncioHttp(self.blobs), SystemClock())
            return network.run(guarded(flow, self.policy))
        finally:
            http.close()

    def start(self, text: str, turn: str, **more: Any) -> RunId:
        """Start a run on the one thread."""
        request = RunRequest(
            thread=THREAD, turn=TurnId(turn), owner=OWNER, prompt=Prompt(text, **more),
            assistant="lead_agent", new_thread=turn == "t1", origin={"provider": "slack"},
        )  # fmt: skip
        return self.run(AGENT.start(request, self.access))

    def shown(self, run: RunId) -> str:
        """Follow a run to the end of its stream and give the text that was shown last."""
        return asyncio.run(self._shown(run))

    async def _shown(self, run: RunId) -> str:
        http = AsyncioHttp(self.blobs)
        network = Network(BlockingHttp(self.blobs), http, SystemClock())
        request = admitted(AGENT.follow(THREAD, run, "", OWNER, self.access), self.policy)
        assert request is not None
        decoder, visible = AGENT.decoder(""), VisibleText()

        def take(chunk: bytes) -> bool:
            nonlocal visible
            visible = visible.after(decoder.feed(chunk))
            return False

        await network.listen(request, take)
        await http.close()
        return visible.text


@pytest.fixture(params=["older", "newer", "personal"])
def talk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Talk]:
    """Give a Gateway of each kind."""
    kind = request.param
    token = {"token": PERSONAL} if kind == "personal" else {"internal_token": TOKEN}
    with Gateway(newer=kind != "older", speed=SPEED) as gateway:
        yield Talk(gateway, AgentAccess(gateway.url, token), FileBlobs(tmp_path))


def test_a_run_is_started_followed_and_read(talk: Talk) -> None:
    """Two turns on one thread over real connections: the text streams, and the answer is read."""
    for turn in ("t1", "t2"):
        run = talk.start(f"hello {turn}", turn)
        assert talk.shown(run) == f"echo: hello {turn}"
        outcome = talk.run(AGENT.outcome(THREAD, run, TurnId(turn), OWNER, talk.access))
        assert (outcome.status, outcome.text) == (RunStatus.SUCCESS, f"echo: hello {turn}")


def test_a_busy_thread_is_told_and_its_run_stopped(talk: Talk) -> None:
    """A second run is refused, the first is found by its turn and stopped, once and again."""
    run = talk.start("sleep 500", "t1")
    with pytest.raises(AgentBusy, match="already has an active run"):
        talk.start("hello", "t2")
    found = talk.run(AGENT.find(THREAD, TurnId("t1"), OWNER, talk.access))
    assert [id_ for id_, _ in found.ours] == [run]
    for _ in range(2):
        talk.run(AGENT.cancel(THREAD, run, OWNER, talk.access))
    assert talk.run(AGENT.status(THREAD, run, OWNER, talk.access)) is RunStatus.INTERRUPTED


def test_a_thread_is_found_and_deleted_once_it_rests(talk: Talk) -> None:
    """A thread is found by its origin; in work it stays, afterwards it goes, once."""
    run = talk.start("sleep 500", "t1")
    assert talk.run(AGENT.threads_of({"provider": "slack"}, OWNER, talk.access)) == (THREAD,)
    assert talk.run(AGENT.threads_of({"provider": "feishu"}, OWNER, talk.access)) == ()
    with pytest.raises(AgentBusy, match="work in flight"):
        talk.run(AGENT.delete(THREAD, OWNER, talk.access))
    talk.run(AGENT.cancel(THREAD, run, OWNER, talk.access))
    assert talk.run(AGENT.delete(THREAD, OWNER, talk.access)) is True
    assert talk.run(AGENT.delete(THREAD, OWNER, talk.access)) is False


def test_files_go_in_and_come_out(talk: Talk) -> None:
    """An upload arrives byte for byte; an artifact is stored as a blob. Not by a personal token."""
    content = bytes(range(256)) * 40
    ref = talk.blobs.put("files/t1/00", content)
    file = StoredFile("数据.bin", "application/octet-stream", ref)
    attached = talk.run(AGENT.attach(THREAD, file, OWNER, talk.access))
    run = talk.start("present a.txt", "t1", files=(attached,))
    talk.shown(run)
    outcome = talk.run(AGENT.outcome(THREAD, run, TurnId("t1"), OWNER, talk.access))
    assert outcome.artifacts == (Artifact("/mnt/user-data/outputs/a.txt", "a.txt", "text/plain"),)
    download = AGENT.download(THREAD, outcome.artifacts[0], OWNER, talk.access)
    if PERSONAL in talk.access.secrets.values():
        assert (attached, download) == (file, None)
        return
    assert talk.gateway.stub.files.of("alice", THREAD)[attached.link] == content
    assert download is not None
    saved = talk.run(ask(replace(download, save_to=SaveTo("out/a", 1000))))
    assert isinstance(saved, HttpResponse)
    assert saved.saved is not None
    assert talk.blobs.get("out/a") == b"content of /mnt/user-data/outputs/a.txt"


def test_a_gateway_tells_what_it_is(talk: Talk) -> None:
    """The probe tells the older server from the newer one."""
    said = talk.run(AGENT.probe(talk.access)).server
    assert ("older" in said) == (not talk.gateway.stub.newer)


ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "hello"}]}
STREAMED: dict[str, Any] = {
    "input": {"messages": [{"role": "user", "content": "sleep 30"}]},
    "stream_mode": ["messages-tuple"],
}


@pytest.fixture
def client() -> Iterator[SyncLangGraphClient]:
    """Give LangChain's client of a Gateway's API."""
    with (
        Gateway(speed=SPEED) as gateway,
        get_sync_client(url=f"{gateway.url}/api", headers=HEADERS) as made,
    ):
        yield made


def test_langchains_client_speaks_with_the_stub(client: SyncLangGraphClient) -> None:
    """The stub answers another client as the Gateway does, so that it is no mirror of ours."""
    thread = client.threads.create(thread_id="t-1", if_exists="raise")
    assert client.threads.create(thread_id="t-1", if_exists="raise") == thread
    run = client.runs.create(
        "t-1", "lead_agent", input=ASKED, stream_mode=["messages-tuple"], metadata={"a": 1}
    )
    with pytest.raises(ConflictError, match="already has an active run"):
        client.runs.create("t-1", "lead_agent", input=ASKED)
    with pytest.raises(UnprocessableEntityError):
        client.runs.create("t-1", "lead_agent", input=ASKED, webhook="https://x")
    names = [part.event for part in client.runs.join_stream("t-1", run["run_id"])]
    assert (names[0], names[-1]) == ("metadata", "end")
    assert client.runs.get("t-1", run["run_id"])["status"] == "success"
    assert [one["metadata"] for one in client.runs.list("t-1")] == [{"a": 1}]
    values: Any = client.threads.get_state("t-1")["values"]
    assert values["messages"][-1]["content"] == "echo: hello"


def test_the_stub_wants_the_pair_of_everybody() -> None:
    """A client that sends the token alone may ask and not change."""
    with (
        Gateway() as gateway,
        get_sync_client(
            url=f"{gateway.url}/api", headers={"X-DeerFlow-Internal-Token": TOKEN}
        ) as bare,
    ):
        with pytest.raises(PermissionDeniedError):
            bare.threads.create()
        assert bare.runs.list("t-1") == []


def test_a_reader_that_leaves_stops_a_run_made_otherwise(client: SyncLangGraphClient) -> None:
    """A run that was not made to continue is cancelled by whoever stops reading it."""
    client.threads.create(thread_id="t-1")
    run = client.runs.create("t-1", "lead_agent", **STREAMED)
    for _ in client.runs.join_stream("t-1", run["run_id"]):
        break
    gc.collect()
    while client.runs.get("t-1", run["run_id"])["status"] in {"pending", "running"}:
        time.sleep(0.05)
    assert client.runs.get("t-1", run["run_id"])["status"] == "interrupted"
