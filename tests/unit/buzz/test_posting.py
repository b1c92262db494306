import json
from dataclasses import replace
from typing import Any

import pytest

from tests.flows import Script
from tests.unit.buzz.relay import ANN, NOW, US, credentials
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost
from threadline.core.ids import AppName
from threadline.core.posting import Destination, Draft, Receipt, Reply, Tone
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.event import CHAT, EDIT
from threadline.platforms.buzz.render import MAX_BYTES

ROOT = "ab" * 32
ASKED = "cd" * 32
TO = Destination(
    PLATFORM.name, AppName("default"), "buzz.example.com", "ch-1", anchor=ASKED,
    facts={"author": ANN.pubkey, "root": ROOT},
)  # fmt: skip
POSTED = Receipt("ef" * 32)
CHALLENGE = HttpResponse(200, {"received-at": str(NOW)}, b'["AUTH","c1"]')


class Relay:
    """Answers what is handed in by a list of verdicts, then takes everything."""

    def __init__(self, *verdicts: tuple[bool, str] | HttpResponse | Lost, at: float = 0.0) -> None:
        self.verdicts = list(verdicts)
        self.headers = {"received-at": str(at)} if at else {}
        self.events: list[dict[str, Any]] = []
        self.requests: list[HttpRequest] = []

    def run(self, flow: Flow[Receipt]) -> Receipt:
        """Drive a flow."""
        answer: HttpResponse | Lost | None = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration as end:
                receipt: Receipt = end.value
                return receipt
            assert isinstance(step, HttpRequest)
            answer = self.perform(step)

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Answer one frame."""
        self.requests.append(request)
        if not request.body:
            return CHALLENGE
        assert isinstance(request.body, bytes)
        event = json.loads(request.body)[1]
        self.events.append(event)
        verdict = self.verdicts.pop(0) if self.verdicts else (True, "")
        if isinstance(verdict, HttpResponse | Lost):
            return verdict
        answer = json.dumps(["OK", event["id"], *verdict]).encode()
        return HttpResponse(200, self.headers, answer)


def post(text: str = "hello", **facts: str) -> Flow[Receipt]:
    """Post a text."""
    return PLATFORM.post(Draft(text, facts, NOW), TO, credentials(), "nonce")


def edit(text: str = "hello", **facts: str) -> Flow[Receipt]:
    """Edit a post."""
    return PLATFORM.edit(Draft(text, facts, NOW), POSTED, TO, credentials())


def test_an_answer_goes_into_its_thread() -> None:
    """A post names channel, the root of its thread and who asked, in this order."""
    relay = Relay()
    receipt = relay.run(post())
    (event,) = relay.events
    assert (event["kind"], event["content"], event["id"]) == (CHAT, "hello", receipt.id)
    assert event["tags"] == [["h", "ch-1"], ["e", ROOT, "", "reply"], ["p", ANN.pubkey]]


@pytest.mark.parametrize(
    ("root", "private", "tag"),
    [
        ("", False, ["e", ASKED, "", "reply"]),
        (ROOT, False, ["e", ROOT, "", "reply"]),
        ("", True, ["e", ASKED]),
        (ROOT, True, ["e", ROOT, "", "reply"]),
    ],
)
def test_an_answer_stands_where_its_question_does(root: str, private: bool, tag: list[str]) -> None:
    """In a channel an answer is in a thread; in a direct one only if the question was."""
    facts = {"author": ANN.pubkey, **({"root": root} if root else {})}
    relay = Relay()
    to = replace(TO, private=private, facts=facts)
    relay.run(PLATFORM.post(Draft("hello", {}, NOW), to, credentials(), "nonce"))
    assert [one for one in relay.events[0]["tags"] if one[0] == "e"] == [tag]


@pytest.mark.parametrize(
    "reason",
    [
        "invalid: root tag does not match thread ancestry",
        "invalid: reply parent not found",
        "invalid: parent event belongs to a different channel",
        "invalid: thread depth limit exceeded",
    ],
)
def test_a_thread_that_is_refused_is_left_out(reason: str) -> None:
    """Where the relay sees the thread otherwise, or no more, the answer stands outside of it."""
    relay = Relay((False, reason))
    receipt = relay.run(post())
    assert relay.events[1]["tags"] == [["h", "ch-1"], ["e", ASKED], ["p", ANN.pubkey]]
    assert receipt.id == relay.events[1]["id"]
    with pytest.raises(PostError):
        Relay(*[(False, reason)] * 9).run(post())


@pytest.mark.parametrize(
    "reason",
    ["invalid: event timestamp too far from server time", "invalid: created_at is too old"],
)
def test_an_answer_that_had_to_wait_is_dated_anew(reason: str) -> None:
    """A relay that takes no old events gets the same text, dated when it said so; once only."""
    late = NOW + 5_000
    for flow, later in ((post(chunk="2"), 2), (edit("done"), 1), (edit("so far", growing="1"), 0)):
        relay = Relay((False, reason), at=late)
        relay.run(flow)
        first, again = relay.events
        assert (first["created_at"], again["created_at"]) == (NOW + later, late + later)
        assert {**first, "created_at": 0, "id": "", "sig": ""} == {
            **again, "created_at": 0, "id": "", "sig": "",
        }  # fmt: skip
    for flow in (post(), edit(growing="1")):
        with pytest.raises(PostRejected):
            Relay(*[(False, reason)] * 9, at=late).run(flow)


def test_a_repeat_is_the_same_as_long_as_it_is_taken_for_one() -> None:
    """Posts are repeated blindly only while a relay still knows them by their date."""
    assert 0 < PLATFORM.traits.dedupe_window < 900


def test_every_reason_to_leave_something_out_may_come() -> None:
    """Date, thread and mention refused one after another: the text is posted all the same."""
    relay = Relay(
        (False, "invalid: event timestamp too far from server time"),
        (False, "invalid: reply parent not found"),
        (False, "restricted: mentioned pubkey is not a member"),
        at=NOW + 5_000,
    )
    relay.run(post())
    assert relay.events[-1]["tags"] == [["h", "ch-1"], ["e", ASKED]]
    assert relay.events[-1]["created_at"] == NOW + 5_000


def test_a_relay_that_wants_it_slower_is_obeyed() -> None:
    """Refusals that name a time wait for it: also Buzz's notice, which names no event."""
    quota = "rate-limited: quota exceeded; retry in 7s"
    notice = HttpResponse(200, {}, json.dumps(["NOTICE", quota]).encode())
    muted = f"restricted: you are timed out until {int(NOW) + 90}"
    for verdict, after in ((notice, 7.0), ((False, quota), 7.0), ((False, muted), 90.0)):
        for flow in (post(), edit(growing="1")):
            with pytest.raises(RateLimited) as raised:
                Relay(verdict, at=NOW).run(flow)
            assert raised.value.after == after
    with pytest.raises(PostUnknown):
        Relay(HttpResponse(200, {}, b'["NOTICE","hello"]')).run(post())


