import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from long_running.sockets.session import SessionSocket
from long_running.sockets.state import Phase
from tests.pipeline.buzz.people import Listener, connected, now, said, until
from tests.stubs.nostr_relay import NostrRelay, nostr_relay, tag
from tests.unit.buzz.relay import ANN, BEN, RELAY, US, added, channel, credentials, removed
from threadline.backends.clock import SystemClock
from threadline.backends.driving import drive
from threadline.backends.frames_out import FramesOut
from threadline.core.http import Flow
from threadline.core.ids import AppName
from threadline.core.policy import Policy, guarded
from threadline.core.posting import Destination, Draft, Receipt
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.event import CHAT, EDIT


@pytest.fixture
def relay() -> Iterator[NostrRelay]:
    """Run a relay with one channel."""
    with nostr_relay(RELAY) as running:
        running.publish(channel("ch-1", at=now()))
        yield running


@contextmanager
def listening(listener: Listener) -> Iterator[SessionSocket]:
    """Hold the socket for as long as the block lasts."""
    socket = listener.socket()
    socket.start()
    try:
        yield connected(socket)
    finally:
        assert socket.stop()


def test_a_message_arrives_and_old_ones_do_not(relay: NostrRelay) -> None:
    """After the proof a new message comes; what was said before the first start does not."""
    relay.publish(said("long ago", at=now() - 3600))
    listener = Listener(relay)
    with listening(listener):
        relay.publish(said("hello"))
        until(lambda: listener.texts() == ["hello"], listener.texts)
    assert listener.bodies[0]["channel"] == {"name": "The ch-1", "direct": False}


def test_a_relay_that_was_gone_gives_what_it_kept(relay: NostrRelay) -> None:
    """Gone for 20 s: what was said meanwhile arrives once, and in the order of writing."""
    listener = Listener(relay)
    with listening(listener) as socket:
        relay.publish(said("before"))
        until(lambda: listener.texts() == ["before"], listener.texts)
        relay.shut()
        until(lambda: socket.state.phase is Phase.BACKING_OFF, socket.state)
        start = now()
        for number in range(5):
            relay.publish(said(f"{number}", at=start + number))
        time.sleep(20)
        relay.open()
        until(lambda: len(listener.texts()) >= 6, listener.texts)
        connected(socket)
        relay.publish(said("after", at=now() + 1))
        until(lambda: "after" in listener.texts(), listener.texts)
    assert listener.texts() == ["before", "0", "1", "2", "3", "4", "after"]


def test_a_backlog_of_thousands_arrives_once_and_in_order(relay: NostrRelay) -> None:
    """2,200 missed messages arrive page by page; a host that dies in between repeats none of it."""
    listener = Listener(relay)
    with listening(listener):
        until(lambda: "channel/ch-1" in listener.cursor)
    start = now() - 2_300
    listener.cursor["channel/ch-1"] = json.dumps([start, start, []])
    relay.publish(*(said(f"{n}", at=start + 1 + n) for n in range(2_200)))
    with listening(listener):
        until(lambda: len(listener.bodies) >= 700, lambda: len(listener.bodies))
        kept = dict(listener.cursor)  # what follows is not saved: the host dies here
    place = json.loads(kept["channel/ch-1"])[1]
    saved = [text for text in listener.texts() if start + 1 + int(text) <= place]
    again = Listener(relay, cursor=kept)
    with listening(again):
        until(lambda: len(saved) + len(again.bodies) >= 2_200, lambda: len(again.bodies))
        time.sleep(0.5)
    together = [*saved, *again.texts()]
    assert together == [f"{n}" for n in range(2_200)]


def test_what_is_not_kept_is_given_again(relay: NostrRelay) -> None:
    """While the mailbox takes nothing the cursor stands still; nothing is lost or repeated."""
    listener = Listener(relay, refuse=2)
    with listening(listener) as socket:
        relay.publish(said("one"))
        until(lambda: "no messages" in socket.state.why or listener.texts(), socket.state)
        relay.publish(said("two", at=now() + 1))
        until(lambda: listener.texts() == ["one", "two"], listener.texts)
    again = Listener(relay, cursor=listener.cursor)
    with listening(again):
        relay.publish(said("three", at=now() + 2))
        until(lambda: again.texts() == ["three"], again.texts)


def test_channels_come_and_go(relay: NostrRelay) -> None:
    """Added to a channel its messages come, a direct one is known as such; removed they stop."""
    listener = Listener(relay)
    with listening(listener):
        relay.publish(channel("dm-1", "dm", at=now()), added("dm-1", now()))
        relay.publish(said("psst", "dm-1"))
        until(lambda: listener.texts() == ["psst"], listener.texts)
        assert listener.bodies[0]["channel"]["direct"] is True
        until(lambda: "channel/dm-1" in listener.cursor)
        relay.publish(removed("dm-1", now() + 1))
        until(lambda: listener.cursor["channel/dm-1"] == "", listener.cursor)
        relay.publish(said("gone", "dm-1", at=now() + 1))
        relay.publish(said("still here", at=now() + 1))
        until(lambda: "still here" in listener.texts(), listener.texts)
    assert "gone" not in listener.texts()


def test_an_answer_is_posted_once_and_edited(relay: NostrRelay) -> None:
    """A post stands once however often it is sent; its edits name it and end with the last text."""
    question = said("question")
    relay.publish(question)
    to = Destination(
        PLATFORM.name, AppName("default"), "relay", "ch-1", anchor=question.id,
        facts={"author": ANN.pubkey},
    )  # fmt: skip
    using, out = credentials(url=relay.url), FramesOut(time.time)
    at = float(now())

    def run(flow: Flow[Receipt]) -> Receipt:
        return drive(guarded(flow, Policy(base_urls=(relay.url,))), out.perform, SystemClock())

    try:
        posts = [run(PLATFORM.post(Draft("Working…", at=at), to, using, "part")) for _ in range(3)]
        growing = Draft("Hel", {"growing": "1"}, at + 3)
        run(PLATFORM.edit(growing, posts[0], to, using))
        relay.shut()
        relay.open()
        run(PLATFORM.edit(Draft("Hello.", at=at + 3), posts[0], to, using))
    finally:
        out.close()
    (post,) = relay.stored(kinds=[CHAT], authors=[US.pubkey])
    assert {one.id for one in posts} == {post["id"]}
    reply = ["e", question.id, "", "reply"]
    assert post["tags"] == [["h", "ch-1"], reply, ["p", ANN.pubkey]]
    edits = relay.stored(kinds=[EDIT], authors=[US.pubkey])
    assert [one["content"] for one in edits] == ["Hel", "Hello."]
    assert {tag(one, "e") for one in edits} == {post["id"]}


def test_a_tampered_event_is_refused(relay: NostrRelay) -> None:
    """The relay itself refuses what we would refuse, too: both read signatures alike."""
    good = said("good", by=BEN)
    forged = replace(good, payload={**good.payload, "content": "bad"})
    with pytest.raises(AssertionError):
        relay.publish(forged)
    relay.publish(good)
