"""The strict Telegram refuses what the real one refuses, and our flows live with it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.contract.platforms.answers import ANSWERS
from tests.stubs.telegram import Fault, TelegramStub
from tests.unit.telegram.bots import Speaker, speaking, to
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
from threadline.core.posting import Draft, Receipt, Stage
from threadline.platforms.telegram import PLATFORM

ADA, GROUP, FORUM = 810001, -100500, -100900


@pytest.fixture
def telegram() -> Iterator[TelegramStub]:
    """A Telegram with a private chat, a group and a forum, in a time that stands still."""
    with TelegramStub(clock=lambda: 1000.0) as stub:
        stub.add_chat(ADA)
        stub.add_chat(GROUP, "supergroup")
        stub.add_chat(FORUM, "supergroup", threads=(17,))
        yield stub


@pytest.fixture
def bot(telegram: TelegramStub, tmp_path: Path) -> Iterator[Speaker]:
    """A bot of that Telegram."""
    with speaking(telegram, tmp_path) as speaker:
        yield speaker


def test_a_message_grows_into_its_answer(telegram: TelegramStub, bot: Speaker) -> None:
    """A placeholder that replies to the question becomes the formatted answer."""
    asked = telegram.say(ADA, "what is 6 times 7?")["message"]["message_id"]
    (receipt,) = bot.post("⏳ Working on it…", to(ADA, asked))
    bot.edit("The answer is **42**.", receipt, to(ADA, asked))
    question, answer = telegram.shown(ADA)
    assert question.text == "what is 6 times 7?"
    assert (answer.text, answer.reply_to, answer.edits) == ("The answer is 42.", asked, 1)
    assert answer.entities == [{"type": "bold", "offset": 14, "length": 2}]
    assert [call.method for call in telegram.calls] == ["sendMessage", "editMessageText"]


@pytest.mark.parametrize("markdown", ANSWERS.values(), ids=ANSWERS.keys())
def test_everything_an_agent_writes_is_taken(
    telegram: TelegramStub, bot: Speaker, markdown: str
) -> None:
    """No answer is refused: each part is sent once, formatting and all."""
    receipts = bot.post(markdown, to(ADA))
    assert len(telegram.calls) == len(receipts) == len(telegram.shown(ADA))


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("x" * 4097, []),
        ("😀" * 2049, []),
        (" \n", []),
    ],
)
def test_texts_that_telegram_refuses(
    telegram: TelegramStub, bot: Speaker, text: str, entities: list[Any]
) -> None:
    """A text that is empty or over 4096 UTF-16 units is refused for good."""
    with pytest.raises(PostRejected):
        bot.post_raw(Draft(text, {"entities": json.dumps(entities)}), to(ADA))
    assert telegram.shown(ADA) == []


@pytest.mark.parametrize(
    "entities",
    [
        [{"type": "shiny", "offset": 0, "length": 1}],
        [{"type": "bold", "offset": 0, "length": 99}],
        [{"type": "bold", "offset": -1, "length": 2}],
        [{"type": "bold", "offset": 0, "length": 1}],
        [{"type": "text_link", "offset": 0, "length": 2}],
        [{"type": "text_link", "offset": 0, "length": 2, "url": "/path"}],
        [{"type": "text_link", "offset": 0, "length": 2, "url": "https://localhost/"}],
        [{"type": "bold", "offset": 0, "length": 4}, {"type": "italic", "offset": 3, "length": 4}],
        [{"type": "bold", "offset": 0, "length": 6}, {"type": "code", "offset": 2, "length": 2}],
        [{"type": "bold", "offset": 0, "length": 2}] * 101,
        {"type": "bold"},
        [7],
    ],
)
def test_formatting_that_telegram_refuses_is_dropped(
    telegram: TelegramStub, bot: Speaker, entities: object
) -> None:
    """Entities outside the text, crossing, nested wrongly or unknown: the text goes out plain."""
    bot.post_raw(Draft("😀 hello", {"entities": json.dumps(entities)}), to(ADA))
    assert [call.status for call in telegram.calls] == [400, 200]
    (shown,) = telegram.shown(ADA)
    assert (shown.text, list(shown.entities)) == ("😀 hello", [])


def test_an_unchanged_edit_is_refused_and_is_success(telegram: TelegramStub, bot: Speaker) -> None:
    """Telegram calls an unchanged text an error; to us the text stands there."""
    (receipt,) = bot.post("same", to(ADA))
    assert bot.edit("same", receipt, to(ADA)) == receipt
    assert telegram.calls[-1].status == 400
    assert telegram.shown(ADA)[0].edits == 0


def test_edits_have_a_rate(telegram: TelegramStub, tmp_path: Path) -> None:
    """Two edits of one chat faster than allowed: the second is told how long to wait."""
    now = [1000.0]
    with TelegramStub(clock=lambda: now[0]) as stub, speaking(stub, tmp_path) as bot:
        stub.add_chat(GROUP, "supergroup")
        (receipt,) = bot.post("0", to(GROUP))
        bot.edit("1", receipt, to(GROUP))
        now[0] += 1.0
        with pytest.raises(RateLimited) as raised:
            bot.edit("2", receipt, to(GROUP))
        assert raised.value.after == 2.0
        now[0] += raised.value.after
        bot.edit("3", receipt, to(GROUP))
        assert [m.text for m in stub.shown(GROUP)] == ["3"]
    assert telegram.calls == []


def test_places_that_are_gone(telegram: TelegramStub, bot: Speaker) -> None:
    """An unknown chat, topic or message and a chat that blocked the bot will not be tried again."""
    telegram.chat(GROUP).blocked = True
    (receipt,) = bot.post("x", to(ADA))
    for gone in (to(1), to(GROUP), to(FORUM, thread=18, private=False)):
        with pytest.raises(ConversationGone):
            bot.post("x", gone)
    for target, chat in ((Receipt("99"), to(ADA)), (Receipt(receipt.id), to(1))):
        with pytest.raises(ConversationGone):
            bot.edit("y", target, chat)


def test_a_topic_gets_its_answer_though_the_question_is_gone(
    telegram: TelegramStub, bot: Speaker
) -> None:
    """In a topic a reply to a deleted message is refused; the answer comes without the reply."""
    bot.post("x", to(FORUM, anchor=99, thread=17, private=False))
    bot.post("y", to(ADA, anchor=99))
    assert [call.status for call in telegram.calls] == [400, 200, 200]
    (shown,) = telegram.shown(FORUM)
    assert (shown.thread, shown.reply_to) == (17, None)


def test_a_moved_group_is_followed(telegram: TelegramStub, bot: Speaker) -> None:
    """What is posted to a group's old number stands in its new chat and is edited there."""
    telegram.add_chat(-5, "group").moved_to = GROUP
    (receipt,) = bot.post("x", to(-5))
    bot.edit("y", receipt, to(-5))
    assert [m.text for m in telegram.shown(GROUP)] == ["y"]


