"""The strict Feishu refuses what the real one refuses, and our flows live with it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contract.platforms.answers import ANSWERS
from tests.stubs.feishu import LASTS, Fault, FeishuStub
from tests.stubs.feishu_rules import Do
from tests.unit.feishu.apps import Speaker, speaking, to
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import BlobRef
from threadline.core.message import FileRef
from threadline.core.posting import Draft, FileDraft, Receipt, Reply, Stage, Tone
from threadline.platforms.feishu import PLATFORM

GROUP, TOPICS, ADA = "oc_group", "oc_topics", "oc_ada"
NONCE, OTHER = "0123456789abcdef0123456789abcdef", "f" * 32
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 64


class Time:
    """A clock that passes a second at each look, and more when told."""

    def __init__(self) -> None:
        self.at = 1_790_000_000.0

    def __call__(self) -> float:
        self.at += 1.0
        return self.at


@pytest.fixture
def time() -> Time:
    """The organisation's clock."""
    return Time()


@pytest.fixture
def feishu(time: Time) -> Iterator[FeishuStub]:
    """An organisation with a group, a group of topics, and a private chat."""
    with FeishuStub(clock=time) as stub:
        for chat, kind in ((GROUP, "group"), (TOPICS, "topic"), (ADA, "p2p")):
            stub.add_chat(chat, kind)
        yield stub


@pytest.fixture
def app(feishu: FeishuStub, tmp_path: Path) -> Iterator[Speaker]:
    """The app in that organisation."""
    with speaking(feishu, tmp_path) as speaker:
        yield speaker


def asked(feishu: FeishuStub, chat: str = GROUP) -> str:
    """Let a person write and give the message."""
    message: str = feishu.say(chat, "what is 6 times 7?")["event"]["message"]["message_id"]
    return message


def test_a_card_grows_into_its_answer(feishu: FeishuStub, app: Speaker) -> None:
    """A first sign of life becomes the answer where it stands, a reply to the question."""
    anchor = asked(feishu)
    receipt = app.post(Draft("⏳ Working on it…"), to(GROUP, anchor), NONCE)
    app.edit(PLATFORM.render(Reply("It is **42**."))[0], receipt, to(GROUP, anchor))
    _, answer = feishu.shown(GROUP)
    assert (answer.text, answer.parent, answer.edits) == ("It is **42**.", anchor, 1)


@pytest.mark.parametrize("markdown", ANSWERS.values(), ids=ANSWERS.keys())
def test_everything_an_agent_writes_is_taken(
    feishu: FeishuStub, app: Speaker, markdown: str
) -> None:
    """No answer is refused, as a post or as a change, and none calls anybody."""
    receipts = app.say(markdown, to(ADA))
    for draft, receipt in zip(PLATFORM.render(Reply(markdown)), receipts, strict=True):
        app.edit(draft, receipt, to(ADA))
    shown = feishu.shown(ADA)
    assert len(shown) == len(receipts)
    assert [one.pings for one in shown] == [[]] * len(shown)


@pytest.mark.parametrize(
    ("seconds", "messages"), [(0.0, 1), (3500.0, 1), (3700.0, 2)], ids=["soon", "within", "after"]
)
def test_a_key_posts_once_within_an_hour(
    feishu: FeishuStub, app: Speaker, time: Time, seconds: float, messages: int
) -> None:
    """The same nonce gives the first message again, as long as Feishu remembers it."""
    anchor = asked(feishu)
    first = app.post(Draft("x"), to(GROUP, anchor), NONCE)
    time.at += seconds
    second = app.post(Draft("x"), to(GROUP, anchor), NONCE)
    assert len(feishu.shown(GROUP)) == 1 + messages
    assert (first == second) is (messages == 1)
    assert PLATFORM.traits.dedupe_window == 3600.0


def test_a_recalled_question_is_answered_in_its_chat(feishu: FeishuStub, app: Speaker) -> None:
    """Where nothing can be replied to, the card is written into the chat, under the same key."""
    anchor = asked(feishu)
    feishu.shown(GROUP)[0].recalled = True
    first = app.post(Draft("x"), to(GROUP, anchor), NONCE)
    assert app.post(Draft("x"), to(GROUP, anchor), NONCE) == first
    question, answer = feishu.shown(GROUP)
    assert (answer.parent, question.recalled) == ("", True)


