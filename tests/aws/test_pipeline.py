import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.aws.emulated import Emulated
from tests.aws.mapping import deployed
from tests.aws.runtime_api import Function
from tests.events import recording
from tests.pipeline.agent_server import AgentServer, agent_server
from tests.pipeline.serving import CHAT, WEBHOOK_SECRET, until
from tests.stubs.telegram import TelegramStub
from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Surroundings
from threadline.app.settings_items import store_settings

pytestmark = [pytest.mark.sam, pytest.mark.aws, pytest.mark.langgraph]

NAMESPACE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
SAID = "what goes in through the artifact"
AGAIN = "and once more"


def configured(emulated: Emulated, telegram: TelegramStub, agent: AgentServer) -> None:
    """Store settings under which anybody may talk to the stub's bot, and the bot's secrets."""
    secrets = {"bot_token": telegram.token, "webhook_secret": WEBHOOK_SECRET}
    source = (
        "platforms: {telegram: {allow: everyone, apps: {default: "
        f"{{base_url: '{telegram.url}', transport: webhook}}}}}}}}\n"
    )
    around = Surroundings(
        namespace=NAMESPACE, present={"telegram/default": frozenset(secrets)}, agent_url=agent.url
    )
    settings = compile_settings(source.encode(), around, "threadline.yaml").settings
    store_settings(emulated.store, settings, emulated.now())
    emulated.secrets.put("telegram/default", secrets)


def delivery(update: Any) -> dict[str, Any]:
    """Return the event of a Telegram update as API Gateway hands it over."""
    event = dict(recording("telegram", "message.private").event)
    event["headers"] = {
        **event["headers"], "x-telegram-bot-api-secret-token": WEBHOOK_SECRET
    }  # fmt: skip
    return {**event, "body": json.dumps(update), "isBase64Encoded": False}


def test_a_message_goes_through_the_built_functions(
    built: Path, emulated: Emulated, tmp_path: Path
) -> None:
    """In through ingest's artifact, out as a run at a real server and a post at the strict stub."""
    with (
        agent_server(tmp_path / "agent") as agent,
        TelegramStub(edit_interval=0) as telegram,
    ):
        telegram.add_chat(CHAT, "private")
        configured(emulated, telegram, agent)
        with deployed(built, emulated, tmp_path) as functions:
            for number, said in enumerate((SAID, AGAIN), start=1):
                answer = functions["IngestFunction"].invoke(delivery(telegram.say(CHAT, said)))
                assert answer["statusCode"] == 200, functions["IngestFunction"].output()
                until(partial(has_ended, functions, number), partial(output, functions))
        written = output(functions)
        assert posts(telegram) == [f"You said: {SAID}", f"You said: {AGAIN}"]
        for planted in (SAID, AGAIN, telegram.token, WEBHOOK_SECRET):
            assert planted not in written


def posts(telegram: TelegramStub) -> list[str]:
    """List the bot's posts in the chat."""
    return [one.text for one in telegram.shown(CHAT) if one.by_bot]


def has_ended(functions: Mapping[str, Function], turns: int) -> bool:
    """Tell whether so many turns came to their end."""
    return functions["DispatchFunction"].output().count('"event": "turn"') == turns


def output(functions: Mapping[str, Function]) -> str:
    """Give everything that the functions wrote."""
    return "\n".join(one.output() for one in functions.values())
