"""Whether a message speaks to the bot, what it says, and where it stands."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.platforms.discord import CREDENTIALS
from tests.unit.discord.sessions import BOT, CHANNEL, THREAD, message
from threadline.core.message import Ignored, Message, Messages, Webhook
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.discord import PLATFORM
from threadline.platforms.discord.reading import HIDDEN

ROLE = "1180000000000000202"
ID = "1550952349696000001"
FLAT = replace(CREDENTIALS, options={"answers_in": "channel"})


def parse(
    text: str, credentials: Credentials = CREDENTIALS, place: Any = None, **more: Any
) -> Message:
    """Parse one message in a channel."""
    event = {
        "t": "MESSAGE_CREATE", "d": message(ID, text, **more), "place": place or {"roles": [ROLE]},
    }  # fmt: skip
    parsed = PLATFORM.parse(
        Webhook("POST", "/", {}, {}, json.dumps(event).encode()), credentials, 0
    )
    assert isinstance(parsed, Messages), parsed
    return parsed.messages[0]


@pytest.mark.parametrize(
    ("text", "heard", "addressed"),
    [
        (f"<@{BOT}> hello", "hello", True),
        (f"<@!{BOT}>, hello", "hello", True),
        (f"hello <@{BOT}>", "hello", True),
        (f"so <@{BOT}> what now", "so what now", True),
        (f"<@&{ROLE}> hello", "hello", True),
        (f"<@{BOT}> /new", "/new", True),
        (f"<@!{BOT}> /my-skill x", "/my-skill x", True),
        ("@everyone hello", "@everyone hello", False),
        ("<@810000000000000002> hello", "<@810000000000000002> hello", False),
        ("<@&1180000000000000203> hello", "<@&1180000000000000203> hello", False),
        (
            "look <a:party:1180000000000000203> <:ok:1180000000000000204>",
            "look :party: :ok:",
            False,
        ),
        (f"    code\n<@{BOT}>", "code", True),
    ],
)
def test_what_is_heard(text: str, heard: str, addressed: bool) -> None:
    """Mentions of the bot or of its own role call it and are left out; all others stay."""
    found = parse(text)
    assert (found.text, found.addressed) == (heard, addressed)


def test_other_people_are_named() -> None:
    """Who is mentioned stands there by the name people see."""
    mentions = [{"id": "810000000000000002", "username": "bo.lind", "global_name": "Bo Lind"}]
    assert parse("ask <@810000000000000002>", mentions=mentions).text == "ask @Bo Lind"


def test_a_silent_reply_counts() -> None:
    """A reply to the bot that pings nobody is said to it, too."""
    answered = {"id": "1550952349696000000", "content": "x", "author": {"id": BOT}}
    found = parse("why?", type=19, referenced_message=answered)
    assert found.addressed
    assert found.replies_to == ("1550952349696000000",)


@pytest.mark.parametrize(
    "credentials",
    [
        replace(CREDENTIALS, identity=""),
        replace(CREDENTIALS, secrets={**CREDENTIALS.secrets, "bot_token": "x"}),
    ],
)
def test_the_bot_knows_itself_by_setting_or_token(credentials: Credentials) -> None:
    """Its id is written in the settings, or stands at the head of its token."""
    assert parse(f"<@{BOT}> hello", credentials).text == "hello"


@pytest.mark.parametrize("token", ["", "x", "%%%%.a.b", "dGV4dA.a.b", "ä.b"])
def test_a_token_without_an_id_is_no_harm(token: str) -> None:
    """Who the bot is stays unknown; nothing breaks and nobody is taken for it."""
    nobody = replace(CREDENTIALS, identity="", secrets={"bot_token": token})
    assert not parse(f"<@{BOT}> hello", nobody).addressed


@pytest.mark.parametrize(
    ("credentials", "place", "topic", "mailbox"),
    [
        (CREDENTIALS, {}, ID, f"discord/default/{ID}"),
        (FLAT, {}, "", f"discord/default/{CHANNEL}"),
        (CREDENTIALS, {"parent": CHANNEL}, CHANNEL, f"discord/default/{CHANNEL}"),
    ],
)
def test_where_it_belongs(credentials: Credentials, place: Any, topic: str, mailbox: str) -> None:
    """A channel's message begins its own thread, unless the app answers in the channel."""
    found = parse("hello", credentials, place)
    assert (found.topic, found.mailbox) == (topic, mailbox)


def test_a_question_and_its_thread_share_a_mailbox() -> None:
    """The thread has its first message's id: what is said in it comes to the same mailbox."""
    question = parse("hello")
    within = parse("more", place={"parent": CHANNEL}, id=THREAD, channel_id=ID)
    assert within.mailbox == question.mailbox
    assert (within.chat, within.topic) == (question.chat, question.topic)


def test_a_thread_is_named_shortly() -> None:
    """What a thread is to be called is no copy of a long question."""
    assert parse("w" * 1900).facts["title"] == "w" * 60


def test_an_edit_is_another_message_each_time() -> None:
    """Each edit has an id of its own, sorts behind its original, and comes once."""
    said = message(ID, "new", edited_timestamp="2026-09-21T14:14:02.481000+00:00")
    event = {"t": "MESSAGE_UPDATE", "d": said, "place": {}}
    request = Webhook("POST", "/", {}, {}, json.dumps(event).encode())
    parsed = PLATFORM.parse(request, CREDENTIALS, 0)
    assert isinstance(parsed, Messages)
    (edit,) = parsed.messages
    assert edit.edits == ID
    assert edit.id == f"{ID}.20260921141402481000"
    assert edit.order > parse("old").order


def test_a_message_without_content_says_nothing() -> None:
    """Where the intent is missing Discord sends empty texts: no run, and a word about why."""
    event = {"t": "MESSAGE_CREATE", "d": message(ID, ""), "place": {}}
    request = Webhook("POST", "/", {}, {}, json.dumps(event).encode())
    assert PLATFORM.parse(request, CREDENTIALS, 0) == Ignored(Reason.NO_CONTENT, HIDDEN)
