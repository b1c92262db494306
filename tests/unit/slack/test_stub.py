"""The strict Slack refuses what the real one refuses, and our flows live with it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from tests.contract.platforms.answers import ANSWERS
from tests.stubs.slack import ADA as PERSON
from tests.stubs.slack import Fault, SlackStub
from tests.unit.slack.apps import Speaker, speaking, to
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.message import FileRef
from threadline.core.posting import Draft, Receipt, Reply, Stage, Tone
from threadline.platforms.slack import PLATFORM

GENERAL, ADA = "C0GENERAL1", "D0ADA00001"
NONCE, OTHER = "0123456789abcdef0123456789abcdef", "f" * 32


@pytest.fixture
def slack() -> Iterator[SlackStub]:
    """A workspace with a channel and a direct message, in a time that passes a minute a call."""
    ticks = iter(range(1_790_000_000, 1_900_000_000, 60))
    with SlackStub(clock=lambda: float(next(ticks))) as stub:
        stub.add_channel(GENERAL)
        stub.add_channel(ADA)
        yield stub


@pytest.fixture
def app(slack: SlackStub, tmp_path: Path) -> Iterator[Speaker]:
    """The app in that workspace."""
    with speaking(slack, tmp_path) as speaker:
        yield speaker


def asked(slack: SlackStub) -> str:
    """Let a person write in the channel and give the thread."""
    ts: str = slack.say(GENERAL, "what is 6 times 7?")["event"]["ts"]
    return ts


def test_a_post_grows_into_its_answer(slack: SlackStub, app: Speaker) -> None:
    """A first sign of life in the thread becomes the formatted answer, and keeps its mark."""
    thread = asked(slack)
    receipt = app.post(Draft("⏳ Working on it…"), to(GENERAL, thread), NONCE)
    app.edit(PLATFORM.render(Reply("It is **42**."))[0], receipt, to(GENERAL, thread))
    _, answer = slack.shown(GENERAL)
    assert (answer.text, answer.thread, answer.edits) == ("It is *42*.", thread, 1)
    assert answer.metadata["event_payload"] == {"nonce": NONCE}


@pytest.mark.parametrize("markdown", ANSWERS.values(), ids=ANSWERS.keys())
def test_everything_an_agent_writes_is_taken(slack: SlackStub, app: Speaker, markdown: str) -> None:
    """No answer is refused, as a post or as an edit, and none calls anybody."""
    receipts = app.say(markdown, to(ADA))
    for draft, receipt in zip(PLATFORM.render(Reply(markdown)), receipts, strict=True):
        app.edit(draft, receipt, to(ADA))
    shown = slack.shown(ADA)
    assert len(shown) == len(receipts)
    assert [one.pings for one in shown] == [[]] * len(shown)


def test_a_question_offers_its_answers_as_buttons(slack: SlackStub, app: Speaker) -> None:
    """The last post of a question has a button for each answer; an edit takes them away."""
    question = Reply("Which **colour**?", Tone.QUESTION, ("red", "blue " * 30))
    (draft,) = PLATFORM.render(question)
    receipt = app.post(draft, to(GENERAL, asked(slack)))
    assert slack.shown(GENERAL)[-1].buttons == ["red", "blue " * 30]
    app.edit(Draft("Blue it is."), receipt, to(GENERAL))
    assert slack.shown(GENERAL)[-1].buttons == []


@pytest.mark.parametrize("options", [(), ("",), tuple("abcdefghijklmnopqrstuvwxyz"), ("x" * 2001,)])
def test_answers_that_cannot_be_buttons_are_none(options: tuple[str, ...]) -> None:
    """Where Slack would refuse the buttons, the text with its list of answers is posted alone."""
    (draft,) = PLATFORM.render(Reply("Which?", Tone.QUESTION, options))
    assert draft.facts == {}


def test_what_is_for_one_person_is_shown_to_one(slack: SlackStub, app: Speaker) -> None:
    """It is shown in the thread and stands nowhere; who is not in the channel is not reached."""
    thread = asked(slack)
    whisper = replace(to(GENERAL, thread), only=PERSON)
    assert app.post(Draft("closed"), whisper, "0" * 32).id
    place = slack.channels.channels[GENERAL]
    assert place.whispers == [(PERSON, thread, "closed")]
    assert [one.text for one in slack.shown(GENERAL) if one.by_bot] == []
    with pytest.raises(PostRejected, match="user_not_in_channel"):
        app.post(Draft("closed"), replace(whisper, only="U0EVE00001"), "0" * 32)


@pytest.mark.parametrize(
    ("text", "means"),
    [(" \n", PostRejected), ("x" * 4001, PostRejected), ("😀" * 1001, PostRejected)],
)
def test_texts_that_an_edit_does_not_take(
    slack: SlackStub, app: Speaker, text: str, means: type[PostError]
) -> None:
    """An empty text, or one over 4,000 bytes, is refused for good."""
    receipt = app.post(Draft("x"), to(ADA))
    with pytest.raises(means):
        app.edit(Draft(text), receipt, to(ADA))


def test_places_that_take_nothing(slack: SlackStub, app: Speaker) -> None:
    """An unknown or archived channel, one without us, a lost thread or post: gone for good."""
    slack.add_channel("C0ARCHIVED").archived = True
    slack.add_channel("C0OUTSIDE1", joined=False)
    for place in (
        to("C0NOWHERE1"), to("C0ARCHIVED"), to("C0OUTSIDE1"), to(GENERAL, "1700000000.000001"),
    ):  # fmt: skip
        with pytest.raises(ConversationGone):
            app.post(Draft("x"), place)
    with pytest.raises(ConversationGone):
        app.edit(Draft("x"), Receipt("1700000000.000001"), to(GENERAL))
    with pytest.raises(ConversationGone):
        app.edit(Draft("x"), Receipt(asked(slack)), to(GENERAL))


def test_a_wrong_token_is_the_operators_business(slack: SlackStub, app: Speaker) -> None:
    """A token that Slack does not take is told as such, without the token."""
    app.credentials = replace(app.credentials, secrets={"bot_token": "xoxb-wrong-token"})
    with pytest.raises(CredentialsRejected) as raised:
        app.post(Draft("x"), to(ADA))
    assert "wrong-token" not in str(raised.value)


def test_limits_are_told_in_seconds(slack: SlackStub, app: Speaker) -> None:
    """A 429 says how long to wait, and nothing is tried before."""
    slack.fault("chat.postMessage", Fault.too_many(33))
    with pytest.raises(RateLimited) as raised:
        app.post(Draft("x"), to(ADA))
    assert raised.value.after == 33.0
    assert len(slack.calls) == 1


def test_edits_beyond_the_rate_are_refused() -> None:
    """The stub holds the workspace to its calls a minute, in whatever channel."""
    with SlackStub(edits_a_minute=2, clock=lambda: 1_790_000_000.0) as slack:
        slack.add_channel(ADA)
        client = WebClient(slack.token, base_url=f"{slack.url}/api/")
        posted = client.chat_postMessage(channel=ADA, text="x", parse="none", link_names=False)
        for text in "ab":
            client.chat_update(
                channel=ADA, ts=posted["ts"], text=text, parse="none", link_names=False
            )
        with pytest.raises(SlackApiError) as raised:
            client.chat_update(
                channel=ADA, ts=posted["ts"], text="c", parse="none", link_names=False
            )
    assert raised.value.response["error"] == "ratelimited"
    assert raised.value.response.headers["Retry-After"] == "61"


def test_reactions_may_be_repeated(slack: SlackStub, app: Speaker) -> None:
    """A mark that stands there already is fine; a message that is gone is an error."""
    thread = asked(slack)
    for stage in (Stage.RUNNING, Stage.RUNNING, Stage.DONE):
        app.signal(stage, to(GENERAL, thread))
    assert slack.shown(GENERAL)[0].reactions == ["eyes", "white_check_mark"]
    app.signal(Stage.DONE, to(GENERAL))
    with pytest.raises(ConversationGone):
        app.signal(Stage.FAILED, to(GENERAL, "1700000000.000001"))


def test_the_app_is_asked_who_it_is(app: Speaker) -> None:
    """The app's own user comes from its token."""
    known = app.run(PLATFORM.identify(replace(app.credentials, identity="", identity_name="")))
    assert (known.identity, known.identity_name) == ("U0BOT0001", "threadline")


