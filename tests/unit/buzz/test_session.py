import json

import pytest

from tests.unit.buzz.relay import (
    ANN,
    NOW,
    RELAY,
    URL,
    US,
    Talk,
    added,
    channel,
    credentials,
    removed,
    settings,
)
from threadline.core.errors import CredentialsRejected
from threadline.core.socket import Hearing
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.frames import DISCOVERY, MEMBERSHIP


def controls(at: float = NOW) -> list[list[object]]:
    """Give the two requests that every connection begins with."""
    asked = {"kinds": [44100, 44101], "#p": [US.pubkey], "since": int(at) - 60}
    return [["REQ", DISCOVERY, {"kinds": [39000]}], ["REQ", MEMBERSHIP, asked]]


def listen(name: str, since: float = NOW) -> list[object]:
    """Give the request for a channel."""
    wanted = {"kinds": [9], "#h": [name], "since": int(since), "limit": 200}
    return ["REQ", f"buzz-chat-{name}", wanted]


@pytest.mark.parametrize("closed_first", [True, False])
def test_a_closed_relay_is_entered(closed_first: bool) -> None:
    """Refusals before the proof is accepted are part of the way in, in either order."""
    talk = Talk.open()
    refusals = [
        ["CLOSED", DISCOVERY, "auth-required: login"],
        ["CLOSED", MEMBERSHIP, "auth-required: login"],
    ]
    if closed_first:
        assert [talk.frame(*one) for one in refusals] == [[], []]
    proof, *asked = talk.frame("AUTH", "c1")
    assert (proof[0], proof[1]["kind"], proof[1]["content"]) == ("AUTH", 22242, "")
    assert proof[1]["tags"] == [["relay", URL], ["challenge", "c1"]]
    assert asked == controls()
    if not closed_first:
        assert [talk.frame(*one) for one in refusals] == [[], []]
    assert talk.frame("OK", proof[1]["id"], True, "") == []
    assert talk.event(DISCOVERY, channel("ch-1")) == [listen("ch-1")]
    hearing = [talk.session.hearing]
    assert talk.frame("EOSE", DISCOVERY) == []
    assert [*hearing, talk.session.hearing] == [Hearing.OPENING, Hearing.HEARING]
    assert talk.codes() == ["channels"]


def test_a_challenge_with_every_refusal_leads_in() -> None:
    """Where each refused request brings a new challenge, the latest is proven and nothing asked."""
    talk = Talk.open()
    first = talk.frame("AUTH", "c1")[0][1]
    proofs = [talk.frame("AUTH", f"c{n}") for n in (2, 3, 4)]
    assert [len(out) for out in proofs] == [1, 1, 1]
    for subscription in (DISCOVERY, MEMBERSHIP) * 2:
        assert talk.frame("CLOSED", subscription, "auth-required: you must auth") == []
    assert talk.frame("OK", first["id"], False, "invalid: authentication event") == []
    assert talk.last.end is None
    assert talk.frame("OK", proofs[1][0][1]["id"], True, "") == controls()
    assert talk.frame("OK", proofs[-1][0][1]["id"], False, "invalid: used") == []
    assert talk.last.end is None


def test_a_fresh_socket_asks_two_things() -> None:
    """First go out the requests for channels and memberships, nothing of any message."""
    opening = PLATFORM.connect(credentials(), settings(), {}, NOW, 0.5)
    assert [json.loads(str(one)) for one in opening.session.opened(NOW).send] == controls()


@pytest.mark.parametrize("answer", [True, False, 1, "true", None])
def test_only_a_plain_yes_lets_us_in(answer: object) -> None:
    """Authentication is complete on the JSON value true alone; anything else ends the session."""
    talk = Talk.open()
    proof = talk.frame("AUTH", "c1")[0][1]
    talk.frame("OK", proof["id"], answer, "bad key")
    assert (talk.last.end is None) is (answer is True)
    if answer is not True:
        assert ("auth_refused", "bad key") in talk.noted
        assert talk.last.notes[0].alarm


def test_a_refusal_for_good_waits_for_a_person() -> None:
    """A key that is not let in is shown as refused, a relay in trouble is tried again."""
    for reason, refused in (("restricted: not a member", True), ("error: database", False)):
        talk = Talk.open()
        proof = talk.frame("AUTH", "c1")[0][1]
        talk.frame("OK", proof["id"], False, reason)
        assert talk.last.end is not None
        assert talk.last.end.refused is refused
        assert reason in talk.last.end.why