@pytest.mark.parametrize("gone", ["recalled", "deleted", "old"])
def test_a_final_text_whose_card_is_gone_is_posted_anew(
    feishu: FeishuStub, app: Speaker, time: Time, gone: str
) -> None:
    """Once, however often the change is repeated; growing text is not worth a card."""
    anchor = asked(feishu)
    receipt = app.post(Draft("⏳"), to(GROUP, anchor), NONCE)
    card = feishu.shown(GROUP)[1]
    if gone == "old":
        time.at += 15 * 86_400.0
        app.credentials = app.run(PLATFORM.exchange(app.credentials, to(GROUP), time.at))
    else:
        setattr(card, gone, True)
    growing = PLATFORM.render(Reply("It is", Tone.PROGRESS))[0]
    with pytest.raises(ConversationGone):
        app.edit(growing, receipt, to(GROUP, anchor))
    moved = [app.edit(Draft("It is 42."), receipt, to(GROUP, anchor)) for _ in range(2)]
    assert moved[0] == moved[1] != receipt
    assert [one.text for one in feishu.shown(GROUP)[2:]] == ["It is 42."]


def test_words_that_are_not_let_through_are_said_to_be(feishu: FeishuStub, app: Speaker) -> None:
    """The card no longer says that work goes on, and the refusal is the operator's to see."""
    receipt = app.post(Draft("⏳"), to(ADA), NONCE)
    feishu.chats.forbidden = "secret"
    with pytest.raises(PostRejected, match="230028"):
        app.edit(Draft("a secret"), receipt, to(ADA))
    assert feishu.shown(ADA)[0].text.startswith("The platform does not let this answer through")
    with pytest.raises(PostRejected):
        app.post(Draft("a secret"), to(ADA), OTHER)


def test_a_card_that_cannot_be_made_is_shown_as_plain_text(
    feishu: FeishuStub, app: Speaker
) -> None:
    """Whatever Feishu's Markdown does not take, the words come; first and changed."""
    tables = "\n\n".join(["| a |\n| --- |\n| b |"] * 6)
    receipt = app.post(Draft(tables), to(ADA), NONCE)
    assert feishu.shown(ADA)[0].text == tables
    assert '"plain_text"' in feishu.shown(ADA)[0].content
    app.edit(Draft(f"{tables}\n"), receipt, to(ADA))
    assert feishu.shown(ADA)[0].edits == 1


def test_places_that_take_nothing(feishu: FeishuStub, app: Speaker) -> None:
    """A group without us or one that is no more: gone for good."""
    for chat, name in ((feishu.add_chat("oc_left", "group"), "joined"),
                       (feishu.add_chat("oc_over", "group"), "dissolved")):  # fmt: skip
        anchor = asked(feishu, chat.id)
        setattr(chat, name, name == "dissolved")
        with pytest.raises(ConversationGone):
            app.post(Draft("x"), to(chat.id, anchor), NONCE)
    with pytest.raises(PostRejected):
        app.post(Draft("x"), to("oc_nowhere"), NONCE)


def test_a_token_that_ended_is_refused(app: Speaker, time: Time) -> None:
    """After two hours, and before one was ever asked for."""
    time.at += LASTS
    with pytest.raises(CredentialsRejected, match="99991663"):
        app.post(Draft("x"), to(ADA), NONCE)
    app.credentials = app.run(PLATFORM.exchange(app.credentials, to(ADA), time.at))
    app.post(Draft("x"), to(ADA), NONCE)
    assert float(app.credentials.secret("token_expires_at")) > time.at + LASTS - 60


@pytest.mark.parametrize("wrong", ["app_id", "app_secret"])
def test_a_wrong_app_is_the_operators_business(app: Speaker, wrong: str) -> None:
    """An id or secret that Feishu does not know is told as such, without the secret."""
    secrets = {**app.credentials.secrets, wrong: "another-value"}
    with pytest.raises(CredentialsRejected) as raised:
        app.run(PLATFORM.exchange(replace(app.credentials, secrets=secrets), to(ADA), 0.0))
    assert "another-value" not in str(raised.value)


def test_limits_are_told_in_seconds(feishu: FeishuStub, app: Speaker) -> None:
    """A refusal says how long to wait, and nothing is tried before."""
    feishu.fault(Do.CREATE, Fault.too_many(33))
    with pytest.raises(RateLimited) as raised:
        app.post(Draft("x"), to(ADA), NONCE)
    assert raised.value.after == 33.0
    assert len(feishu.calls_of(Do.CREATE)) == 1


