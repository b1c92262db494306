import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.buzz.relay import ANN, NOW, US, credentials
from threadline.core import keys
from threadline.core.message import Ignored, Message, Messages, Webhook
from threadline.core.reasons import Reason
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.event import ADDED, CHAT, Signer, Tags
from threadline.platforms.buzz.parse import without_mention

ONE, TWO = "11" * 32, "22" * 32
MENTION: Tags = (("p", US.pubkey),)


def body(
    text: str = "hello", tags: Tags = (), *, direct: Any = False, by: Signer = ANN, kind: int = CHAT
) -> bytes:
    """Give what a session delivers."""
    event = by.sign(int(NOW), kind, (("h", "ch-1"), *tags), text)
    return json.dumps(
        {"event": event.payload, "channel": {"name": "general", "direct": direct}}
    ).encode()


def parse(delivery: bytes) -> Message:
    """Parse what leads to one message."""
    parsed = PLATFORM.parse(Webhook("POST", "/", {}, {}, delivery), credentials(), NOW)
    assert isinstance(parsed, Messages)
    (message,) = parsed.messages
    return message


def ignored(delivery: bytes) -> str:
    """Parse what leads to none, and give the reason."""
    parsed = PLATFORM.parse(Webhook("POST", "/", {}, {}, delivery), credentials(), NOW)
    assert isinstance(parsed, Ignored)
    return parsed.reason


def test_a_message_is_complete() -> None:
    """Everything dispatch needs stands in the message: place, author, conversation, ids."""
    message = parse(body("@bot hello", MENTION))
    assert keys.split(message.mailbox) == ("buzz", "default", "buzz.example.com", "ch-1")
    assert (message.workspace, message.chat) == ("buzz.example.com", "ch-1")
    assert (message.sender.id, message.text) == (ANN.pubkey, "hello")
    assert message.topic == message.anchor == message.id
    assert message.delivery == f"buzz-default-{message.id}"
    assert message.addressed
    assert not message.private
    assert message.sent_at == NOW


def test_a_thread_is_one_conversation() -> None:
    """A reply belongs to the root of its thread, marked as such or named first."""
    marked: Tags = (("e", TWO, "", "reply"), ("e", ONE, "", "root"))
    for tags in (marked, (("e", ONE), ("e", TWO))):
        message = parse(body("hello", tags))
        assert message.topic == message.facts["root"] == ONE
        assert set(message.replies_to) == {ONE, TWO}
        assert not message.addressed


def test_a_quoted_message_is_no_thread() -> None:
    """An event that is only mentioned begins no thread."""
    message = parse(body("see", (("e", ONE, "", "mention"),)))
    assert (message.topic, message.replies_to) == (message.id, ())


@pytest.mark.parametrize(("direct", "private"), [(True, True), (False, False), ("true", False)])
def test_only_a_direct_channel_needs_no_mention(direct: object, private: bool) -> None:
    """A direct channel is one private conversation; anything else is no such channel."""
    message = parse(body("hello", (("e", ONE),), direct=direct))
    assert (message.private, message.addressed) == (private, private)
    assert message.topic == ("" if private else ONE)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("@DeerFlow hello", "hello"),
        ("  @DeerFlow  hello you", "hello you"),
        ("@Alice, @DeerFlow help", "@Alice, @DeerFlow help"),
        ("@Alice @DeerFlow help", "@Alice @DeerFlow help"),
        ("@DeerFlow", "@DeerFlow"),
        ("@ hello", "@ hello"),
        ("hello @DeerFlow", "hello @DeerFlow"),
        ("@DeerFlow /new", "/new"),
    ],
)
def test_a_leading_name_is_dropped_where_it_is_ours(text: str, left: str) -> None:
    """One leading name before other words stands for the bot; anything doubtful is left alone."""
    assert without_mention(text) == left
    assert parse(body(text, MENTION)).text == left
    assert parse(body(text)).text == text


def test_what_is_not_for_us_has_a_reason() -> None:
    """Own words, empty ones and other kinds lead to no message."""
    assert ignored(body("me", by=US)) == Reason.OWN_MESSAGE
    assert ignored(body(" \n")) == Reason.NO_CONTENT
    assert ignored(body("added", kind=ADDED)) == Reason.UNKNOWN_EVENT


@given(st.one_of(st.binary(), st.text().map(lambda text: json.dumps({"event": text}).encode())))
def test_any_bytes_have_a_reason(delivery: bytes) -> None:
    """Whatever is delivered is never an error."""
    assert ignored(delivery) == Reason.UNREADABLE