def test_the_end_of_the_list_stands_for_a_missing_yes() -> None:
    """Where a relay never says OK, the end of the list of channels completes authentication."""
    talk = Talk.open()
    talk.frame("AUTH", "c1")
    talk.frame("OK", "0" * 64, True, "")
    assert talk.frame("CLOSED", MEMBERSHIP, "auth-required: x") == []
    talk.frame("EOSE", DISCOVERY)
    talk.frame("CLOSED", MEMBERSHIP, "auth-required: x")
    assert talk.session.hearing is Hearing.DEAF


def test_a_second_challenge_begins_anew() -> None:
    """A new proof on the same socket asks for everything again, with all reopenings left."""
    talk = Talk.listening("ch-1")
    for _ in range(3):
        talk.frame("CLOSED", "buzz-chat-ch-1", "error: hiccup")
        talk.tick(5)
    proof, *asked = talk.frame("AUTH", "c2")
    assert asked == controls()
    talk.frame("OK", proof[1]["id"], True)
    assert talk.event(DISCOVERY, channel("ch-1")) == [listen("ch-1")]
    assert talk.frame("CLOSED", "buzz-chat-ch-1", "error: hiccup") == [listen("ch-1")]


@pytest.mark.parametrize("subscription", [DISCOVERY, MEMBERSHIP, "buzz-chat-ch-1"])
def test_a_hiccup_is_tried_three_times(subscription: str) -> None:
    """A subscription is opened again at once, after 1 s and after 2 s, and then no more."""
    talk = Talk.listening("ch-1", "ch-2")
    closed = ("CLOSED", subscription, "error: hiccup")
    assert [one[1] for one in talk.frame(*closed)] == [subscription]
    for wait in (1.0, 2.0):
        assert talk.frame(*closed) == []
        assert talk.tick(wait - 0.5) == []
        assert talk.last.tick_at <= talk.now + 0.5
        assert [one[1] for one in talk.tick(0.5)] == [subscription]
    assert talk.frame(*closed) == []
    assert talk.last.notes[-1].alarm
    assert talk.tick(60) == []
    assert (talk.session.hearing is Hearing.DEAF) is not subscription.startswith("buzz-chat-")


@pytest.mark.parametrize(
    "reason",
    [
        "auth-required: again",
        "RESTRICTED: no",
        " blocked: you",
        "error: channel not found",
        "you are not a member",
        "access revoked",
        "channel archived",
    ],
)
def test_a_refusal_is_not_tried_again(reason: str) -> None:
    """Reasons that say so end a subscription for good."""
    talk = Talk.listening("ch-1")
    assert talk.frame("CLOSED", "buzz-chat-ch-1", reason) == []
    assert talk.last.notes[-1].alarm
    assert talk.tick(60) == []


def test_an_unknown_subscription_opens_nothing() -> None:
    """A relay cannot make us listen by closing what was never open."""
    talk = Talk.listening()
    assert talk.frame("CLOSED", "buzz-chat-ch-9", "error: hiccup") == []
    assert talk.frame("CLOSED", "other", "") == []
    assert talk.frame("CLOSED", "buzz-chat-ch-9") == []


def test_a_channel_is_opened_once() -> None:
    """The same description again sends nothing; no message is asked for without one."""
    talk = Talk.listening()
    assert talk.event(DISCOVERY, channel("ch-1")) == [listen("ch-1", NOW - 60)]
    assert talk.event(DISCOVERY, channel("ch-1")) == []


def test_being_added_opens_a_channel() -> None:
    """Added to an unknown channel: it is heard from then on, and asked what it is."""
    talk = Talk.listening("ch-1")
    assert talk.event(MEMBERSHIP, added("ch-2", NOW - 9)) == [
        listen("ch-2", NOW - 9),
        ["REQ", DISCOVERY, {"kinds": [39000]}],
    ]
    assert talk.event(MEMBERSHIP, added("ch-1")) == []
    assert talk.event(MEMBERSHIP, added("ch-3", who=ANN.pubkey)) == []


