import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.stubs.deerflow_http import Gateway
from tests.stubs.deerflow_rules import TOKEN
from tests.stubs.serving import Answer, Served
from tests.stubs.telegram import BOT, TelegramStub
from tests.unit.cli.configured import NAMESPACE, keep
from tests.unit.cli.conftest import Command
from threadline import wiring
from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Surroundings
from threadline.app.settings_items import store_settings

ID = "fe096781-5601-53d2-b2f6-0d3403f7e9ca"


def test_without_settings_the_way_to_them_is_told(threadline: Command, folder: Path) -> None:
    """Where nothing was ever configured, that is the finding."""
    assert folder.is_dir()
    ended = threadline("doctor")
    assert ended.code == 1
    assert "!!  settings: no settings are stored yet\n      threadline serve" in ended.out


def test_each_bot_and_agent_is_asked(threadline: Command, folder: Path) -> None:
    """A bot that answers is named; a refused token and an agent that is down are told."""
    with TelegramStub() as telegram:
        store(folder, telegram)
        given = f"bot_token={telegram.token}\nwebhook_secret=of-nobody\n"
        threadline("secrets", "set", "telegram", stdin=given)
        ended = threadline("doctor")
        assert ended.code == 1
        assert f"ok  telegram/default account: is {BOT['username']}" in ended.out
        assert "!!  agent default:" in ended.out
        assert "does http://127.0.0.1:9 answer?" in ended.out
        threadline("secrets", "set", "telegram", stdin="bot_token=7000000001:another\n")
        told = threadline("doctor").out
        assert "!!  telegram/default account:" in told
        assert "threadline secrets set telegram" in told
        assert "another" not in told


@pytest.mark.parametrize(
    ("newer", "told"),
    [(False, "an older DeerFlow Gateway"), (True, "a DeerFlow Gateway that knows personal access")],
)
def test_which_gateway_answers_is_told(
    threadline: Command, folder: Path, newer: bool, told: str
) -> None:
    """Of DeerFlow's Gateway doctor says whether it met the older or the newer one."""
    with Gateway(newer=newer) as gateway:
        source = f"agents: {{df: {{dialect: deerflow, url: '{gateway.url}'}}}}\n"
        keep(folder, source)
        threadline("secrets", "set", "agent/df", stdin=f"internal_token={TOKEN}\n")
        out = threadline("doctor").out
    assert "ok  agent df: offers lead_agent" in out
    assert told in out


def test_an_app_that_is_off_for_want_of_something_is_told(
    threadline: Command, folder: Path
) -> None:
    """A token alone does not make an app of Slack; one that was switched off is left alone."""
    agents = "agents: {mine: {url: 'http://127.0.0.1:9'}}\n"
    keep(folder, agents)
    threadline("secrets", "set", "slack", stdin="bot_token=xoxb-of-nobody\n")
    assert "!!  slack/default: is off\n      no app_token: threadline secrets set slack" in (
        threadline("doctor").out
    )
    file = folder / "threadline.yaml"
    file.write_text(f"{agents}platforms: {{slack: {{enabled: false}}}}\n")
    assert "slack" not in threadline("doctor").out
    file.write_text("platforms: {slak: {}}\n")
    assert "!!  threadline.yaml: has faults" in threadline("doctor").out


class Offers(Served):
    """A LangGraph Server that lists these graphs."""

    graphs: tuple[str, ...] = ("agent", "helper")
    version: str = ""

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """List an assistant for each graph, as the server itself makes it."""
        del method, headers, body
        if target == "/info" and self.version:
            told = {"version": self.version, "langgraph_py_version": "1.2.24"}
            return Answer(200, json.dumps(told).encode())
        made = {"created_by": "system"}
        listed = [{"assistant_id": ID, "graph_id": one, "metadata": made} for one in self.graphs]
        found = target == "/assistants/search"
        return Answer(200, json.dumps(listed).encode()) if found else Answer(404)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("assistant_id: helper", "ok  agent main: offers agent, helper"),
        (f"assistant_id: {ID}", "ok  agent main: offers agent, helper"),
        ("assistant_id: hleper", "agents.main.assistant_id is hleper, which it does not offer"),
        ("", "write one as agents.main.assistant_id in threadline.yaml"),
    ],
    ids=["named", "by id", "misspelt", "none of several"],
)
def test_the_configured_assistant_is_looked_for(
    threadline: Command, folder: Path, written: str, told: str
) -> None:
    """An assistant that the agent does not offer, or a choice not made, is something to do."""
    with Offers() as server:
        keep(folder, f"agents: {{main: {{url: '{server.url}', {written}}}}}\n")
        assert told in threadline("doctor").out


@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("0.16.7", "ok  agent main: offers agent, helper; a LangGraph Server 0.16.7"),
        ("0.9.2", "take event_streaming out of its configuration"),
        ("", "ok  agent main: offers agent, helper\n"),
    ],
    ids=["new", "old", "untold"],
)
def test_a_server_too_old_for_event_streaming_is_told(
    threadline: Command, folder: Path, version: str, told: str
) -> None:
    """An agent is not asked for what its server cannot do without somebody knowing."""
    with Offers() as server:
        server.version = version
        written = "assistant_id: helper, event_streaming: true"
        keep(folder, f"agents: {{main: {{url: '{server.url}', {written}}}}}\n")
        assert told in threadline("doctor").out


def store(folder: Path, telegram: TelegramStub) -> None:
    """Store settings with the stub's bot and an agent where nobody listens."""
    source = (
        "platforms: {telegram: {apps: {default: "
        f"{{base_url: '{telegram.url}', transport: webhook}}}}}}}}\n"
    )
    around = Surroundings(
        namespace=NAMESPACE, agent_url="http://127.0.0.1:9",
        present={"telegram/default": frozenset({"bot_token", "webhook_secret"})},
    )  # fmt: skip
    settings = compile_settings(source.encode(), around, "threadline.yaml").settings
    local = wiring.local_ports(folder / ".threadline")
    try:
        store_settings(local.ports.store, settings, local.ports.clock.now())
    finally:
        local.close()