def test_only_the_first_part_calls() -> None:
    """Further parts of an answer mention nobody, and are dated one after another."""
    relay = Relay()
    relay.run(post("one"))
    relay.run(post("two", chunk="1"))
    first, second = relay.events
    assert not [tag for tag in second["tags"] if tag[0] == "p"]
    assert second["created_at"] == first["created_at"] + 1


def test_an_edit_names_its_target_and_calls_nobody() -> None:
    """An edit has exactly channel and target; the last one is dated after all before it."""
    relay = Relay()
    assert relay.run(edit("so far", growing="1")) == POSTED
    assert relay.run(edit("done")) == POSTED
    growing, last = relay.events
    assert growing["kind"] == last["kind"] == EDIT
    assert growing["tags"] == last["tags"] == [["h", "ch-1"], ["e", POSTED.id]]
    assert last["created_at"] > growing["created_at"]


def test_a_last_text_that_cannot_be_an_edit_is_posted() -> None:
    """Where the edit is refused for good the answer is posted anew, calling nobody."""
    relay = Relay((False, "invalid: target not found"))
    receipt = relay.run(edit("done"))
    assert receipt.id == relay.events[1]["id"]
    assert relay.events[1]["kind"] == CHAT
    assert not [tag for tag in relay.events[1]["tags"] if tag[0] == "p"]
    with pytest.raises(PostError):
        Relay((False, "invalid: target not found")).run(edit("so far", growing="1"))


def test_a_mention_that_is_refused_is_left_out() -> None:
    """A person who is no member is answered without being called."""
    relay = Relay((False, "blocked: mentioned pubkey is not a member"))
    relay.run(post())
    assert [tag[0] for tag in relay.events[1]["tags"]] == ["h", "e"]


