import json
from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.buzz.paper_relay import PaperRelay, catch_up, meet, opening
from tests.unit.buzz.relay import NOW, US, channel, says
from threadline.platforms.buzz.backlog import MOST_BYTES, PAGE
from threadline.platforms.buzz.event import Event

AT_ONCE: Final = 4
READ: Final = {"channel/ch-1": json.dumps([int(NOW), int(NOW), []])}
LATER: Final = NOW + 500_000


def written(times: Sequence[float], name: str = "ch-1", text: str = "") -> list[Event]:
    """Write a message at each of these times."""
    return [says(f"{text}{number}", name, at) for number, at in enumerate(times)]


def in_order(events: Sequence[Event]) -> list[str]:
    """Give the texts in the order in which they were written."""
    return [one.content for one in sorted(events, key=lambda one: (one.created_at, one.id))]


SPARSE: Final = written([NOW + 10 + 7 * n for n in range(700)])
DENSE: Final = written([NOW + 10 + n // 30 for n in range(700)])
BURSTS: Final = written([NOW + 10 + 40 * (n // 60) for n in range(700)])
POOLS: Final = {"sparse": SPARSE, "dense": DENSE, "bursts": BURSTS}


@pytest.mark.parametrize("cap", [130, 2_000])
def test_thousands_arrive_whole_and_in_order(cap: int) -> None:
    """2,600 missed messages arrive once, oldest first, whatever the relay hands out at most."""
    events = written([NOW + 10 + n // 3 + 40 * (n // 900) for n in range(2_600)])
    relay = PaperRelay([channel("ch-1", at=NOW), *events], cap=cap)
    meeting = catch_up(relay, READ, LATER)
    assert meeting.talk.texts() == in_order(events)
    assert meeting.most_held <= 2 * PAGE
    assert meeting.most_at_once <= PAGE
    assert all(wanted["limit"] == PAGE for wanted in relay.asked)
    assert "backlog_cut" not in meeting.talk.codes()
    meeting.hear(says("now", at=LATER))
    assert meeting.talk.texts()[-1] == "now"


def test_a_place_moves_with_each_page() -> None:
    """What is saved with a page is the place of its last message, never of one still ahead."""
    relay = PaperRelay([channel("ch-1", at=NOW), *SPARSE])
    meeting = catch_up(relay, READ, LATER)
    pages = [(step.deliveries, step.save) for step in meeting.steps if step.deliveries]
    assert len(pages) >= len(SPARSE) // PAGE
    for deliveries, save in pages:
        last = json.loads(deliveries[-1])["event"]["created_at"]
        assert json.loads(save["channel/ch-1"])[1] == last
    assert not [step for step in meeting.steps if step.save and not step.deliveries]


def test_two_channels_do_not_wait_for_a_long_one() -> None:
    """Pages are asked for in turn, four at a time: a channel with little is heard soon."""
    names = [f"ch-{n}" for n in range(12)]
    little = [says(f"in {name}", name, NOW + 50) for name in names[1:]]
    saved = {f"channel/{name}": READ["channel/ch-1"] for name in names}
    much = written([NOW + 10 + n for n in range(900)], "ch-0")
    relay = PaperRelay([*(channel(name, at=NOW) for name in names), *little, *much])
    meeting = catch_up(relay, saved, LATER)
    texts = meeting.talk.texts()
    assert meeting.most_asked == AT_ONCE
    assert sorted(texts) == sorted(one.content for one in [*little, *much])
    assert texts.index("in ch-11") < texts.index("0")
    assert [text for text in texts if text.isdecimal()] == in_order(much)


def test_what_is_said_while_reading_comes_afterwards() -> None:
    """Messages that are written while a backlog is read arrive behind it, once."""
    relay = PaperRelay([channel("ch-1", at=NOW), *SPARSE])
    meeting = meet(relay, READ, LATER)
    meeting.go_on(opening(meeting), most=1_000)
    assert 0 < len(meeting.talk.texts()) < len(SPARSE)
    new = written([LATER, LATER + 1], text="new ")
    meeting.hear(*new)
    meeting.wait()
    assert meeting.talk.texts() == [*in_order(SPARSE), *in_order(new)]


@pytest.mark.parametrize("buffer", [1, 30, 120, 199, 200])
def test_a_page_that_stops_in_the_middle_is_not_the_end(buffer: int) -> None:
    """Where the relay drops the rest of a page and its end, the rest is asked for."""
    relay = PaperRelay([channel("ch-1", at=NOW), *SPARSE[:400]])
    relay.buffer = buffer + 1  # the channel's description must be able to end
    meeting = catch_up(relay, READ, LATER)
    meeting.wait(100_000)
    assert meeting.talk.texts() == in_order(SPARSE[:400])


def test_a_relay_that_never_tells_the_end_is_heard() -> None:
    """Without any end ten seconds of silence make a page, and what is said then comes at once."""
    relay = PaperRelay([channel("ch-1", at=NOW), *SPARSE[:5]], ends=False)
    meeting = catch_up(relay, READ, LATER)
    meeting.wait()
    assert meeting.talk.texts() == in_order(SPARSE[:5])
    meeting.hear(says("now", at=LATER))
    assert meeting.talk.texts()[-1] == "now"


def test_a_late_end_of_another_page_does_not_count() -> None:
    """The end of a page that was given up comes under its own name, and ends no other page."""
    relay = PaperRelay([channel("ch-1", at=NOW), *SPARSE[:300]], ends=False)
    meeting = catch_up(relay, READ, LATER)
    talk = meeting.talk
    meeting.wait(10)
    assert "buzz-chat-ch-1~1" in relay.open
    assert talk.frame("EOSE", "buzz-chat-ch-1") == []
    assert talk.texts() == []
    relay.ends = True
    meeting.wait()
    assert talk.texts() == in_order(SPARSE[:300])


def test_a_relay_that_wants_it_slower_is_asked_slower() -> None:
    """Refused as too fast, pages wait as long as the relay says; no try is used up by that."""
    relay = PaperRelay([channel("ch-1", at=NOW), *SPARSE], refuses=7)
    meeting = catch_up(relay, READ, LATER)
    assert len(relay.asked) == 1
    assert meeting.talk.last.tick_at == LATER + 3
    meeting.wait()
    assert meeting.talk.texts() == in_order(SPARSE)
    assert "closed_by_relay" not in meeting.talk.codes()


def test_more_than_a_page_in_one_second_is_told() -> None:
    """A second cannot be divided: where it holds more than is handed out, an alarm says so."""
    events = [*SPARSE[:20], *written([NOW + 300_000] * 250, text="burst "), *SPARSE[20:40]]
    relay = PaperRelay([channel("ch-1", at=NOW), *events])
    meeting = catch_up(relay, READ, LATER)
    assert ("backlog_cut" in meeting.talk.codes()) is True
    texts = meeting.talk.texts()
    assert [text for text in texts if " " not in text] == in_order(SPARSE[:40])
    assert sum(" " in text for text in texts) == PAGE


def test_a_relay_that_ignores_times_is_told() -> None:
    """Where the relay gives the same newest messages whatever it is asked for, an alarm says so."""
    relay = PaperRelay([channel("ch-1", at=NOW), *SPARSE], cap=150, obeys=False)
    meeting = catch_up(relay, READ, LATER)
    meeting.wait(100_000)
    assert "backlog_cut" in meeting.talk.codes()
    texts = meeting.talk.texts()
    assert texts == in_order([one for one in SPARSE if one.content in texts])


def test_a_relay_that_gives_too_much_fills_nothing() -> None:
    """Whatever the relay sends, no more than two pages of a channel are held, and all arrives."""
    events = written([NOW + 10 + n for n in range(450)])
    meeting = catch_up(Unlimited([channel("ch-1", at=NOW), *events]), READ, LATER)
    assert meeting.most_held <= 2 * PAGE
    assert meeting.talk.texts() == in_order(events)


def test_large_messages_fill_nothing() -> None:
    """Pages are bounded in bytes, too."""
    events = [says("x" * 300_000 + str(n), at=NOW + 10 + n) for n in range(40)]
    meeting = catch_up(PaperRelay([channel("ch-1", at=NOW), *events]), READ, LATER)
    assert meeting.talk.texts() == [event.content for event in events]
    assert meeting.most_at_once * 300_000 <= MOST_BYTES


@given(
    st.sampled_from(sorted(POOLS)),
    st.integers(0, 699),
    st.sampled_from([100, 130, 200, 2_000]),
    st.lists(st.integers(1, 900), max_size=3),
    st.sampled_from([100_000, 180, 120]),
)
@settings(max_examples=15)
def test_any_break_loses_nothing_and_repeats_nothing(
    pool: str, size: int, cap: int, breaks: list[int], buffer: int
) -> None:
    """Cut off anywhere, and connected anew with what was saved, all arrives once and in order."""
    events, saved = POOLS[pool][:size], dict(READ)
    texts: list[str] = []
    relay = PaperRelay([channel("ch-1", at=NOW), *events], cap=cap, buffer=buffer + 2)
    for most in [*breaks, 1_000_000]:
        relay.open = {}
        meeting = meet(relay, saved, LATER)
        meeting.go_on(opening(meeting), most)
        if most == 1_000_000:
            meeting.wait(100_000)
        saved, texts = meeting.talk.saved, texts + meeting.talk.texts()
    assert texts == in_order(events)


def test_a_place_in_the_future_does_not_make_deaf() -> None:
    """A place that a wrong clock of ours put into the future counts as now."""
    far = NOW + 400_000
    saved = {"channel/ch-1": json.dumps([int(far), int(far), [f"{int(far)}:ab"]])}
    relay = PaperRelay([channel("ch-1", at=NOW)])
    meeting = catch_up(relay, saved, NOW)
    assert relay.asked[0]["since"] <= NOW
    meeting.hear(says("hello", at=NOW + 1))
    assert meeting.talk.texts() == ["hello"]
    assert "mark_from_the_future" in meeting.talk.codes()


def test_what_would_be_refused_as_too_old_is_not_asked_for() -> None:
    """After a pause of months only the last week is asked for."""
    relay = PaperRelay([channel("ch-1", at=NOW)])
    meeting = catch_up(relay, READ, NOW + 90 * 86_400)
    assert relay.asked[0]["since"] == NOW + 83 * 86_400
    assert "too_old_to_ask" in meeting.talk.codes()


def test_old_messages_under_a_live_subscription_are_dropped() -> None:
    """What is older than what was asked for is not taken, under whatever name it comes."""
    meeting = catch_up(PaperRelay([channel("ch-1", at=NOW)]), READ, LATER)
    old = says("replayed", at=LATER - 700_000)
    for subscription in ("buzz-chat-ch-1", "buzz-chat-ch-1~1", "buzz-chat-ch-9", "x", ""):
        meeting.talk.event(subscription, old)
    assert meeting.talk.texts() == []
    assert US.pubkey not in str(meeting.talk.saved)


class Unlimited(PaperRelay):
    """A relay that reads times and no limit."""

    def answer(self, frame: list[object]) -> list[list[object]]:
        """Answer as if no limit had been named."""
        match frame:
            case ["REQ", subscription, dict(wanted)]:
                wanted = {name: wanted[name] for name in wanted if name != "limit"}
                return PaperRelay.answer(self, ["REQ", subscription, wanted])
        return PaperRelay.answer(self, frame)
