import random
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.buzz.people import now, said, until
from tests.pipeline.buzz.test_serve_buzz import folder, ours
from tests.pipeline.serving import Served
from tests.stubs.nostr_relay import NostrRelay, nostr_relay, tag
from tests.unit.buzz.relay import ANN, RELAY, channel
from threadline.platforms.buzz.event import CHAT, EDIT

pytestmark = pytest.mark.langgraph
KILLS = 4
AT_ONCE = 3


@dataclass(slots=True)
class Interview:
    """Questions on a relay, by the id of their event, and what became of them."""

    relay: NostrRelay
    asked: dict[str, str] = field(default_factory=dict)

    def ask(self, pause: float = 0.0) -> None:
        """Ask something new."""
        text = f"question {len(self.asked)}"
        event = said(f"@bot {text}")
        self.relay.publish(event)
        self.asked[event.id] = text
        time.sleep(pause)

    def answered(self) -> dict[str, str]:
        """Give the questions whose answer stands there, as it reads in the end."""
        last = {tag(edit, "e"): edit["content"] for edit in ours(self.relay, EDIT)}
        found = {}
        for post in ours(self.relay, CHAT):
            text = last.get(post["id"], post["content"]).removeprefix("You said: ")
            if self.asked.get(tag(post, "e")) == text:
                found[tag(post, "e")] = text
        return found


def test_killed_again_and_again_every_question_is_answered_once(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """`serve` killed with -9 at any moment, four times: each question has one answer at the end."""
    chance = random.Random(20_261_121)
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        root, interview = folder(tmp_path, relay, ANN), Interview(relay)
        served = Served.start(root, agent)
        try:
            served.says("buzz/default is connected")
            for _ in range(KILLS):
                for _ in range(AT_ONCE):
                    interview.ask(chance.random() * 1.2)
                served.kill()
                for _ in range(AT_ONCE):
                    interview.ask()
                time.sleep(chance.random())
                served = Served.start(root, agent)
                served.says("buzz/default is connected")
            until(lambda: interview.answered() == interview.asked, interview.answered, 120)
            time.sleep(3)
            assert interview.answered() == interview.asked
            assert len(ours(relay, CHAT)) == len(interview.asked) == 2 * KILLS * AT_ONCE
        finally:
            assert served.interrupt() == 0
