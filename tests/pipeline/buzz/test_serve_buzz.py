import json
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from coincurve import PrivateKey

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.buzz.people import now, said, until
from tests.pipeline.serving import command, serving
from tests.stubs.nostr_relay import NostrRelay, nostr_relay, tag
from tests.unit.buzz.relay import ANN, BEN, RELAY, US, channel
from threadline.core.bech32 import encode
from threadline.platforms.buzz.event import CHAT, EDIT, Event, Signer, digest

pytestmark = pytest.mark.langgraph
EVENTS = Path(__file__).resolve().parents[3] / "events" / "buzz"


def folder(root: Path, relay: NostrRelay, *let_in: Signer) -> Path:
    """Write what a person has who was given a key, and lets these people in."""
    state = root / ".threadline"
    state.mkdir(mode=0o700)
    people = [encode(bytes.fromhex(one.pubkey), "npub") for one in let_in]
    allow = json.dumps({"senders": people}) if people else "everyone"
    (root / "threadline.yaml").write_text(
        "platforms:\n"
        "  buzz:\n"
        f"    allow: {allow}\n"
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
        with serving(folder(tmp_path, relay, ANN), agent) as served:
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


def unguarded(text: str) -> Event:
    """Let Ann say what we would not sign."""
    event = said("")
    tags: list[Any] = [list(one) for one in event.tags]
    event_id = digest(ANN.pubkey, event.created_at, CHAT, tags, text)
    signature = PrivateKey(ANN._secret).sign_schnorr(bytes.fromhex(event_id), bytes(32)).hex()
    payload = {**event.payload, "id": event_id, "content": text, "sig": signature}
    return replace(event, id=event_id, content=text, payload=payload)


def test_a_bot_that_nobody_may_talk_to_says_so(tmp_path: Path) -> None:
    """Without any list nobody is let in, which is told at the start, and each message tells why."""
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        root = folder(tmp_path, relay, ANN)
        config = (root / "threadline.yaml").read_text().splitlines(keepends=True)
        (root / "threadline.yaml").write_text("".join(one for one in config if "allow" not in one))
        with serving(root) as served:
            served.says("Nobody may talk to buzz/default: name people in `allow` of buzz")
            served.says("buzz/default is connected")
            relay.publish(said("@bot let me in"), said("@bot and me", by=BEN))
            until(lambda: "".join(served.said).count("not_allowed") >= 2, served.said)
        assert ours(relay, CHAT) == []


def answered(relay: NostrRelay, text: str) -> dict[str, Any]:
    """Wait for an answer and give the post that it stands in."""

    def find() -> dict[str, Any] | None:
        posts = {post["id"]: post for post in ours(relay, CHAT)}
        for edit in ours(relay, EDIT):
            if edit["content"] == text:
                return posts.get(tag(edit, "e"))
        return next((post for post in posts.values() if post["content"] == text), None)

    found = until(find, lambda: [one["content"] for one in ours(relay, EDIT)], patience=90)
    assert found is not None
    return found


def test_two_people_never_share_a_post(tmp_path: Path, demo_server: AgentServer) -> None:
    """Asked at the same time in one channel, each gets a post of their own, and all its edits."""
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        agent = {"THREADLINE_AGENT_URL": demo_server.url}
        with serving(folder(tmp_path, relay, ANN, BEN), agent) as served:
            served.says("buzz/default is connected")
            questions = {
                "ann's words": said("@bot ann's words"),
                "ben's words": said("@bot ben's words", by=BEN),
            }
            relay.publish(*questions.values())
            posts = {text: answered(relay, f"You said: {text}") for text in questions}
            for text, who in (("ann's words", ANN), ("ben's words", BEN)):
                assert tag(posts[text], "p") == who.pubkey
                assert tag(posts[text], "e") == questions[text].id
            assert posts["ann's words"]["id"] != posts["ben's words"]["id"]
            for edit in ours(relay, EDIT):
                text = (
                    "ann's words" if tag(edit, "e") == posts["ann's words"]["id"] else "ben's words"
                )
                other = "ben's words" if text == "ann's words" else "ann's words"
                assert other not in edit["content"]
            assert not [
                edit for edit in ours(relay, EDIT) if [t for t in edit["tags"] if t[0] == "p"]
            ]


def test_a_growing_answer_is_edited_now_and_then(tmp_path: Path, demo_server: AgentServer) -> None:
    """Edits stay on the relay for ever: a post that grows word by word has one in 2.5 s at most."""
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        agent = {"THREADLINE_AGENT_URL": demo_server.url}
        with serving(folder(tmp_path, relay, ANN), agent) as served:
            served.says("buzz/default is connected")
            words = f"{'word ' * 300}the end"
            relay.publish(said(f"@bot {words}"))
            answered(relay, f"You said: {words}")
            *growing, last = ours(relay, EDIT)
            dated = [one["created_at"] for one in growing]
            assert len(growing) >= 2
            assert all(later - earlier >= 2 for earlier, later in pairwise(dated))
            assert last["created_at"] > dated[-1]


def test_a_direct_channel_is_one_conversation(tmp_path: Path, demo_server: AgentServer) -> None:
    """Nobody has to be mentioned there, and the answer stands below the question, in no thread."""
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("dm-1", "dm", at=now()))
        agent = {"THREADLINE_AGENT_URL": demo_server.url}
        with serving(folder(tmp_path, relay, ANN), agent) as served:
            served.says("buzz/default is connected")
            question = ANN.sign(now(), CHAT, (("h", "dm-1"),), "between us")
            relay.publish(question)
            post = answered(relay, "You said: between us")
            assert post["tags"] == [["h", "dm-1"], ["e", question.id], ["p", ANN.pubkey]]


