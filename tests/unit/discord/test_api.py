"""Posting, threads, marks and files against the API's own answers."""

import json
from dataclasses import replace

import pytest

from tests.contract.platforms.discord import CREDENTIALS, TO, message, refused
from tests.flows import Script
from threadline.core.errors import (
    ConversationGone,
    PlatformUnavailable,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import BlobRef, HttpRequest, HttpResponse, Joined, Lost, SaveTo
from threadline.core.message import FileRef
from threadline.core.posting import Draft, FileDraft, Receipt, Reply, Stage, Tone
from threadline.platforms.discord import PLATFORM
from threadline.platforms.discord.rest import used_up_for

NONCE = "0123456789abcdef0123456789abcdef"
IN_THREAD = replace(TO, facts={"thread": TO.anchor, "title": "What *changed*\nin 4.2?"})
UNKNOWN = refused(404, 10003, "Unknown Channel")
MADE = HttpResponse(201, {}, json.dumps({"id": TO.anchor, "type": 11}).encode())
DONE = HttpResponse(204)
DRAFT = Draft("The answer.")


def asked(script: Script) -> list[str]:
    """Give what was asked, behind the version."""
    return [f"{one.method} {one.url.partition('/api/v10')[2]}" for one in script.requests]


def body(request: HttpRequest) -> dict[str, object]:
    """Give the JSON of a request."""
    assert isinstance(request.body, bytes)
    found: dict[str, object] = json.loads(request.body)
    return found


def test_a_post_carries_its_nonce_and_calls_nobody() -> None:
    """The nonce fits Discord's 25 characters and is enforced; no text of an agent's pings."""
    script = Script([message()])
    receipt = script.run(PLATFORM.post(Draft("@everyone <@1>"), TO, CREDENTIALS, NONCE))
    sent = body(script.requests[0])
    assert sent["nonce"] == NONCE[:25]
    assert sent["enforce_nonce"] is True
    assert sent["allowed_mentions"] == {"parse": [], "replied_user": False}
    assert receipt == Receipt("17", {"channel": TO.chat})
    assert script.requests[0].repeatable


def test_a_missing_thread_is_made_from_the_question() -> None:
    """The thread is called after what was asked; then the same post goes into it."""
    script = Script([UNKNOWN, MADE, message()])
    script.run(PLATFORM.post(DRAFT, IN_THREAD, CREDENTIALS, NONCE))
    assert asked(script) == [
        f"POST /channels/{TO.anchor}/messages",
        f"POST /channels/{TO.chat}/messages/{TO.anchor}/threads",
        f"POST /channels/{TO.anchor}/messages",
    ]
    assert body(script.requests[1])["name"] == "What changed in 4.2?"
    assert body(script.requests[0])["nonce"] == body(script.requests[2])["nonce"]
    assert "message_reference" not in body(script.requests[2])


def test_a_thread_that_somebody_made_meanwhile_is_used() -> None:
    """Two workers cannot make two threads: the second finds the first one's."""
    there = refused(400, 160004, "A thread has already been created for this message")
    script = Script([UNKNOWN, there, message()])
    script.run(PLATFORM.post(DRAFT, IN_THREAD, CREDENTIALS, NONCE))
    assert asked(script)[2] == f"POST /channels/{TO.anchor}/messages"


@pytest.mark.parametrize(
    "answer",
    [
        refused(403, 50013, "Missing Permissions"),
        refused(403, 50001, "Missing Access"),
        refused(400, 50024, "Cannot execute action on this channel type"),
    ],
)
def test_where_there_are_no_threads_the_channel_is_answered(answer: HttpResponse) -> None:
    """The answer stands in the channel as a reply to the question."""
    script = Script([UNKNOWN, answer, message()])
    script.run(PLATFORM.post(DRAFT, IN_THREAD, CREDENTIALS, NONCE))
    assert asked(script)[2] == f"POST /channels/{TO.chat}/messages"
    reference = {"message_id": TO.anchor, "fail_if_not_exists": False}
    assert body(script.requests[2])["message_reference"] == reference


@pytest.mark.parametrize(
    ("answer", "means"),
    [
        (Lost("timeout", sent=True), PlatformUnavailable),
        (refused(500, 0, "500"), PlatformUnavailable),
        (refused(429, 0, "limited", retry_after=3.5), RateLimited),
        (HttpResponse(201, {}, b"{}"), PlatformUnavailable),
    ],
)
def test_a_thread_that_may_be_made_later_is_waited_for(
    answer: HttpResponse | Lost, means: type[Exception]
) -> None:
    """Trouble that passes does not move the answer into the channel."""
    with pytest.raises(means):
        Script([UNKNOWN, answer]).run(PLATFORM.post(DRAFT, IN_THREAD, CREDENTIALS, NONCE))


def test_a_deleted_thread_is_not_made_anew_for_what_was_said_in_it() -> None:
    """Only the message that began a thread can be its beginning."""
    to = replace(TO, anchor="1550952349696000777", facts={"thread": "1550937249996800007"})
    with pytest.raises(ConversationGone):
        Script([UNKNOWN]).run(PLATFORM.post(DRAFT, to, CREDENTIALS, NONCE))


@pytest.mark.parametrize(
    "answer",
    [
        refused(400, 160002, "Cannot reply without permission to read message history"),
        refused(400, 50035, "Invalid Form Body", errors={"message_reference": {}}),
    ],
)
def test_what_cannot_be_a_reply_is_posted_as_it_is(answer: HttpResponse) -> None:
    """A question that is gone or hidden does not hold up its answer."""
    script = Script([answer, message()])
    script.run(PLATFORM.post(DRAFT, TO, CREDENTIALS, NONCE))
    assert "message_reference" not in body(script.requests[1])


@pytest.mark.parametrize(
    ("headers", "rest"),
    [
        ({}, 0.0),
        ({"x-ratelimit-remaining": "1", "x-ratelimit-reset-after": "4.2"}, 0.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "1.25"}, 1.25),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "900"}, 5.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "soon"}, 0.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "-1"}, 0.0),
        ({"x-ratelimit-remaining": "0"}, 0.0),
    ],
)
def test_an_empty_bucket_is_rested_for(headers: dict[str, str], rest: float) -> None:
    """When an answer used up the bucket, nothing more is asked until it fills again."""
    assert used_up_for(HttpResponse(200, headers)) == rest


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("x" * 4500, ["x" * 2000, "x" * 2000, "x" * 500]),
        ("a" * 1500 + "\n" + "b" * 599, ["a" * 1500, "b" * 599]),
        ("", []),
        (" \n ", []),
    ],
    ids=["no newline", "at a newline", "empty", "white space"],
)
def test_long_answers_are_cut(text: str, parts: list[str]) -> None:
    """Into parts that Discord takes; it would refuse one of white space alone."""
    assert [draft.text.strip() for draft in PLATFORM.render(Reply(text))] == parts