def test_being_removed_closes_exactly_that_channel() -> None:
    """Removed: its subscription ends, its place is forgotten, others and other people stay."""
    talk = Talk.listening("ch-1", "ch-2")
    assert talk.event(MEMBERSHIP, removed("ch-1", who=ANN.pubkey)) == []
    assert talk.event(MEMBERSHIP, removed("ch-1")) == [["CLOSE", "buzz-chat-ch-1"]]
    assert talk.event(MEMBERSHIP, removed("ch-3")) == []
    assert list(talk.saved) == ["channel/ch-2"]
    assert talk.event(DISCOVERY, channel("ch-1")) == [listen("ch-1", NOW - 60)]


def test_a_history_of_memberships_ends_with_the_latest() -> None:
    """Stored changes come newest first: an old removal does not undo a later addition."""
    talk = Talk.listening("ch-1")
    talk.event(MEMBERSHIP, added("ch-1", NOW - 10))
    assert talk.event(MEMBERSHIP, removed("ch-1", NOW - 20)) == []


def test_at_most_256_channels_are_heard() -> None:
    """At the cap a further channel is named in a warning, and none of the others is given up."""
    talk = Talk.listening(*(f"ch-{n}" for n in range(256)))
    assert talk.event(DISCOVERY, channel("one-more")) == []
    assert ("too_many_channels", "one-more") in talk.noted
    for n in range(257, 600):
        talk.event(DISCOVERY, channel(f"ch-{n}"))
    state = talk.session.state  # type: ignore[attr-defined]
    assert len(state.channels) == 512
    assert len(state.chats) == 256


def test_no_channel_is_said() -> None:
    """An identity without any channel is told to the operator."""
    talk = Talk.listening()
    assert "no_channels" in talk.codes()
    assert any(note.alarm for note in talk.last.notes)


def test_a_bot_that_hears_no_channel_is_deaf_and_says_so() -> None:
    """In no channel, or let into none, nothing can come: that is not called connected."""
    talk = Talk.listening()
    assert talk.session.hearing is Hearing.DEAF
    assert "added to one" in talk.session.why
    talk.event(MEMBERSHIP, added("ch-1", NOW))
    assert (talk.session.hearing, talk.session.why) == (Hearing.HEARING, "")
    talk.event(MEMBERSHIP, removed("ch-1", NOW + 1))
    assert talk.session.hearing is Hearing.DEAF
    talk = Talk.listening("ch-1")
    for _ in range(3):
        talk.frame("CLOSED", "buzz-chat-ch-1", "error: hiccup")
        assert talk.session.hearing is Hearing.HEARING
        talk.tick(5)
    talk.frame("CLOSED", "buzz-chat-ch-1", "restricted: not for you")
    assert talk.session.hearing is Hearing.DEAF


def test_only_the_relays_own_key_describes_channels() -> None:
    """With a trusted relay key, channels and memberships of anybody else are refused."""
    talk = Talk.open(relay_key=RELAY.pubkey)
    talk.authenticate()
    assert talk.event(DISCOVERY, channel("ch-1", "dm", by=ANN)) == []
    assert talk.codes() == ["not_of_the_relay"]
    assert talk.event(DISCOVERY, channel("ch-1")) == [listen("ch-1")]


@pytest.mark.parametrize(
    "frame",
    ["", "no json", "{}", "[]", "[1]", '["EVENT"]', '["EVENT","x",null]', '["OK",1,2]', "[" * 9000,
     b"\xff", '["AUTH"]', '["NOTICE","hello"]', '["EOSE",{}]', '["CLOSED"]'],
)  # fmt: skip
def test_what_cannot_be_read_changes_nothing(frame: str | bytes) -> None:
    """Any frame leaves the session as it was, and none raises."""
    talk = Talk.listening("ch-1")
    before = talk.session
    assert talk.take(talk.session.feed(frame, talk.now)) == []
    assert talk.session == before


@pytest.mark.parametrize("url", ["https://relay.example.com", "", "relay.example.com"])
def test_only_a_relays_address_is_connected(url: str) -> None:
    """Anything but ws:// or wss:// is refused before a connection is made."""
    with pytest.raises(CredentialsRejected):
        PLATFORM.connect(credentials(url=url), settings(), {}, NOW, 0.5)


def test_a_wrong_relay_key_is_refused() -> None:
    """A relay key that cannot be read never counts as none."""
    with pytest.raises(CredentialsRejected):
        PLATFORM.connect(credentials(), settings(relay_key="npub1x"), {}, NOW, 0.5)
