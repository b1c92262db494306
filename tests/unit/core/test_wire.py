"""What ingest writes by hand is what all others read."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadline.app import codec
from threadline.core import wire
from threadline.core.arrived import Arrived
from threadline.core.ids import AppName, DeliveryId, MailboxKey, MessageId, PlatformName
from threadline.core.message import FileRef, Message, MessageKind, Sender, Trust

MESSAGE = Message(
    platform=PlatformName("slack"), app=AppName("default"), workspace="T1", chat="C1", topic="1.0",
    id=MessageId("1.0"), delivery=DeliveryId("slack-default-1"), mailbox=MailboxKey("slack/C1"),
    order="1.0", sent_at=1_790_000_000.25, sender=Sender("U1", "Ada", trust=Trust.MEMBER),
    text="hello", kind=MessageKind.EDIT, replies_to=(MessageId("0.5"),),
    files=(FileRef("F1", "a.png", "image/png", image=True),), facts={"thread": "1.0"},
)  # fmt: skip
ANY_TEXT = st.lists(st.characters() | st.sampled_from("\ud83d\ude00\\")).map("".join)


@given(ANY_TEXT, ANY_TEXT)
def test_mail_is_read_as_it_was_written(text: str, fact: str) -> None:
    """Any text comes back whole; only halves of characters are replaced, and all is ASCII."""
    message = replace(MESSAGE, text=text, facts={fact: text})
    mail = Arrived(message=message, accepted_at=1_790_000_001.5)
    body = wire.encode(mail)
    assert body.isascii()
    expected = replace(message, text=whole(text), facts={whole(fact): whole(text)})
    assert codec.decode(body) == replace(mail, message=expected)


@pytest.mark.parametrize("text", ["plain", "é漢🎈", "\ufffe\uffff", "\x00\x1b", "\\ud83d", "🎈\\"])
def test_text_that_is_whole_is_not_changed(text: str) -> None:
    """What a person can write is not touched, whatever escapes it needs."""
    mail = Arrived(message=replace(MESSAGE, text=text), accepted_at=0.0)
    assert codec.decode(wire.encode(mail)) == mail


@pytest.mark.parametrize("text", ["\ud83d", "\ude00 late", "one \ud83d, one \ude00"])
def test_half_a_character_is_replaced(text: str) -> None:
    """No queue takes half a character: it becomes the sign for what cannot be shown."""
    mail = Arrived(message=replace(MESSAGE, text=text), accepted_at=0.0)
    read = codec.decode(wire.encode(mail))
    assert isinstance(read, Arrived)
    assert read.message.text == whole(text)
    assert "\ufffd" in read.message.text


def whole(text: str) -> str:
    """Replace the halves of characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