def test_a_chat_takes_five_posts_a_second(tmp_path: Path) -> None:
    """The stub holds a chat to its rate, and so it does a card."""
    with FeishuStub(clock=lambda: 1_790_000_000.0) as feishu:
        feishu.add_chat(ADA)
        with speaking(feishu, tmp_path) as app:
            receipts = [app.post(Draft("x"), to(ADA), f"{at:032x}") for at in range(5)]
            with pytest.raises(RateLimited):
                app.post(Draft("x"), to(ADA), NONCE)
            for at in range(5):
                app.edit(Draft(f"x{at}"), receipts[0], to(ADA))
            with pytest.raises(RateLimited):
                app.edit(Draft("y"), receipts[0], to(ADA))


def test_reactions_mark_the_question(feishu: FeishuStub, app: Speaker) -> None:
    """Accepted and done; a message that is gone takes none, and that is no failure."""
    anchor = asked(feishu)
    for stage in (Stage.ACCEPTED, Stage.RUNNING, Stage.DONE):
        app.signal(stage, to(GROUP, anchor))
    assert feishu.shown(GROUP)[0].reactions == ["OK", "DONE"]
    app.signal(Stage.DONE, to(GROUP))
    feishu.shown(GROUP)[0].recalled = True
    with pytest.raises(ConversationGone):
        app.signal(Stage.DONE, to(GROUP, anchor))


def test_the_app_is_asked_who_it_is(app: Speaker) -> None:
    """The bot's own account comes from its app."""
    known = app.run(PLATFORM.identify(replace(app.credentials, identity="", identity_name="")))
    assert (known.identity, known.identity_name) == ("ou_bot01", "Threadline")


@pytest.mark.parametrize("chat", [GROUP, TOPICS, ADA])
def test_a_lost_post_is_found_by_its_element(feishu: FeishuStub, app: Speaker, chat: str) -> None:
    """A card whose answer was cut off is found where it stands; another nonce is not there."""
    event = feishu.say(chat, "question")["event"]["message"]
    thread = event.get("thread_id", "")
    place = to(chat, event["message_id"], {"thread": thread} if thread else {})
    feishu.fault(Do.REPLY, Fault.drop("after"), times=3)
    with pytest.raises(PostUnknown):
        app.post(Draft("the answer"), place, NONCE)
    found = app.find(place, NONCE)
    assert found is not None
    assert found.id == feishu.shown(chat)[-1].id
    assert app.find(place, OTHER) is None
    app.edit(Draft("edited"), found, place)
    assert feishu.shown(chat)[-1].text == "edited"


def test_history_is_read_back_to_the_question(feishu: FeishuStub, app: Speaker) -> None:
    """Over several pages, no further than needed; where too much was said, nothing is certain."""
    asked(feishu)
    anchor = asked(feishu)
    app.post(Draft("early"), to(GROUP, anchor), NONCE)
    for _ in range(120):
        feishu.say(GROUP, "talk")
    assert app.find(to(GROUP, anchor), NONCE) is not None
    assert app.find(to(GROUP, anchor), OTHER) is None
    assert len(feishu.calls_of(Do.HISTORY)) == 6
    for _ in range(500):
        feishu.say(GROUP, "talk")
    with pytest.raises(PlatformUnavailable):
        app.find(to(GROUP, anchor), OTHER)


def test_a_history_that_may_not_be_read_proves_nothing(feishu: FeishuStub, app: Speaker) -> None:
    """Without the scope for a group's messages a lost post stays in doubt."""
    feishu.chats.history = False
    with pytest.raises(CredentialsRejected):
        app.find(to(GROUP, asked(feishu)), NONCE)
    assert app.find(to(ADA, asked(feishu, ADA)), NONCE) is None


def test_a_file_is_fetched_by_its_own_message(feishu: FeishuStub, app: Speaker) -> None:
    """A key opens only together with the message that it came in."""
    anchor, other = asked(feishu), asked(feishu)
    feishu.add_file(anchor, "file_1", b"content")
    feishu.add_file(anchor, "img_1", PNG)
    assert app.fetch(FileRef("file:file_1", "a.txt", "text/plain", message=anchor)) == b"content"
    assert app.fetch(FileRef("image:img_1", "a.jpg", "image/jpeg", message=anchor)) == PNG
    with pytest.raises(PostRejected, match="234003"):
        app.fetch(FileRef("file:file_1", "a.txt", "text/plain", message=other))


@pytest.mark.parametrize(
    "file",
    [
        FileRef("file:file_1", "a.txt", "text/plain"),
        FileRef("file:", "a.txt", "text/plain", message="om_1"),
        FileRef("video:file_1", "a.txt", "text/plain", message="om_1"),
        FileRef("file:file_1", "a.txt", "text/plain", message="om_1", problem="unsupported"),
        FileRef("", "sticker", "", message="om_1", problem="unsupported"),
    ],
)
def test_what_cannot_be_fetched_is_not_asked_for(
    feishu: FeishuStub, app: Speaker, file: FileRef
) -> None:
    """No message, no key, an unknown kind, or a problem that is known already."""
    with pytest.raises(PostRejected):
        app.fetch(file)
    assert feishu.calls_of(Do.RESOURCE) == []