@pytest.mark.parametrize("top_level", [False, True])
def test_a_lost_post_is_found_by_its_nonce(slack: SlackStub, app: Speaker, top_level: bool) -> None:
    """A post whose answer was cut off is found where it stands; another nonce is not there."""
    anchor = asked(slack)
    place = to(GENERAL, "" if top_level else anchor, anchor)
    slack.fault("chat.postMessage", Fault.drop("after"))
    with pytest.raises(PostUnknown):
        app.post(Draft("the answer"), place, NONCE)
    found = app.find(place, NONCE)
    assert found is not None
    assert found.id == slack.shown(GENERAL)[-1].ts
    assert app.find(place, OTHER) is None
    app.edit(Draft("edited"), found, place)
    assert slack.shown(GENERAL)[-1].text == "edited"


def test_a_repetition_may_be_recognised_by_slack(slack: SlackStub, app: Speaker) -> None:
    """The same part posted twice has one client id; where Slack knows it, one post stands there."""
    slack.channels.dedupes = True
    first, second = (app.post(Draft("x"), to(ADA), NONCE) for _ in range(2))
    assert first == second
    assert len(slack.shown(ADA)) == 1


def test_history_is_read_to_its_end(slack: SlackStub, app: Speaker) -> None:
    """A post beyond the first page of a long thread is found, and files of ours do not confuse."""
    thread = asked(slack)
    for _ in range(230):
        slack.say(GENERAL, "talk", thread=thread)
    app.upload("a.txt", b"content", to(GENERAL, thread))
    app.post(Draft("late"), to(GENERAL, thread), NONCE)
    assert app.find(to(GENERAL, thread), NONCE) is not None
    assert app.find(to(GENERAL, thread), OTHER) is None
    assert len(slack.calls_of("conversations.replies")) == 4


