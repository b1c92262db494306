"""Who wrote, to whom and where: senders, mentions, topics, and events that are no messages."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.platforms.feishu import CREDENTIALS
from tests.events import recording
from tests.unit.feishu.events import PLAIN, changed, holding, message_of, parse
from threadline.core.message import Handshake, Ignored, Trust, Webhook
from threadline.core.reasons import Reason
from threadline.platforms.feishu import PLATFORM

BOT = CREDENTIALS.identity


def mention(key: str, account: str, name: str, kind: str = "user") -> dict[str, Any]:
    """Give one entry of a message's mentions."""
    return {"key": key, "id": {"open_id": account}, "name": name, "mentioned_type": kind}


OURS = mention("@_user_1", BOT, "Threadline", "bot")
LIN = mention("@_user_2", "ou_lin", "Lin Wei")
OTHER = mention("@_user_3", "ou_other", "Another", "bot")


@pytest.mark.parametrize(
    ("words", "heard"),
    [
        ("@_user_1 hello", "hello"),
        ("  @_user_1: hello", "hello"),
        ("@_user_1，你好", "你好"),
        ("@_user_1", "@Threadline"),
        ("@_user_1 @_user_1 hello", "hello"),
        ("@_user_2 @_user_1 hello", "@Lin Wei @Threadline hello"),
        ("hello @_user_1", "hello @Threadline"),
        ("@_user_1 ask @_user_2", "ask @Lin Wei"),
        ("@_user_1 see @_user_10 and @_user_7", "see @_user_10 and @_user_7"),
        ("@_user_1 /status", "/status"),
        ("@_user_2 @_user_1 /status", "/status"),
        ("@_all @_user_1 /status", "/status"),
        ("@_user_1 tell @_all", "tell @all"),
        ("@_user_1 @_allies", "@_allies"),
        ("@_user_2 /path/of/a/file", "@Lin Wei /path/of/a/file"),
        ("@_user_1 [image] is what I typed", "[image] is what I typed"),
    ],
)
def test_a_group_reads_names_not_tokens(words: str, heard: str) -> None:
    """The bot's own leading name is cut, others are spelled out, and what was typed stays."""
    content = json.dumps({"text": words})
    message = message_of(
        changed("message.group_mention", content=content, mentions=[OURS, LIN, OTHER])
    )  # fmt: skip
    assert message.text == heard


@pytest.mark.parametrize(
    ("identity", "name", "mentions", "addressed"),
    [
        (BOT, "Threadline", [OURS], True),
        (BOT, "Threadline", [LIN], False),
        (BOT, "Threadline", [OTHER], False),
        (BOT, "Threadline", [mention("@_user_1", "ou_x", "Threadline", "bot")], False),
        ("", "Threadline", [OURS], True),
        ("", "Threadline", [mention("@_user_1", "ou_x", "Threadline", "user")], False),
        ("", "Threadline", [OTHER], False),
        ("", "", [OTHER], True),
        ("", "", [LIN], False),
        (BOT, "Threadline", [], False),
        (BOT, "Threadline", [{**OURS, "key": "@_all"}], False),
        (BOT, "Threadline", [{**OURS, "key": "x"}, "no object"], False),
    ],
)
def test_a_mention_is_ours_by_id_then_by_name_then_by_kind(
    identity: str, name: str, mentions: list[Any], addressed: bool
) -> None:
    """Where nobody said who the bot is, any bot that is named counts."""
    credentials = replace(PLAIN, identity=identity, identity_name=name)
    content = json.dumps({"text": "hello"})
    message = message_of(
        changed("message.group_mention", None, credentials, content=content, mentions=mentions)
    )  # fmt: skip
    assert message.addressed is addressed


@pytest.mark.parametrize(
    ("ids", "topic", "replies_to"),
    [
        ({}, "om_own", ()),
        ({"root_id": "om_a", "parent_id": "om_b"}, "om_a", ("om_b", "om_a")),
        ({"root_id": "om_a", "parent_id": "om_a"}, "om_a", ("om_a",)),
        ({"thread_id": "omt_1"}, "omt_1", ()),
        (
            {"thread_id": "omt_1", "root_id": "om_a", "parent_id": "om_b"},
            "omt_1",
            ("om_b", "om_a"),
        ),
    ],
)
def test_a_topic_is_feishus_own_or_what_was_replied_to(
    ids: dict[str, Any], topic: str, replies_to: tuple[str, ...]
) -> None:
    """In groups; in private everything is one conversation."""
    ids = {"message_id": "om_own", **ids}
    in_group = message_of(changed("message.group_mention", **ids))
    assert (in_group.topic, in_group.replies_to) == (topic, replies_to)
    in_private = message_of(changed("message.p2p", **ids))
    assert (in_private.topic, in_private.replies_to) == ("", ())
    assert in_private.addressed
    assert in_private.private
    assert in_group.facts.get("thread", "") == ids.get("thread_id", "")
    assert in_group.anchor == in_private.anchor == "om_own"


