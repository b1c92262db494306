import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.buzz.relay import ANN, BEN, NOW, US, Talk, channel, says
from threadline.platforms.buzz.event import CHAT, Event
from threadline.platforms.buzz.frames import DISCOVERY

CHAT_1 = "buzz-chat-ch-1"


def current(talk: Talk) -> Talk:
    """Let what was stored be over."""
    talk.frame("EOSE", CHAT_1)
    return talk


def test_a_backlog_is_taken_in_the_order_of_writing() -> None:
    """Stored messages come newest first and are delivered oldest first, once all have come."""
    talk = Talk.listening("ch-1", saved=read_until(NOW - 100))
    for ago in (10, 20, 30):
        talk.event(CHAT_1, says(f"{ago} s ago", at=NOW - ago))
    assert talk.delivered == []
    assert saved_at(talk) == NOW - 100
    current(talk)
    assert talk.texts() == ["30 s ago", "20 s ago", "10 s ago"]
    assert saved_at(talk) == NOW - 10
    talk.event(CHAT_1, says("now"))
    assert talk.texts()[-1] == "now"


def test_a_backlog_cut_in_the_middle_is_asked_for_again() -> None:
    """A connection that breaks before the backlog is whole has moved nothing."""
    talk = Talk.listening("ch-1", saved=read_until(NOW - 100))
    talk.event(CHAT_1, says("newest", at=NOW - 10))
    again = Talk.listening("ch-1", saved=talk.saved, now=NOW + 5)
    for ago in (10, 90):
        again.event(CHAT_1, says(f"{ago}", at=NOW - ago))
    current(again)
    assert again.texts() == ["90", "10"]


def test_old_messages_are_not_answered_on_the_first_start() -> None:
    """A channel that was never read is heard from now on, whatever its relay hands out."""
    talk = Talk.listening("ch-1")
    talk.event(CHAT_1, says("long ago", at=NOW - 86_400))
    talk.event(CHAT_1, says("just now", at=NOW + 1))
    current(talk)
    assert talk.texts() == ["just now"]


def test_the_first_sight_of_a_channel_is_kept() -> None:
    """What is written while we are away is heard even if nothing was ever said before."""
    talk = Talk.listening("ch-1")
    again = Talk.listening("ch-1", saved=talk.saved, now=NOW + 500)
    again.event(CHAT_1, says("meanwhile", at=NOW + 100))
    current(again)
    assert again.texts() == ["meanwhile"]


def test_a_backlog_without_an_end_is_taken_after_a_silence() -> None:
    """Silence is no end: what may be missing is asked for, and only then is the message taken."""
    talk = Talk.listening("ch-1", saved=read_until(NOW - 100))
    talk.event(CHAT_1, says("hello"))
    assert talk.last.tick_at == NOW + 10
    assert talk.tick(9) == []
    closed, (_, again, wanted) = talk.tick(1)
    assert closed == ["CLOSE", CHAT_1]
    assert (wanted["since"], wanted["until"]) == (NOW - 100, NOW - 1)
    closed, (_, again, wanted) = talk.frame("EOSE", again)
    assert (wanted["since"], wanted["until"]) == (NOW, NOW)
    assert talk.texts() == []
    talk.event(again, says("hello"))
    talk.frame("EOSE", again)
    assert talk.texts() == ["hello"]


def test_a_new_channel_waits_for_its_kind() -> None:
    """A message of a channel of which nothing is known yet waits until it is said to be direct."""
    talk = Talk.listening()
    from tests.unit.buzz.relay import added

    talk.event("buzz-membership", added("ch-1"))
    talk.event(CHAT_1, says("hello"))
    current(talk)
    assert talk.delivered == []
    talk.event(DISCOVERY, channel("ch-1", "dm"))
    assert talk.delivered[0]["channel"] == {"name": "The ch-1", "direct": True}


def test_a_message_is_delivered_once() -> None:
    """The same event again is dropped, on this connection and after a restart."""
    talk = current(Talk.listening("ch-1"))
    event = says("once")
    talk.event(CHAT_1, event)
    talk.event(CHAT_1, event)
    again = Talk.listening("ch-1", saved=talk.saved, now=NOW + 5)
    again.event(CHAT_1, event)
    current(again)
    assert (talk.texts(), again.texts()) == (["once"], [])


def test_a_late_clock_is_not_skipped() -> None:
    """A message dated up to 15 minutes before the latest one is heard, also over a reconnection."""
    talk = current(Talk.listening("ch-1", saved=read_until(NOW - 9_000)))
    talk.event(CHAT_1, says("fast clock", at=NOW + 50))
    talk.event(CHAT_1, says("older, and new", at=NOW - 20))
    assert talk.texts() == ["fast clock", "older, and new"]
    again = Talk.open(talk.saved, NOW + 30)
    again.authenticate()
    (asked,) = again.event(DISCOVERY, channel("ch-1"))
    assert asked[2]["since"] == NOW + 50 - 900
    for one in (says("late clock", at=NOW - 700), says("fast clock", at=NOW + 50)):
        again.event(CHAT_1, one)
    assert current(again).texts() == ["late clock"]


@pytest.mark.parametrize(("ahead", "heard", "moves"), [(30, 1, 1), (300, 1, 0), (3600, 0, 0)])
def test_the_future(ahead: int, heard: int, moves: int) -> None:
    """A clock a minute ahead moves the mark, one further ahead does not, an hour is refused."""
    talk = current(Talk.listening("ch-1"))
    talk.event(CHAT_1, says("hello", at=NOW + ahead))
    assert len(talk.delivered) == heard
    assert saved_at(talk) == (NOW + ahead if moves else 0)
    assert ("from_the_future" in talk.codes()) is not bool(heard)


