import json
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.buzz.people import now, said, until
from tests.pipeline.serving import serving
from tests.stubs.nostr_relay import NostrRelay, nostr_relay, tag
from tests.unit.buzz.relay import ANN, BEN, RELAY, US, channel
from threadline.core.bech32 import encode
from threadline.platforms.buzz.event import CHAT, EDIT

pytestmark = pytest.mark.langgraph


def folder(root: Path, relay: NostrRelay) -> Path:
    """Write what a person has who was given a key, and lets Ann in."""
    state = root / ".threadline"
    state.mkdir(mode=0o700)
    ann = encode(bytes.fromhex(ANN.pubkey), "npub")
    (root / "threadline.yaml").write_text(
        "platforms:\n"
        "  buzz:\n"
        f"    allow: {{senders: ['{ann}']}}\n"
        f"    apps: {{default: {{base_url: '{relay.url}'}}}}\n"
    )
    secrets = state / "secrets.json"
    secrets.write_text(json.dumps({"buzz/default": {"private_key": f"{3:064x}"}}))
    secrets.chmod(0o600)
    return root


def ours(relay: NostrRelay, kind: int) -> list[dict[str, Any]]:
    """List what the bot posted."""
    return relay.stored(kinds=[kind], authors=[US.pubkey])


def test_a_question_on_the_relay_is_answered(tmp_path: Path, demo_server: AgentServer) -> None:
    """Ann is answered in her thread, by a post that grows; who is not let in is not."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        with serving(folder(tmp_path, relay), agent) as served:
            served.says("buzz/default is connected")
            relay.publish(said("let me in", by=BEN))
            served.says("not_allowed")
            question = said("@bot hello there")
            relay.publish(question)
            until(lambda: "You said: hello there" in [one["content"] for one in ours(relay, EDIT)])
            (post,) = ours(relay, CHAT)
            reply = ["e", question.id, "", "reply"]
            assert post["tags"] == [["h", "ch-1"], reply, ["p", ANN.pubkey]]
            edits = ours(relay, EDIT)
            assert {tag(one, "e") for one in edits} == {post["id"]}
            assert edits[-1]["content"] == "You said: hello there"
            times = [one["created_at"] for one in edits]
            assert len(set(times)) == len(times)
            goes_on = ANN.sign(now() + 1, CHAT, (("h", "ch-1"), ("e", question.id)), "and again")
            relay.publish(goes_on)
            until(lambda: "You said: and again" in [one["content"] for one in ours(relay, EDIT)])
            assert len(ours(relay, CHAT)) == 2
            assert served.interrupt() == 0
            said_so_far = "".join(served.said)
            assert "hello there" not in said_so_far
            assert f"{3:064x}" not in said_so_far
