"""A relay that means ill, or is broken: nothing is lost by it, and nothing grows."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.buzz.paper_relay import PaperRelay, catch_up, meet, opening
from tests.unit.buzz.relay import ANN, BEN, NOW, RELAY, US, Talk, added, channel, removed, says
from threadline.core.socket import Hearing
from threadline.platforms.buzz.event import CHANNEL
from threadline.platforms.buzz.frames import DISCOVERY, MEMBERSHIP

CHAT_1 = "buzz-chat-ch-1"
READ = {"channel/ch-1": json.dumps([int(NOW) - 1_000, int(NOW) - 100, []])}


def size(talk: Talk) -> int:
    """Measure how much the session keeps."""
    return len(repr(talk.session))


def test_challenges_without_end_end_the_connection() -> None:
    """A relay that challenges again and again is answered 100 times, and left for a minute."""
    talk = Talk.open()
    for number in range(100):
        (proof, *_) = talk.frame("AUTH", f"c{number}")
        talk.frame("OK", proof[1]["id"], True)
        assert talk.last.end is None
    assert talk.frame("AUTH", "one more") == []
    end = talk.last.end
    assert end is not None
    assert (end.refused, end.wait) == (False, 60.0)


def test_a_challenge_that_is_too_long_is_not_signed() -> None:
    """Nobody is made to sign, and send back, a novel."""
    talk = Talk.open()
    assert talk.frame("AUTH", "c" * 100_000) == []
    assert talk.codes() == ["challenge_too_long"]
    talk.authenticate()
    talk.event(DISCOVERY, channel("ch-1"))
    talk.frame("EOSE", DISCOVERY)
    assert talk.session.hearing is Hearing.HEARING


def test_verdicts_on_what_was_never_handed_in_are_nothing() -> None:
    """OK comes twice, for other events, or late: only the one for the proof lets us in."""
    talk = Talk.open()
    first = talk.frame("AUTH", "c1")[0][1]["id"]
    for event in ("0" * 64, first[:-1], first.upper(), ""):
        talk.frame("OK", event, True, "")
        talk.frame("OK", event, False, "restricted: no")
    assert talk.last.end is None
    for _ in range(3):
        talk.frame("OK", first, True, "")
    talk.frame("OK", first, False, "restricted: after all not")
    assert talk.last.end is None


@pytest.mark.parametrize("subscription", [DISCOVERY, MEMBERSHIP, CHAT_1, "buzz-chat-ch-9", "x"])
def test_a_storm_of_closings_is_answered_three_times(subscription: str) -> None:
    """However often a subscription is closed, it is asked for three times more, and no further."""
    talk = Talk.listening("ch-1")
    asked = 0
    for _ in range(300):
        asked += len(talk.frame("CLOSED", subscription, "error: hiccup"))
        asked += len(talk.tick(3))
    assert asked == (3 if subscription in {DISCOVERY, MEMBERSHIP, CHAT_1} else 0)


def test_ends_in_any_order_deliver_nothing_twice() -> None:
    """Ends before, between, after and instead of what they end change neither order nor count."""
    talk = Talk.open(READ)
    for _ in range(3):
        talk.frame("EOSE", CHAT_1)
        talk.frame("EOSE", DISCOVERY)
    talk.authenticate()
    talk.frame("EOSE", CHAT_1)
    talk.event(DISCOVERY, channel("ch-1"))
    talk.event(CHAT_1, says("second", at=NOW - 10))
    talk.event(CHAT_1, says("first", at=NOW - 20))
    for subscription in (DISCOVERY, CHAT_1, CHAT_1, MEMBERSHIP, DISCOVERY, CHAT_1):
        talk.frame("EOSE", subscription)
    assert talk.texts() == ["first", "second"]


def test_noise_keeps_nothing() -> None:
    """Notices, unknown words and old events under any name leave the session as large as it was."""
    talk = Talk.listening("ch-1")
    talk.frame("EOSE", CHAT_1)
    before, old = size(talk), says("old", at=NOW - 90_000)
    for number in range(400):
        talk.frame("NOTICE", "rate-limited: slow down" * 50)
        talk.frame("WHATEVER", number, {"a": [number]})
        talk.frame("COUNT", f"{number}", {"count": number})
        talk.event(f"buzz-chat-{number}", old)
        talk.event(CHAT_1, old)
        talk.event(f"{CHAT_1}~{number % 120}", old)
    assert talk.delivered == []
    assert size(talk) <= before + 200


def test_channels_without_end_push_none_out() -> None:
    """Descriptions of thousands of channels are bounded, and the first ones stay listened to."""
    talk = Talk.listening("dm-1", "ch-1")
    talk.event(DISCOVERY, channel("dm-1", "dm", NOW + 1))
    for number in range(1_500):
        talk.event(DISCOVERY, channel(f"noise-{number}"))
        talk.frame("EOSE", f"buzz-chat-noise-{number}")
    state = talk.session.state  # type: ignore[attr-defined]
    assert (len(state.channels), len(state.chats)) == (512, 256)
    assert len(talk.saved) <= 512
    talk.event("buzz-chat-dm-1", says("still here", "dm-1", tags=(), at=NOW + 2))
    talk.frame("EOSE", "buzz-chat-dm-1")
    assert talk.delivered[-1]["channel"] == {"name": "The dm-1", "direct": True}


def test_coming_and_going_without_end_is_bounded() -> None:
    """Added and removed a thousand times, of as many channels, the session stays small."""
    talk = Talk.listening("ch-1")
    for number in range(1_200):
        talk.event(MEMBERSHIP, added(f"ch-{number % 700}", NOW + number // 10))
        talk.event(MEMBERSHIP, removed(f"ch-{number % 700}", NOW + number // 10 + 1))
        talk.frame("CLOSED", f"buzz-chat-ch-{number % 700}", "error: x")
    state = talk.session.state  # type: ignore[attr-defined]
    kept = [state.memberships, state.marks, state.tries, state.reopen, state.channels]
    assert max(len(one) for one in kept) <= 513


def test_a_description_from_the_future_does_not_stay_for_ever() -> None:
    """Who dates a description ahead cannot keep the next one from counting."""
    talk = Talk.listening("ch-1")
    talk.event(DISCOVERY, channel("ch-1", "dm", NOW + 10**6))
    talk.event(DISCOVERY, channel("ch-1", "dm", NOW + 800))
    talk.now += 5
    talk.event(DISCOVERY, channel("ch-1", "stream", NOW + 5))
    talk.event(CHAT_1, says("hello"))
    talk.frame("EOSE", CHAT_1)
    assert talk.delivered[0]["channel"]["direct"] is False


def test_an_old_description_does_not_undo_a_newer_one() -> None:
    """Replayed, a description of before makes no channel direct again."""
    talk = Talk.listening("ch-1")
    talk.event(DISCOVERY, channel("ch-1", "dm", NOW - 500))
    talk.event(CHAT_1, says("hello"))
    talk.frame("EOSE", CHAT_1)
    assert talk.delivered[0]["channel"]["direct"] is False


def test_memberships_from_the_future_are_refused() -> None:
    """A removal dated ahead does not keep the bot out of a channel."""
    talk = Talk.listening("ch-1")
    assert talk.event(MEMBERSHIP, removed("ch-1", NOW + 10**6)) == []
    assert talk.event(MEMBERSHIP, removed("ch-1", NOW)) == [["CLOSE", CHAT_1]]


@pytest.mark.parametrize("by", [ANN, BEN, US])
def test_a_forged_description_changes_nothing(by: Any) -> None:
    """With the relay's key known, nobody else opens, closes or renames a channel."""
    talk = Talk.open(relay_key=RELAY.pubkey)
    talk.authenticate()
    talk.event(DISCOVERY, channel("ch-1"))
    before = talk.session.state  # type: ignore[attr-defined]
    for subscription in (DISCOVERY, MEMBERSHIP, CHAT_1, "x"):
        assert talk.event(subscription, channel("ch-1", "dm", by=by, at=NOW + 9)) == []
        assert talk.event(subscription, channel("other", by=by)) == []
        for kind in (44100, 44101):
            tags = (("p", US.pubkey), ("h", "ch-1"))
            assert talk.event(subscription, by.sign(int(NOW), kind, tags)) == []
    assert talk.session.state == before  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "tags",
    [
        (), (("d", ""),), (("d", "x" * 52),), (("h", "ch-1"),), (("d",),), (("t", "dm"),),
        (("d", "ch\x00\x1b[2J"), ("name", "n"), ("t", "dm")),
    ],
)  # fmt: skip
def test_descriptions_of_nothing_open_nothing_twice(tags: Any) -> None:
    """A description without a sound name opens no channel that cannot be told from another."""
    talk = Talk.listening()
    out = talk.event(DISCOVERY, RELAY.sign(int(NOW), CHANNEL, tags))
    assert [frame[1] for frame in out] == [f"buzz-chat-{tag[1]}" for tag in tags[:1] if out]
    assert all(code.isprintable() for pair in talk.noted for code in pair)