def test_our_own_words_are_not_heard() -> None:
    """What we wrote is not delivered."""
    talk = current(Talk.listening("ch-1"))
    talk.event(CHAT_1, says("me", by=US))
    assert talk.delivered == []


def test_a_message_of_another_channel_is_dropped() -> None:
    """What comes under a subscription must be of its channel."""
    talk = current(Talk.listening("ch-1", "ch-2"))
    talk.event(CHAT_1, says("elsewhere", name="ch-2"))
    talk.event(DISCOVERY, says("nowhere"))
    assert talk.delivered == []


def flipped(event: Event) -> dict[str, Any]:
    """Give the event with one bit of its signature changed."""
    signature = str(event.payload["sig"])
    last = "0" if signature[-1] != "0" else "1"
    return {**event.payload, "sig": signature[:-1] + last}


EVENT = says("hello")
OTHER = says("other", by=BEN)
FORGED: list[Any] = [
    {**EVENT.payload, "content": "other"},
    {**EVENT.payload, "pubkey": BEN.pubkey},
    flipped(EVENT),
    {name: value for name, value in EVENT.payload.items() if name != "sig"},
    {**EVENT.payload, "id": OTHER.id, "sig": OTHER.payload["sig"]},
    {**EVENT.payload, "created_at": str(EVENT.created_at)},
    {**EVENT.payload, "created_at": float(EVENT.created_at)},
    {**EVENT.payload, "kind": True},
    {**EVENT.payload, "tags": {}},
    {**EVENT.payload, "content": None},
    {**EVENT.payload, "content": "\ud800"},
    {**EVENT.payload, "id": EVENT.id.upper()},
    {**EVENT.payload, "sig": "zz"},
    {**EVENT.payload, "pubkey": "ab"},
    {}, [], None, "text", 1,
]  # fmt: skip


@pytest.mark.parametrize("payload", FORGED, ids=range(len(FORGED)))
def test_what_nobody_signed_is_refused(payload: object) -> None:
    """A forged or tampered event is not delivered and moves nothing."""
    talk = current(Talk.listening("ch-1"))
    before = dict(talk.saved)
    talk.frame("EVENT", CHAT_1, payload)
    assert talk.delivered == []
    assert talk.saved == before
    assert talk.codes()[-1] == "forged"


def test_a_tag_that_is_no_list_harms_nobody() -> None:
    """A signed event with a tag of another shape is read without that tag."""
    odd = replace_tags(says("hello"), [["h", "ch-1"], "odd", [1], [], ["e", 2]])
    talk = current(Talk.listening("ch-1"))
    talk.frame("EVENT", CHAT_1, odd)
    assert talk.texts() == ["hello"]


def test_what_is_not_signed_is_not_kept() -> None:
    """Words that somebody put beside the signed parts of an event are dropped."""
    talk = current(Talk.listening("ch-1"))
    talk.frame("EVENT", CHAT_1, {**says("hello").payload, "extra": "\ud800", "direct": True})
    assert sorted(talk.delivered[0]["event"]) == sorted(EVENT.payload)


@given(st.permutations(range(6)), st.integers(0, 6), st.booleans())
def test_any_order_and_any_break_loses_nothing(order: list[int], cut: int, eose: bool) -> None:
    """However a backlog is mixed and cut, reconnecting delivers all of it, in order of writing."""
    events = [says(f"{n}", at=NOW - 60 + n * 7) for n in range(6)]
    talk = Talk.listening("ch-1", saved=read_until(NOW - 100))
    for number in order[:cut]:
        talk.event(CHAT_1, events[number])
    if eose and cut == len(order):
        current(talk)
    again = Talk.listening("ch-1", saved=talk.saved, now=NOW + 5)
    for number in reversed(range(6)):
        again.event(CHAT_1, events[number])
    current(again)
    assert talk.texts() + again.texts() == [event.content for event in events]


@given(st.one_of(st.text(), st.binary(), st.lists(st.text() | st.integers()).map(json.dumps)))
def test_no_frame_raises(frame: str | bytes) -> None:
    """Whatever a relay sends, the session goes on."""
    talk = Talk.listening("ch-1")
    talk.take(talk.session.feed(frame, NOW))
    current(talk).event(CHAT_1, says("still here"))
    assert talk.texts() == ["still here"]


def read_until(at: float) -> dict[str, str]:
    """Give what is saved of a channel that was read until then."""
    return {"channel/ch-1": json.dumps([int(at), int(at), []])}


def saved_at(talk: Talk) -> int:
    """Give the time of the saved mark."""
    at: int = json.loads(talk.saved["channel/ch-1"])[1]
    return at


def replace_tags(event: Event, tags: list[Any]) -> dict[str, Any]:
    """Sign the event with these tags, whatever they are."""
    from coincurve import PrivateKey

    from threadline.platforms.buzz.event import digest

    event_id = digest(ANN.pubkey, event.created_at, CHAT, tags, event.content)
    signature = PrivateKey(ANN._secret).sign_schnorr(bytes.fromhex(event_id), bytes(32)).hex()
    payload = replace(event, id=event_id).payload
    return {**payload, "id": event_id, "tags": tags, "sig": signature}
