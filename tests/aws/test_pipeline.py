import json
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.aws.emulated import Emulated
from tests.aws.mapping import deployed
from tests.aws.runtime_api import Function
from tests.contract.platforms.slack import CREDENTIALS
from tests.events import recording
from tests.pipeline.agent_server import AgentServer, agent_server
from tests.pipeline.serving import until
from tests.stubs.slack import ADA, SlackStub
from tests.stubs.slack_channels import BOT
from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Surroundings
from threadline.app.settings_items import store_settings
from threadline.local import renewing
from threadline.platforms.slack import PLATFORM

pytestmark = [pytest.mark.sam, pytest.mark.aws, pytest.mark.langgraph]

NAMESPACE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
CHANNEL = "C0GENERAL1"
SAID = "what goes in through the artifact"
AGAIN = "and once more"


def configured(emulated: Emulated, slack: SlackStub, agent: AgentServer) -> None:
    """Store settings under which anybody may talk to the stub's app, and the app's secrets."""
    secrets = {**CREDENTIALS.secrets, "bot_token": slack.token}
    source = (
        "platforms: {slack: {allow: everyone, apps: {default: "
        f"{{identity: {BOT}, base_url: '{slack.url}'}}}}}}}}\n"
    )
    around = Surroundings(
        namespace=NAMESPACE, present={"slack/default": frozenset(secrets)}, agent_url=agent.url
    )
    settings = compile_settings(source.encode(), around, "threadline.yaml").settings
    store_settings(emulated.store, settings, emulated.now())
    emulated.secrets.put("slack/default", secrets)


def delivery(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an event of Slack's as API Gateway hands it over, signed as Slack signs it."""
    recorded, now = recording("slack", "app_mention"), time.time()
    request = replace(recorded.webhook, body=json.dumps(said).encode())
    return renewing.delivery(recorded.event, PLATFORM.stamp(request, CREDENTIALS, now), now)


def test_a_mention_goes_through_the_built_functions(
    built: Path, emulated: Emulated, tmp_path: Path
) -> None:
    """In through ingest's artifact, out as a run at a real server and a post at the strict stub.

    The answer stands below the mention, and a mention below it has the same thread of the agent.
    """
    with agent_server(tmp_path / "agent") as agent, SlackStub() as slack:
        slack.add_channel(CHANNEL)
        configured(emulated, slack, agent)
        mention = slack.mention_of(slack.say(CHANNEL, f"<@{BOT}> {SAID}"))
        root = mention["event"]["ts"]
        with deployed(built, emulated, tmp_path) as functions:
            ingest = functions["IngestFunction"]
            assert ingest.invoke(delivery(mention))["statusCode"] == 200, ingest.output()
            until(partial(has_ended, functions, 1), partial(output, functions))
            below = slack.mention_of(slack.say(CHANNEL, f"<@{BOT}> {AGAIN}", thread=root))
            assert ingest.invoke(delivery(below))["statusCode"] == 200, ingest.output()
            until(partial(has_ended, functions, 2), partial(output, functions))
        written = output(functions)
        asked = [f"{ADA}: {SAID}", f"{ADA}: {AGAIN}"]
        assert runs(agent) == [asked]
        assert posts(slack, root) == [f"You said: {one}" for one in asked]
        for planted in (SAID, AGAIN, slack.token, CREDENTIALS.secret("signing_secret")):
            assert planted not in written


def posts(slack: SlackStub, root: str) -> list[str]:
    """List the app's posts below a post."""
    return [one.text for one in slack.shown(CHANNEL) if one.by_bot and one.thread == root]


def runs(agent: AgentServer) -> list[list[str]]:
    """List what people said in each thread of the server."""
    with httpx.Client(base_url=agent.url, timeout=30.0) as client:
        threads = client.post("/threads/search", json={"limit": 10}).json()
        states = [client.get(f"/threads/{one['thread_id']}/state").json() for one in threads]
    return [
        [one["content"] for one in state["values"]["messages"] if one["type"] == "human"]
        for state in states
    ]


def has_ended(functions: Mapping[str, Function], turns: int) -> bool:
    """Tell whether so many turns came to their end."""
    return functions["DispatchFunction"].output().count('"event": "turn"') == turns


def output(functions: Mapping[str, Function]) -> str:
    """Give everything that the functions wrote."""
    return "\n".join(one.output() for one in functions.values())