def test_deep_and_wide_events_are_refused_in_no_time() -> None:
    """Nested, huge and odd payloads are forged, whatever they claim, and never an error."""
    talk = Talk.listening("ch-1")
    event = says("hello").payload
    odd: list[Any] = [[], {}, 1, 1.5, None, True, "x" * 100_000, [[["e"]] * 50] * 50]
    for name in event:
        for value in odd:
            talk.frame("EVENT", CHAT_1, {**event, name: value})
    deep = '["EVENT","' + CHAT_1 + '",{"tags":' + "[" * 50_000 + "]" * 50_000 + "}]"
    talk.take(talk.session.feed(deep, NOW))
    talk.frame("EOSE", CHAT_1)
    assert talk.delivered == []
    assert set(talk.codes()) <= {"channels", "forged", "unreadable_frame"}


TIMES = st.integers(int(NOW) - 900, int(NOW) + 60)
WORDS = st.sampled_from(
    ["eose", "again", "closed", "closed fast", "auth", "ok", "notice", "forged", "tick", "meta",
     "added", "junk"]
)  # fmt: skip


@given(st.lists(st.tuples(WORDS, st.integers(0, 400)), max_size=30), st.lists(TIMES, max_size=12))
@settings(max_examples=120)
def test_whatever_a_relay_does_in_between_all_arrives_once(
    mischief: list[tuple[str, int]], times: list[int]
) -> None:
    """Mischief between any two frames loses no message for good, and repeats none."""
    events = [says(f"{n}", at=at) for n, at in enumerate(times)]
    relay = PaperRelay([channel("ch-1", at=NOW), *events])
    meeting = meet(relay, READ, NOW)
    waiting = [answer for one in opening(meeting) for answer in relay.answer(one)]
    for word, number in mischief:
        heard, waiting = waiting[: number // 100], waiting[number // 100 :]
        for frame in heard:
            waiting += [one for out in meeting.talk.frame(*frame) for one in relay.answer(out)]
        waiting += [
            one for out in misbehave(meeting.talk, word, number) for one in relay.answer(out)
        ]
        if meeting.talk.last.end:
            break
    again = catch_up(relay, meeting.talk.saved, NOW + 1)
    again.wait()
    got = [*meeting.talk.texts(), *again.talk.texts()]
    assert sorted(got, key=int) == [event.content for event in events]


def misbehave(talk: Talk, word: str, number: int) -> list[list[Any]]:
    """Let the relay do something that it should not do now."""
    subscription = (DISCOVERY, MEMBERSHIP, CHAT_1, f"{CHAT_1}~1")[number % 4]
    elsewhere, other = "buzz-chat-ch-7", f"ch-{2 + number % 3}"
    words: dict[str, Callable[[], list[list[Any]]]] = {
        "eose": lambda: talk.frame("EOSE", elsewhere),
        "again": lambda: talk.event(elsewhere, says("elsewhere", "ch-7")),
        "closed": lambda: talk.frame("CLOSED", elsewhere, "error: x"),
        "closed fast": lambda: talk.frame("CLOSED", subscription, "rate-limited: retry in 1s"),
        "auth": lambda: talk.frame("AUTH", f"c{number}"),
        "ok": lambda: talk.frame("OK", "0" * 64, True),
        "notice": lambda: talk.frame("NOTICE", "hello"),
        "forged": lambda: talk.frame("EVENT", subscription, {**says("x").payload, "content": "y"}),
        "tick": lambda: talk.tick(number % 3),
        "meta": lambda: talk.event(DISCOVERY, channel(other)),
        "added": lambda: talk.event(MEMBERSHIP, added(other)),
        "junk": lambda: talk.take(talk.session.feed("junk", talk.now)),
    }
    return words[word]()