def test_buttons_offer_the_answers_of_a_question() -> None:
    """Options that fit stand on buttons in rows of five; others stay words in the text."""
    options = tuple(f"option {number}" for number in range(7))
    (draft,) = PLATFORM.render(Reply("Which?", Tone.QUESTION, options))
    script = Script([message()])
    script.run(PLATFORM.post(draft, TO, CREDENTIALS, NONCE))
    rows = body(script.requests[0])["components"]
    assert isinstance(rows, list)
    assert [len(row["components"]) for row in rows] == [5, 2]
    labels = [one["label"] for row in rows for one in row["components"]]
    assert labels == list(options)
    for unfit in (("x" * 81,), tuple(map(str, range(26))), (" ",)):
        (plain,) = PLATFORM.render(Reply("Which?", Tone.QUESTION, unfit))
        assert plain.facts == {}


def test_where_presses_cannot_come_no_buttons_are_shown() -> None:
    """Without a public key there is no route for presses: the options stand in the text alone."""
    (draft,) = PLATFORM.render(Reply("Which?\n\n1. a", Tone.QUESTION, ("a",)))
    alone = replace(CREDENTIALS, secrets={"bot_token": CREDENTIALS.secret("bot_token")})
    script = Script([message()])
    script.run(PLATFORM.post(draft, TO, alone, NONCE))
    assert body(script.requests[0])["components"] == []


def test_an_edit_names_the_message_s_own_channel() -> None:
    """A post that ended up in the channel is edited there, wherever it was to go."""
    script = Script([message()])
    posted = Receipt("17", {"channel": "1170000000000000010"})
    script.run(PLATFORM.edit(DRAFT, posted, IN_THREAD, CREDENTIALS))
    assert asked(script) == ["PATCH /channels/1170000000000000010/messages/17"]
    assert not script.requests[0].repeatable


def test_marks_are_typing_and_reactions() -> None:
    """A run shows typing, a failure and a refusal a reaction on the question itself."""
    script = Script([DONE, DONE, DONE])
    for stage in (Stage.RUNNING, Stage.FAILED, Stage.DONE):
        script.run(PLATFORM.signal(stage, IN_THREAD, CREDENTIALS))
    script.run(PLATFORM.signal(Stage.REFUSED, TO, CREDENTIALS))
    assert asked(script) == [
        f"POST /channels/{TO.anchor}/typing",
        f"PUT /channels/{TO.chat}/messages/{TO.anchor}/reactions/%E2%9D%8C/@me",
        f"PUT /channels/{TO.chat}/messages/{TO.anchor}/reactions/%F0%9F%9A%AB/@me",
    ]


@pytest.mark.parametrize(
    "answer",
    [refused(403, 50013, "Missing Permissions"), UNKNOWN, refused(400, 50035, "Invalid Form Body")],
)
def test_a_mark_that_is_not_allowed_is_no_failure(answer: HttpResponse) -> None:
    """Where the bot may not react or type, nothing is shown and nothing is wrong."""
    Script([answer]).run(PLATFORM.signal(Stage.RUNNING, TO, CREDENTIALS))