def test_a_relay_that_wants_proof_gets_it() -> None:
    """A challenge is answered with the time it came, and the same event handed in again."""
    relay = Relay((False, "auth-required: who?"))
    relay.run(post())
    first, proof, again = relay.events
    assert first == again
    assert proof["created_at"] == int(NOW)
    assert proof["tags"] == [["relay", "wss://buzz.example.com"], ["challenge", "c1"]]


def test_a_newer_challenge_is_answered_too() -> None:
    """A proof that came too late for its challenge is made again, a few times."""
    late = (False, "auth-required: invalid authentication event")
    relay = Relay((False, "auth-required: x"), late, (False, "auth-required: x"))
    assert relay.run(post()).id
    with pytest.raises(CredentialsRejected):
        Relay(*[late] * 9).run(post())


def test_what_stands_already_is_posted() -> None:
    """A repeat that the relay knows is success: the same part is the same event."""
    relay = Relay((False, "duplicate: already have this event"))
    assert relay.run(post()) == Relay().run(post())


@pytest.mark.parametrize(
    ("verdict", "means"),
    [
        ((False, "rate-limited: slow down"), RateLimited),
        ((False, "restricted: you are not a member"), ConversationGone),
        ((False, "error: channel not found"), ConversationGone),
        ((False, "invalid: too long"), PostRejected),
        ((False, "pow: 20 bits"), PostRejected),
        ((False, "blocked: you are banned from this community"), CredentialsRejected),
        ((False, "invalid: channel is archived"), ConversationGone),
        ((False, "error: database"), PlatformUnavailable),
        ((False, ""), PlatformUnavailable),
        (Lost("timeout", sent=True), PostUnknown),
        (Lost("refused", sent=False), PlatformUnavailable),
        (HttpResponse(200, {}, b"[]"), PostUnknown),
        (HttpResponse(200, {}, b'["OK","other",true,""]'), PostUnknown),
        (HttpResponse(200, {}, b'["OK",1]'), PostUnknown),
        (HttpResponse(502, {}, b""), PlatformUnavailable),
    ],
    ids=range(15),
)
def test_no_is_a_failure(verdict: Any, means: type[PostError]) -> None:
    """A refusal carries its own retry decision, and never counts as posted."""
    for flow in (post(chunk="1"), edit(growing="1")):
        with pytest.raises(PostError) as raised:
            Relay(*[verdict] * 9).run(flow)
        assert type(raised.value) is means


def test_an_unreadable_challenge_is_trouble_of_the_relay() -> None:
    """Without a challenge nothing is proven, and the post is tried later."""
    refusal = json.dumps(["OK", "", False, "auth-required: x"])
    for challenge in (b"[]", b'["AUTH"]', b'["AUTH","c"]'):
        flow = post()
        first = next(flow)
        assert isinstance(first, HttpRequest)
        assert isinstance(first.body, bytes)
        event = json.loads(first.body)[1]["id"]
        answer = HttpResponse(200, {}, refusal.replace('""', f'"{event}"', 1).encode())
        with pytest.raises(PlatformUnavailable):
            Script([HttpResponse(200, {}, challenge)]).run(_after(flow, answer))


def test_a_long_answer_comes_in_whole_chunks() -> None:
    """130,000 bytes are three chunks within the limit, whose text is the answer, no letter cut."""
    text = "你好 " * 18_572
    drafts = PLATFORM.render(Reply(text))
    assert len(drafts) == 3
    assert all(len(draft.text.encode()) <= MAX_BYTES for draft in drafts)
    assert "".join(draft.text for draft in drafts) == text
    assert [draft.facts.get("chunk", "0") for draft in drafts] == ["0", "1", "2"]
    (growing,) = PLATFORM.render(Reply(text, Tone.PROGRESS))
    assert growing.facts == {"growing": "1"}


def test_the_bot_knows_who_it_is() -> None:
    """The public key and its spelling come from the private key, without asking anybody."""
    found = Script([]).run(PLATFORM.identify(credentials()))
    assert found.identity == US.pubkey
    assert found.identity_name.startswith("npub1lycg5")


def _after(flow: Flow[Receipt], answer: HttpResponse) -> Flow[Receipt]:
    """Go on with a flow that was given its first answer."""
    step = flow.send(answer)
    while True:
        given = yield step
        step = flow.send(given)