def test_a_history_that_shows_no_marks_is_no_proof(slack: SlackStub, app: Speaker) -> None:
    """A post of ours without metadata may be the lost one: nothing is certain then."""
    thread = asked(slack)
    app.post(Draft("the answer"), to(GENERAL, thread), NONCE)
    slack.channels.metadata_shown = False
    with pytest.raises(PlatformUnavailable):
        app.find(to(GENERAL, thread), OTHER)


def test_a_file_is_fetched(slack: SlackStub, app: Speaker) -> None:
    """A file's address is asked for and its bytes come with our token."""
    slack.add_file("F0TEXT0001", b"content")
    assert app.fetch(FileRef("F0TEXT0001", "a.txt", "text/plain")) == b"content"


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (FileRef("F0TEXT0001", "a.txt", "text/plain", size=60_000_000), "above 50 MB"),
        (FileRef("F0TEXT0001", "a.txt", "text/plain", problem="unsupported"), "unsupported"),
        (FileRef("F0GONE0001", "a.txt", "text/plain"), "file_not_found"),
        (FileRef("F0SECRET01", "a.png", "image/png"), "files:read"),
    ],
)
def test_files_that_cannot_be_had(slack: SlackStub, app: Speaker, file: FileRef, why: str) -> None:
    """Too large, not kept at Slack, unknown, or a page to sign in on instead of the file."""
    slack.add_file("F0TEXT0001", b"content")
    slack.add_file("F0SECRET01", b"", "image/png")
    slack.contents.pop("F0SECRET01")
    with pytest.raises(PostRejected, match=why):
        app.fetch(file)


def test_a_file_longer_than_it_said_is_refused(slack: SlackStub, app: Speaker) -> None:
    """The limit holds for the bytes that come, whatever was announced."""
    slack.add_file("F0LONG0001", b"x" * 2_000_000, size=10)
    with pytest.raises(PostRejected, match="above 1 MB"):
        app.fetch(FileRef("F0LONG0001", "a.txt", "text/plain"), limit=1_000_000)


def test_a_file_of_ours_is_shared_in_the_thread(slack: SlackStub, app: Speaker) -> None:
    """Ticket, bytes, share: the file stands in the thread under its name."""
    thread = asked(slack)
    receipt = app.upload("report.txt", b"numbers", to(GENERAL, thread))
    shown = slack.shown(GENERAL)[-1]
    assert (shown.file, shown.thread) == (receipt.id, thread)
    assert slack.contents[receipt.id] == b"numbers"
    assert slack.files[receipt.id]["name"] == "report.txt"


def test_a_share_whose_answer_was_lost_is_unknown(slack: SlackStub, app: Speaker) -> None:
    """Only the last step shows the file: before it trouble is harmless, after it it is doubt."""
    slack.fault("files.getUploadURLExternal", Fault.status(502), times=3)
    with pytest.raises(PlatformUnavailable):
        app.upload("a.txt", b"x", to(ADA))
    slack.fault("files.completeUploadExternal", Fault.drop("after"))
    with pytest.raises(PostUnknown):
        app.upload("a.txt", b"x", to(ADA))


def test_the_vendors_client_is_answered_as_by_slack(slack: SlackStub) -> None:
    """slack_sdk's own calls pass, so that the stub's shapes are what a client expects."""
    client = WebClient(slack.token, base_url=f"{slack.url}/api/")
    thread = asked(slack)
    assert client.auth_test()["user_id"] == "U0BOT0001"
    posted = client.chat_postMessage(
        channel=GENERAL, thread_ts=thread, text="hi", parse="none", link_names=False,
        metadata={"event_type": "x", "event_payload": {"a": 1}},
    )  # fmt: skip
    replies = client.conversations_replies(channel=GENERAL, ts=thread, include_all_metadata=True)
    assert [one["ts"] for one in replies["messages"]] == [thread, posted["ts"]]
    with pytest.raises(SlackApiError, match="channel_not_found"):
        client.chat_postMessage(channel="C0NOWHERE1", text="x")