@pytest.mark.parametrize(("limit", "says"), [(1_000_000, "1 MB"), (50_000_000, "20 MB")])
def test_a_long_file_is_refused_by_what_came(
    feishu: FeishuStub, app: Speaker, limit: int, says: str
) -> None:
    """Feishu tells no size before: one byte too many shows it, and twenty million are the most."""
    anchor = asked(feishu)
    feishu.add_file(anchor, "file_1", b"x" * (min(limit, 20_000_000) + 1))
    with pytest.raises(PostRejected, match=f"larger than {says}"):
        app.fetch(FileRef("file:file_1", "a.bin", "", message=anchor), limit)


@pytest.mark.parametrize(
    ("name", "body", "kind"),
    [
        ("plot.png", PNG, "image"),
        ("plot.PNG", PNG, "image"),
        ("not-really.png", b"text", "file"),
        ("report.pdf", b"%PDF", "file"),
        ('a "b"\r\n.txt', b"x", "file"),
        ("报告.xlsx", b"x", "file"),
    ],
)
def test_a_file_of_ours_stands_in_the_chat(
    feishu: FeishuStub, app: Speaker, name: str, body: bytes, kind: str
) -> None:
    """A picture as a picture, the rest as files; what is no picture after all comes as a file."""
    anchor = asked(feishu)
    receipt = app.upload(name, body, to(GROUP, anchor))
    shown = feishu.shown(GROUP)[-1]
    assert (shown.id, shown.kind, shown.parent) == (receipt.id, kind, anchor)
    assert feishu.uploads[shown.text][1] == body
    assert app.upload(name, body, to(GROUP, anchor)) == receipt


@pytest.mark.parametrize("size", [0, 30 * 1024 * 1024 + 1])
def test_files_that_feishu_does_not_take_are_not_sent(
    feishu: FeishuStub, app: Speaker, size: int
) -> None:
    """Empty ones and those above 30 MB."""
    file = FileDraft("a.bin", BlobRef("made", size, ""))
    flow = PLATFORM.upload(file, to(ADA), app.credentials)
    with pytest.raises(PostRejected):
        app.run(flow)
    assert feishu.calls_of(Do.FILE, Do.IMAGE) == []


def test_a_large_picture_goes_as_a_file(feishu: FeishuStub, app: Speaker) -> None:
    """Above 10 MB Feishu takes no picture."""
    app.upload("plot.png", PNG + b"0" * (10 * 1024 * 1024), to(ADA))
    assert feishu.shown(ADA)[0].kind == "file"


def test_a_shown_file_whose_answer_was_lost_is_unknown(feishu: FeishuStub, app: Speaker) -> None:
    """Only the message shows the file: before it trouble is harmless, after it it is doubt."""
    feishu.fault(Do.FILE, Fault.status(502), times=3)
    with pytest.raises(PlatformUnavailable):
        app.upload("a.txt", b"x", to(ADA))
    feishu.fault(Do.CREATE, Fault.drop("after"), times=3)
    with pytest.raises(PostUnknown):
        app.upload("a.txt", b"x", to(ADA))
    app.upload("a.txt", b"x", to(ADA))
    assert len(feishu.shown(ADA)) == 1


@pytest.mark.parametrize(
    ("card", "code"),
    [
        ({"elements": []}, "200621"),
        ({"schema": "2.0", "body": {"elements": []}}, "11246"),
        ({"schema": "2.0", "config": {"update_multi": True}, "body": {}}, "200621"),
    ],
)
def test_the_stub_takes_no_card_out_of_shape(
    feishu: FeishuStub, app: Speaker, card: dict[str, object], code: str
) -> None:
    """What a card must have is not forgotten unseen."""
    from threadline.platforms.feishu import rest
    from threadline.platforms.feishu.card import written

    body = {"msg_type": "interactive", "content": written(card), "receive_id": ADA}  # type: ignore[arg-type]
    wanted = rest.of_json("POST", "im/v1/messages?receive_id_type=chat_id", "message", body)
    answer = app.run(rest.call(wanted, app.credentials))
    assert code in str(answer)


def test_a_card_that_never_was_is_refused_for_good(app: Speaker) -> None:
    """A message id that Feishu never gave."""
    with pytest.raises(PostRejected):
        app.edit(Draft("x"), Receipt("om_never"), to(ADA))