@pytest.mark.parametrize(
    ("answer", "everywhere"),
    [
        (refused(429, 0, "limited", retry_after=1.5, **{"global": False}), False),
        (refused(429, 0, "limited", retry_after=1.5, **{"global": True}), True),
        (replace(refused(429, 0, "x"), headers={"x-ratelimit-scope": "shared"}), False),
        (replace(refused(429, 0, "x"), headers={"x-ratelimit-scope": "global"}), True),
        (HttpResponse(429, {"retry-after": "600"}, b"error code: 1015"), True),
    ],
    ids=["a channel's", "the bot's", "a shared one", "the bot's by its header", "the address's"],
)
def test_a_limit_says_how_far_it_reaches(answer: HttpResponse, everywhere: bool) -> None:
    """One of a channel holds there; one of the bot, or of its address, in every channel."""
    with pytest.raises(RateLimited) as raised:
        Script([answer] * 4).run(PLATFORM.post(DRAFT, TO, CREDENTIALS, NONCE))
    assert raised.value.everywhere is everywhere


def test_a_mark_that_is_limited_says_so() -> None:
    """A rate limit counts for marks, too."""
    script = Script([refused(429, 0, "limited", retry_after=2.0)])
    with pytest.raises(RateLimited):
        script.run(PLATFORM.signal(Stage.RUNNING, TO, CREDENTIALS))


def test_the_bot_learns_who_it_is() -> None:
    """The bot's own account is asked for by its token."""
    answer = HttpResponse(200, {}, b'{"id": "1180000000000000101", "username": "Demo"}')
    found = Script([answer]).run(PLATFORM.identify(replace(CREDENTIALS, identity="")))
    assert (found.identity, found.identity_name) == ("1180000000000000101", "Demo")


FILE = FileRef(
    "https://cdn.discordapp.com/attachments/1/2/a.png?ex=1", "a.png", "image/png", 5, image=True,
    message="10/20/30",
)  # fmt: skip
SAVED = HttpResponse(200, {}, saved=BlobRef("b", 5))
FILED = BlobRef("blob", 7, "text/plain")


def test_a_file_is_fetched_without_the_token() -> None:
    """Discord's storage needs no token, and gets none."""
    script = Script([SAVED])
    blob = script.run(PLATFORM.fetch(FILE, CREDENTIALS, SaveTo("b", 1000)))
    assert blob == BlobRef("b", 5, "image/png")
    assert script.requests[0].public
    assert script.requests[0].headers == {}


def test_an_address_that_has_ended_is_asked_for_anew() -> None:
    """After a day the message tells a fresh address of the same file."""
    fresh = {"id": "20", "attachments": [{"id": "29"}, {"id": "30", "url": "https://cdn.x/new"}]}
    told = HttpResponse(200, {}, json.dumps(fresh).encode())
    script = Script([HttpResponse(404), told, SAVED])
    script.run(PLATFORM.fetch(FILE, CREDENTIALS, SaveTo("b", 1000)))
    assert script.requests[1].url.endswith("/channels/10/messages/20")
    assert script.requests[2].url == "https://cdn.x/new"
    gone = HttpResponse(200, {}, b'{"id": "20", "attachments": []}')
    with pytest.raises(PostRejected, match="deleted"):
        Script([HttpResponse(404), gone]).run(PLATFORM.fetch(FILE, CREDENTIALS, SaveTo("b", 1000)))


@pytest.mark.parametrize(
    ("file", "answers", "means"),
    [
        (replace(FILE, size=2000), [], PostRejected),
        (replace(FILE, problem="too_large"), [], PostRejected),
        (FILE, [Lost("too_large", sent=True)], PostRejected),
        (FILE, [HttpResponse(200, {}, saved=BlobRef("b", 1001))], PostRejected),
        (FILE, [HttpResponse(503)], PlatformUnavailable),
        (FILE, [Lost("timeout", sent=True)], PlatformUnavailable),
    ],
)
def test_a_file_that_cannot_be_had_says_why(
    file: FileRef, answers: list[HttpResponse | Lost], means: type[Exception]
) -> None:
    """Too large as told, announced or come, or not handed out just now."""
    with pytest.raises(means):
        Script(answers).run(PLATFORM.fetch(file, CREDENTIALS, SaveTo("b", 1000)))


def test_a_file_is_sent_as_a_form() -> None:
    """Name and type stand in their quotes, the bytes come from the store."""
    script = Script([message()])
    flow = PLATFORM.upload(FileDraft('a"b\r\n.txt', FILED), IN_THREAD, CREDENTIALS)
    assert script.run(flow).id == "17"
    form = script.requests[0].body
    assert isinstance(form, Joined)
    head = form.parts[0]
    assert isinstance(head, bytes)
    assert b'name="files[0]"; filename="ab.txt"\r\nContent-Type: text/plain\r\n\r\n' in head
    assert form.parts[1] == FILED
    assert not script.requests[0].repeatable
    small = FileDraft("a", FILED)
    large = FileDraft("a", replace(FILED, size=11_000_000))
    with pytest.raises(PostUnknown):
        Script([Lost("reset", sent=True)]).run(PLATFORM.upload(small, TO, CREDENTIALS))
    with pytest.raises(PostRejected):
        Script([]).run(PLATFORM.upload(large, TO, CREDENTIALS))
