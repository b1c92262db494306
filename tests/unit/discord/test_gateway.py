"""The gateway's session by transcripts: what Discord sends, and what is sent and kept for it."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.contract.platforms.discord import TOKEN
from tests.unit.discord.sessions import NOW, Gateway, message, server
from threadline.core.socket import NEVER, Hearing

RESUMES_AT = "wss://gateway-us-east1-b.discord.gg/?v=10&encoding=json"


def test_a_first_connection_identifies() -> None:
    """After HELLO the bot says who it is and what it wants to hear, uncompressed."""
    gateway = Gateway()
    assert gateway.url == "wss://gateway.discord.gg/?v=10&encoding=json"
    assert gateway.sent == []
    gateway.hears(10, {"heartbeat_interval": 41_250})
    (identify,) = gateway.sent
    assert identify["op"] == 2
    assert identify["d"]["token"] == TOKEN
    assert identify["d"]["intents"] == 37_377
    assert identify["d"]["compress"] is False


def test_hearing_begins_when_the_bot_is_let_in() -> None:
    """Before READY nobody is heard; with READY the session is kept."""
    gateway = Gateway()
    before = gateway.session.hearing
    step = gateway.enters()
    assert (before, gateway.session.hearing) == (Hearing.OPENING, Hearing.HEARING)
    assert not step.gap
    assert gateway.cursor["session"] == "a-session"
    assert gateway.cursor["seq"] == "1"


def test_a_bot_in_no_server_is_deaf_and_says_so() -> None:
    """A connection over which nothing can come says what is to be done."""
    gateway = Gateway()
    gateway.hears(10, {"heartbeat_interval": 41_250})
    gateway.event("READY", {"session_id": "s", "user": {"id": "1"}, "guilds": []}, 1)
    assert (gateway.session.hearing, "invite" in gateway.session.why) == (Hearing.DEAF, True)
    gateway.event("GUILD_CREATE", server(), 2)
    assert (gateway.session.hearing, gateway.session.why) == (Hearing.HEARING, "")


def test_signs_of_life_keep_their_time() -> None:
    """The first heartbeat comes after a part of the interval, the others after all of it."""
    gateway = Gateway(random=0.5)
    gateway.enters(s=7)
    assert gateway.last.tick_at == pytest.approx(NOW + 20.625)
    gateway.waits(20.0)
    assert len(gateway.sent) == 1
    gateway.waits(0.7)
    assert gateway.sent[-1] == {"op": 1, "d": 7}
    assert gateway.last.tick_at == pytest.approx(NOW + 20.7 + 41.25)
    gateway.hears(11)
    gateway.waits(41.3)
    assert gateway.sent[-1] == {"op": 1, "d": 7}
    assert gateway.last.end is None


def test_a_heartbeat_may_be_asked_for() -> None:
    """Asked for a heartbeat, the session gives it at once."""
    gateway = Gateway()
    gateway.enters(s=3)
    gateway.hears(1)
    assert gateway.sent[-1] == {"op": 1, "d": 3}


def test_an_unanswered_heartbeat_ends_the_connection() -> None:
    """Without an answer the connection is dead: it is left so that the session can go on."""
    gateway = Gateway()
    gateway.enters()
    gateway.waits(21.0)
    gateway.waits(42.0)
    assert gateway.last.end is not None
    assert gateway.last.end.code not in {1000, 1001}
    assert gateway.cursor["session"] == "a-session"


def test_silence_at_the_door_ends_the_connection() -> None:
    """Discord must say hello, and let the bot in, within half a minute each."""
    gateway = Gateway()
    assert gateway.waits(30.0).end is not None
    gateway = Gateway()
    gateway.waits(20.0)
    gateway.hears(10, {"heartbeat_interval": 60_000})
    assert gateway.waits(29.0).end is None
    assert gateway.waits(1.1).end is not None


def test_a_session_is_gone_on_with() -> None:
    """A new connection resumes where the kept sequence stands, at the address that READY told."""
    gateway = Gateway()
    gateway.enters()
    for number in range(2, 6):
        gateway.event("MESSAGE_CREATE", message(f"155095234969600001{number}"), number)
    gateway.closes(4000)
    second = gateway.again()
    assert second.url == RESUMES_AT
    second.hears(10, {"heartbeat_interval": 41_250})
    assert second.sent == [
        {"op": 6, "d": {"token": TOKEN, "session_id": "a-session", "seq": 5}}
    ]  # fmt: skip
    second.event("MESSAGE_CREATE", message("1550952349696000002"), 6)
    step = second.event("RESUMED", {}, 7)
    assert [one["d"]["id"] for one in second.deliveries] == ["1550952349696000002"]
    assert second.session.hearing is Hearing.HEARING
    assert not step.gap


def test_a_sequence_is_kept_with_its_message() -> None:
    """The sequence number of a message is kept by the very step that delivers it."""
    gateway = Gateway()
    gateway.enters()
    step = gateway.event("MESSAGE_CREATE", message("1550952349696000001"), 9)
    assert len(step.deliveries) == 1
    assert step.save["seq"] == "9"


def test_the_same_message_comes_as_the_same_delivery() -> None:
    """A message that a resumed session tells again is parsed to the same ids."""
    first, again = Gateway(), Gateway()
    for gateway, number in ((first, 2), (again, 8)):
        gateway.enters()
        gateway.event("MESSAGE_CREATE", message("1550952349696000001"), number)
    assert first.deliveries == again.deliveries


@pytest.mark.parametrize("resumable", [True, False])
def test_an_invalid_session_waits_and_begins_anew(resumable: bool) -> None:
    """INVALID_SESSION is waited out for one to five seconds; its session is forgotten or kept."""
    gateway = Gateway()
    gateway.enters()
    step = gateway.hears(9, resumable)
    assert step.end is not None
    assert 1.0 <= step.end.wait <= 5.0
    assert ("session" in gateway.cursor) == resumable


def test_asked_to_reconnect_the_session_goes_on() -> None:
    """RECONNECT leaves with a code that keeps the session."""
    gateway = Gateway()
    gateway.enters()
    step = gateway.hears(7)
    assert step.end is not None
    assert (step.end.code, step.end.refused) == (4000, False)
    assert gateway.again().sent == []
    assert gateway.cursor["session"] == "a-session"


def test_a_long_silence_begins_a_session_anew() -> None:
    """A session that nobody heard for five minutes is not asked for any more."""
    gateway = Gateway()
    gateway.enters()
    gateway.now += 301.0
    second = gateway.again()
    assert second.url.startswith("wss://gateway.discord.gg/")
    assert second.enters().gap


def test_a_gap_begins_before_the_last_sign_of_life() -> None:
    """What is to be made up for is kept until it is, also over the next connections."""
    gateway = Gateway()
    gateway.enters()
    gateway.closes(4009)
    gateway.now += 300.0
    second = gateway.again()
    second.enters()
    began = second.cursor["gap"]
    assert (int(began) >> 22) / 1000 + 1_420_070_400 == pytest.approx(NOW - 60.0)
    second.closes(1006)
    third = second.again()
    third.hears(10, {"heartbeat_interval": 41_250})
    assert third.event("RESUMED", {}, 2).gap
    assert third.cursor["gap"] == began


def test_the_beginning_of_a_session_is_kept() -> None:
    """When a session was begun is kept, so that the next one is not begun too soon after it."""
    gateway = Gateway()
    gateway.hears(10, {"heartbeat_interval": 41_250})
    assert gateway.cursor["begun"] == str(int(NOW))


def test_a_second_greeting_changes_nothing_but_the_pace() -> None:
    """Whoever is greeted twice says once who it is: Discord ends a session that does it again."""
    gateway = Gateway()
    gateway.enters()
    gateway.hears(10, {"heartbeat_interval": 5_000})
    assert [one["op"] for one in gateway.sent] == [2]
    gateway.waits(20.7)
    gateway.hears(11)
    assert gateway.last.tick_at == pytest.approx(gateway.now + 5.0)


def test_events_that_are_missing_are_made_up_for() -> None:
    """Where sequence numbers are left out, what was said is asked for, and that is kept in mind."""
    gateway = Gateway()
    gateway.enters(s=1)
    assert not gateway.event("MESSAGE_CREATE", message("1550952349696000001"), 2).gap
    step = gateway.event("MESSAGE_CREATE", message("1550952349696000003"), 4)
    assert step.gap
    assert [note.code for note in step.notes] == ["events_missing"]
    assert (int(gateway.cursor["gap"]) >> 22) / 1000 + 1_420_070_400 == pytest.approx(NOW - 60)
    assert not gateway.event("MESSAGE_CREATE", message("1550952349696000004"), 5).gap


def test_a_frame_that_cannot_be_read_may_have_been_a_message() -> None:
    """What came with it is asked for at once, and its connection goes on."""
    gateway = Gateway()
    gateway.enters(s=1)
    step = gateway.does(gateway.session.feed('{"op": 0, "t": "MESSAGE_CR', NOW))
    assert step.gap
    assert gateway.cursor["gap"]
    assert step.end is None


def test_a_clock_that_was_ahead_hides_no_gap() -> None:
    """Heard in what is now the future, a session still asks for what was said of late."""
    gateway = Gateway()
    gateway.enters()
    gateway.closes(4009)
    gateway.now -= 3600.0
    second = gateway.again()
    second.enters()
    assert (int(second.cursor["gap"]) >> 22) / 1000 + 1_420_070_400 <= second.now - 59.0


def test_what_comes_again_is_not_heard_up_to_now() -> None:
    """A connection that breaks among missed events leaves the time until which all was heard."""
    gateway = Gateway()
    gateway.enters(s=1)
    gateway.closes(1006)
    second = gateway.again()
    second.now += 200.0
    second.hears(10, {"heartbeat_interval": 41_250})
    second.event("MESSAGE_CREATE", message("1550952349696000001"), 2)
    second.closes(4009)
    third = second.again()
    third.enters()
    assert (int(third.cursor["gap"]) >> 22) / 1000 + 1_420_070_400 == pytest.approx(NOW - 60.0)


def test_a_gap_among_what_comes_again_reaches_back() -> None:
    """What is missing there was said before this connection, however long ago that was."""
    gateway = Gateway()
    gateway.enters(s=1)
    gateway.closes(1006)
    second = gateway.again()
    second.now += 200.0
    second.hears(10, {"heartbeat_interval": 41_250})
    second.event("MESSAGE_CREATE", message("1550952349696000001"), 3)
    assert second.event("RESUMED", {}, 4).gap
    assert (int(second.cursor["gap"]) >> 22) / 1000 + 1_420_070_400 == pytest.approx(NOW - 60.0)


def test_many_missing_events_are_asked_for_now_and_then() -> None:
    """A gateway that leaves out events again and again is not asked over HTTP each time."""
    gateway = Gateway()
    gateway.enters(s=1)
    asked = [gateway.event("TYPING_START", {}, number).gap for number in range(3, 60, 2)]
    assert asked == [True] + [False] * 28
    assert gateway.cursor["gap"]
    assert gateway.last.tick_at <= NOW + 600
    gateway.hears(11)
    gateway.now += 600.0
    gateway.hears(11)
    assert gateway.last.gap


def test_missing_events_survive_a_crash() -> None:
    """What could not be asked for before the connection ended is asked for by the next one."""
    gateway = Gateway()
    gateway.enters(s=1)
    gateway.event("TYPING_START", {}, 3)
    gateway.keep({"gap": ""})
    gateway.event("TYPING_START", {}, 5)
    gateway.closes(1006)
    second = gateway.again()
    second.hears(10, {"heartbeat_interval": 41_250})
    assert second.event("RESUMED", {}, 6).gap


def test_a_session_that_begins_unasked_counts_anew() -> None:
    """Where Discord answers RESUME with READY, its sequence numbers begin again."""
    gateway = Gateway()
    gateway.enters(s=1)
    for number in range(2, 30):
        gateway.event("TYPING_START", {}, number)
    gateway.closes(1006)
    second = gateway.again()
    step = second.enters(s=1)
    assert step.gap
    assert second.cursor["seq"] == "1"


def test_events_that_come_again_give_each_other_time() -> None:
    """A long repetition is not taken for silence."""
    gateway = Gateway()
    gateway.enters()
    gateway.closes(1006)
    second = gateway.again()
    second.hears(10, {"heartbeat_interval": 600_000})
    for number in range(4):
        second.now += 20.0
        second.event("MESSAGE_CREATE", message(f"155095234969600001{number}"), 2 + number)
        assert second.waits(0.1).end is None
    second.event("RESUMED", {}, 9)
    assert second.waits(100.0).end is None


def test_a_first_start_makes_up_for_nothing() -> None:
    """Where the bot was never heard before, old questions stay unanswered."""
    assert not Gateway().enters().gap


def test_own_messages_are_not_handed_on() -> None:
    """What the bot itself wrote leads to no delivery, but counts."""
    gateway = Gateway()
    gateway.enters()
    own = message("1550952349696000001") | {"author": {"id": "1180000000000000101", "bot": True}}
    step = gateway.event("MESSAGE_CREATE", own, 4)
    assert step.deliveries == ()
    assert gateway.cursor["seq"] == "4"


FRAMES = st.one_of(
    st.text(max_size=80),
    st.binary(max_size=80),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.dictionaries(
                st.sampled_from(["op", "d", "t", "s", "id", "guilds", "threads", "session_id"]),
                inner,
                max_size=5,
            )
            | st.lists(inner, max_size=3)
        ),
        max_leaves=10,
    ).map(json.dumps),
)


@example(['{"op":0}'])
@example(['{"op":0,"t":"READY","d":{}}'])
@given(st.lists(FRAMES, max_size=6))
def test_no_frame_breaks_a_session(frames: list[Any]) -> None:
    """Whatever comes is a step, and the next tick is always known."""
    gateway = Gateway()
    for frame in frames:
        step = gateway.does(gateway.session.feed(frame, gateway.now))
        assert step.end is not None or step.tick_at < NEVER