@pytest.mark.parametrize(
    ("sender", "becomes"),
    [
        ({"sender_type": "app"}, Reason.BOT_SENDER),
        ({"sender_type": "app", "sender_id": {"open_id": BOT}}, Reason.OWN_MESSAGE),
        ({"sender_type": "bot", "sender_id": {"open_id": BOT}}, Reason.OWN_MESSAGE),
        (
            {"sender_type": "app", "sender_id": {"app_id": "cli_a8d1e7c2b3f4500d"}},
            Reason.OWN_MESSAGE,
        ),
        ({"sender_type": "anonymous"}, Reason.NO_SENDER),
        ({"sender_id": {}}, Reason.NO_SENDER),
        ({"sender_id": None}, Reason.NO_SENDER),
    ],
)
def test_senders_who_are_not_answered(sender: dict[str, Any], becomes: Reason) -> None:
    """Apps, ourselves, and whoever has no name."""
    parsed = changed("message.p2p", sender)
    assert isinstance(parsed, Ignored)
    assert parsed.reason is becomes


@pytest.mark.parametrize(
    ("sender", "bot", "trust"),
    [
        ({}, False, Trust.MEMBER),
        ({"tenant_key": "of_others"}, False, Trust.NONE),
        ({"tenant_key": None}, False, Trust.NONE),
        ({"sender_type": "bot"}, True, Trust.MEMBER),
    ],
)
def test_people_of_the_organisation_are_members(
    sender: dict[str, Any], bot: bool, trust: Trust
) -> None:
    """Somebody of another organisation in a shared group is nobody in particular."""
    message = message_of(changed("message.p2p", sender))
    assert (message.sender.bot, message.sender.trust) == (bot, trust)


def test_a_message_is_known_by_its_own_id() -> None:
    """The delivery has the event's id, which a copy may not share; the message keeps its own."""
    message = message_of(changed("message.p2p"))
    payload = recording("feishu", "message.p2p").payload
    assert message.id == payload["event"]["message"]["message_id"]
    assert message.delivery.endswith(payload["header"]["event_id"])
    assert message.mailbox == f"feishu/default/{message.chat}"
    assert message.sent_at == int(payload["event"]["message"]["create_time"]) / 1000


@pytest.mark.parametrize("part", ["message_id", "chat_id", "create_time"])
@pytest.mark.parametrize("value", [None, "", 7])
def test_a_message_without_what_it_needs_is_unreadable(part: str, value: Any) -> None:
    """No id, no chat or no time: nothing can be done with it."""
    other: dict[str, Any] = {part: value}
    parsed = changed("message.p2p", **other)
    assert isinstance(parsed, Ignored)
    assert parsed.reason is Reason.UNREADABLE


@pytest.mark.parametrize(
    "payload",
    [
        [], "text", None, {}, {"header": 1}, {"header": {"event_id": ""}},
        {"header": {"event_id": "e", "event_type": "im.message.receive_v1"}},
        {"header": {"event_id": "e", "event_type": "im.message.receive_v1"}, "event": []},
        {"type": "url_verification", "token": "wrong", "challenge": "c"},
        {"type": "url_verification", "token": PLAIN.secret("verification_token"), "challenge": ""},
        {"encrypt": "nobody has a key"}, {"encrypt": 1},
    ],
)  # fmt: skip
def test_what_is_no_event_is_unreadable(payload: object) -> None:
    """Whatever came in, it is judged and not raised."""
    parsed = parse(payload)
    assert isinstance(parsed, Ignored)
    assert parsed.reason is Reason.UNREADABLE


def test_events_of_the_first_version_are_told_apart() -> None:
    """Their old envelope is named for what it is: an event that nobody asked for."""
    parsed = parse({"uuid": "1", "type": "event_callback", "token": "x", "event": {}})
    assert isinstance(parsed, Ignored)
    assert parsed.reason is Reason.UNKNOWN_EVENT


def test_a_challenge_is_given_back() -> None:
    """With the right token; the answer is its challenge in JSON."""
    token = PLAIN.secret("verification_token")
    parsed = parse({"type": "url_verification", "token": token, "challenge": "ajls384kdj"})
    assert isinstance(parsed, Handshake)
    assert json.loads(parsed.body) == {"challenge": "ajls384kdj"}


def test_a_plain_event_under_an_encrypt_key_is_unreadable_though_signed() -> None:
    """Feishu seals everything once there is a key; over the long connection it is plain."""
    body = json.dumps(recording("feishu", "message.p2p").payload).encode()
    headers = {"x-lark-signature": "s"}
    signed = Webhook("POST", "/", {}, headers, body)
    parsed = PLATFORM.parse(signed, CREDENTIALS, 0.0)
    assert isinstance(parsed, Ignored)
    assert parsed.reason is Reason.UNREADABLE
    message_of(PLATFORM.parse(replace(signed, headers={}), CREDENTIALS, 0.0))


def test_what_is_only_a_sticker_is_told_where_it_was_meant_for_us() -> None:
    """In private its sender hears that it cannot be taken; in a group it is no business of ours."""
    message = message_of(holding("sticker", {"file_key": "file_1"}))
    assert [(file.name, file.problem) for file in message.files] == [("sticker", "unsupported")]
    parsed = changed(
        "message.group_mention", message_type="sticker", content="{}", mentions=[]
    )  # fmt: skip
    assert isinstance(parsed, Ignored)
    assert parsed.reason is Reason.NO_CONTENT