def test_a_wrong_token_is_refused(telegram: TelegramStub, tmp_path: Path) -> None:
    """Another token is told so, and it shows in no error."""
    other = TelegramStub(token="7:wrong", url=telegram.url)
    with speaking(other, tmp_path) as bot, pytest.raises(CredentialsRejected) as raised:
        bot.post("x", to(ADA))
    assert "7:wrong" not in str(raised.value)


@pytest.mark.parametrize(
    ("fault", "error", "stands"),
    [
        (Fault.status(500), PostUnknown, False),
        (Fault.status(502), PostUnknown, False),
        (Fault.too_many(33), RateLimited, False),
        (Fault.drop("before"), PostUnknown, False),
        (Fault.drop("after"), PostUnknown, True),
    ],
)
def test_faults_of_a_post(
    telegram: TelegramStub, bot: Speaker, fault: Fault, error: type[PostError], *, stands: bool
) -> None:
    """A post whose answer was lost is unknown, whether or not it stands; nothing is sent twice."""
    telegram.fault("sendMessage", fault)
    with pytest.raises(error):
        bot.post("x", to(ADA))
    assert [m.text for m in telegram.shown(ADA)] == (["x"] if stands else [])
    assert len(telegram.calls) == 1
    bot.post("y", to(ADA))


def test_an_edit_may_come_again(tmp_path: Path) -> None:
    """An edit whose answer was lost does no harm when it comes again: it is found done."""
    with TelegramStub(edit_interval=0.0) as telegram, speaking(telegram, tmp_path) as bot:
        telegram.add_chat(ADA)
        (receipt,) = bot.post("x", to(ADA))
        telegram.fault("editMessageText", Fault.drop("after"))
        with pytest.raises(PlatformUnavailable):
            bot.edit("y", receipt, to(ADA))
        assert bot.edit("y", receipt, to(ADA)) == receipt
        assert [m.edits for m in telegram.shown(ADA)] == [1]


def test_a_telegram_that_is_down_took_nothing(tmp_path: Path) -> None:
    """A refused connection is certain: the post can come again later."""
    with TelegramStub() as stub:
        url = stub.url
    with speaking(TelegramStub(url=url), tmp_path) as bot, pytest.raises(PlatformUnavailable):
        bot.post("x", to(ADA))


def test_a_bot_learns_who_it_is(bot: Speaker) -> None:
    """The token alone tells the bot's own number and name; a wrong one is said."""
    stranger = replace(bot.credentials, identity="", identity_name="")
    known = bot.run(PLATFORM.identify(stranger))
    assert (known.identity, known.identity_name) == ("7000000001", "ThreadlineDemoBot")
    assert known.secrets == stranger.secrets
    with pytest.raises(CredentialsRejected):
        bot.run(PLATFORM.identify(replace(stranger, secrets={"bot_token": "7:wrong"})))


def test_signs_are_shown(telegram: TelegramStub, bot: Speaker) -> None:
    """Typing and reactions arrive, and may be repeated."""
    asked = telegram.say(ADA, "hi")["message"]["message_id"]
    for _ in range(2):
        bot.signal(Stage.RUNNING, to(ADA, asked))
        bot.signal(Stage.REFUSED, to(ADA, asked))
    assert telegram.chat(ADA).actions == ["typing", "typing"]
    assert telegram.chat(ADA).reactions == {asked: "🤷"}


def test_files_go_both_ways(telegram: TelegramStub, bot: Speaker) -> None:
    """A person's file is fetched byte for byte, and the agent's is put into the chat."""
    content = bytes(range(256)) * 40 + b"\r\n--\r\n"
    telegram.add_file("report", content)
    telegram.add_file("huge", b"", announced=20_000_001)
    assert bot.fetch(FileRef("report", "r.pdf", "application/pdf")) == content
    for file in ("huge", "unknown"):
        with pytest.raises(PostRejected):
            bot.fetch(FileRef(file, "x", "application/pdf"))
    bot.upload("chart.png", "image/png", content, to(ADA))
    bot.upload("r.pdf", "application/pdf", content, to(FORUM, thread=17, private=False))
    assert [m.file for m in (*telegram.shown(ADA), *telegram.shown(FORUM))] == [content, content]