def test_hidden_context_is_never_signed(tmp_path: Path, demo_server: AgentServer) -> None:
    """An agent that shows what it must not is not posted: nothing of it ever reaches the relay."""
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        agent = {"THREADLINE_AGENT_URL": demo_server.url}
        with serving(folder(tmp_path, relay, ANN), agent) as served:
            served.says("buzz/default is connected")
            relay.publish(unguarded("@bot <memory>the secret of all</memory>"))
            served.says("run_ended")
            relay.publish(said("@bot and now?", at=now() + 1))
            answered(relay, "You said: and now?")
            words = [one["content"] for kind in (CHAT, EDIT) for one in ours(relay, kind)]
            assert len(words) >= 3
            assert not [text for text in words if "secret of all" in text or "<memory>" in text]


def test_an_answer_outlasts_a_relay_that_is_gone(tmp_path: Path, demo_server: AgentServer) -> None:
    """Gone for 20 s in mid-answer: it, and that to what was asked meanwhile, stand there once."""
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        agent = {"THREADLINE_AGENT_URL": demo_server.url}
        with serving(folder(tmp_path, relay, ANN), agent) as served:
            served.says("buzz/default is connected")
            relay.publish(said("@bot are you there?"))
            until(lambda: ours(relay, CHAT))
            relay.shut()
            relay.publish(said("@bot and now?", at=now() + 1))
            time.sleep(20)
            relay.open()
            first = answered(relay, "You said: are you there?")
            second = answered(relay, "You said: and now?")
            assert first["id"] != second["id"]
            assert len(ours(relay, CHAT)) == 2
            assert served.interrupt() == 0


def test_a_recorded_message_is_replayed(tmp_path: Path, demo_server: AgentServer) -> None:
    """`threadline replay` hands a recording in as a connection would, follows it, and judges."""
    with nostr_relay(RELAY) as relay:
        relay.publish(channel("ch-1", at=now()))
        root = folder(tmp_path, relay)
        with serving(root, {"THREADLINE_AGENT_URL": demo_server.url}) as served:
            served.says("buzz/default is connected")
            done = command(root, "replay", str(EVENTS / "message.mention.json"))
            assert done.returncode == 0, done.stdout + done.stderr
            for step in ("buzz handed in: accepted", "run_ended", "Ended as expected."):
                assert step in done.stdout
            answered(relay, "You said: what changed in release 4.2?")
            own = command(root, "replay", str(EVENTS / "message.own.json"))
            assert own.returncode == 0, own.stdout
            assert "own_message" in own.stdout
