import random
import time
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.buzz.people import now, said, until
from tests.pipeline.buzz.test_serve_buzz import folder, ours
from tests.pipeline.serving import Served
from tests.stubs.nostr_relay import nostr_relay, tag
from tests.unit.buzz.relay import ANN, RELAY, channel
from threadline.platforms.buzz.event import CHAT, EDIT

pytestmark = pytest.mark.langgraph
QUESTIONS = 24
KILLS = 4


def test_killed_again_and_again_every_question_is_answered_once(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """`serve` killed with -9 at any moment, four times: each question has one answer at the end."""
    chance = random.Random(20_261_121)
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        root, asked = folder(tmp_path, relay, ANN), dict[str, str]()

        def ask() -> None:
            text = f"question {len(asked)}"
            event = said(f"@bot {text}")
            relay.publish(event)
            asked[event.id] = text

        def finished() -> dict[str, str]:
            """Give each question's id and what its answer says in the end."""
            last = {tag(edit, "e"): edit["content"] for edit in ours(relay, EDIT)}
            shown = {
                tag(post, "e"): last.get(post["id"], post["content"]) for post in ours(relay, CHAT)
            }
            said_of = {of: text.removeprefix("You said: ") for of, text in shown.items()}
            return {of: text for of, text in said_of.items() if asked.get(of) == text}

        served = Served.start(root, agent)
        try:
            served.says("buzz/default is connected")
            for _ in range(KILLS):
                for _ in range(QUESTIONS // KILLS // 2):
                    ask()
                    time.sleep(chance.random() * 1.2)
                served.kill()
                for _ in range(QUESTIONS // KILLS // 2):
                    ask()
                time.sleep(chance.random())
                served = Served.start(root, agent)
                served.says("buzz/default is connected")
            until(lambda: finished() == asked, lambda: sorted(finished().values()), patience=120)
            time.sleep(3)
            assert finished() == asked
            assert len(ours(relay, CHAT)) == QUESTIONS
        finally:
            assert served.interrupt() == 0
