"""What the parts of an event mean: who wrote, to whom, where, and what people see of it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.platforms.slack import CREDENTIALS
from tests.events import recording
from threadline.core.message import Ignored, Message, MessageKind, Messages, Parsed, Trust, Webhook
from threadline.core.reasons import Reason
from threadline.platforms.slack import PLATFORM
from threadline.platforms.slack.spoken import Bot, hear, visible

BOT = Bot("U0BOT0001", "threadline")
JSON = {"content-type": "application/json"}


def parse(payload: Any, **headers: str) -> Parsed:
    """Parse a body that was signed and accepted."""
    request = Webhook("POST", "/", {}, {**JSON, **headers}, json.dumps(payload).encode())
    return PLATFORM.parse(request, CREDENTIALS, 1_790_000_000.0)


def message_of(case: str) -> Message:
    """Parse a recording into its only message."""
    parsed = PLATFORM.parse(recording("slack", case).webhook, CREDENTIALS, 0.0)
    assert isinstance(parsed, Messages)
    return parsed.messages[0]


def changed(case: str, envelope: dict[str, Any] | None = None, **event: Any) -> Parsed:
    """Parse a recording with other parts; None takes one away."""
    payload = recording("slack", case).payload
    merged = {**payload["event"], **event}
    payload |= envelope or {}
    payload["event"] = {name: value for name, value in merged.items() if value is not None}
    return parse(payload)


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("a &lt; b &amp;&amp; b &gt; c", "a < b && b > c"),
        ("&amp;lt; stays", "&lt; stays"),
        ("<@U1> <@U2|ben> <@!U3>", "@U1 @ben @U3"),
        ("<@U0BOT0001> in the middle", "@threadline in the middle"),
        ("<#C1|general> <#C2> <#C3|>", "#general #C2 #C3"),
        ("<!here> <!channel|@channel> <!everyone>", "@here @channel @everyone"),
        ("<!subteam^S1|@ops> <!subteam^S2>", "@ops S2"),
        ("<!date^1392734382^{date}|Feb 18>", "Feb 18"),
        ("<https://a.example/x?a=1&amp;b=2>", "https://a.example/x?a=1&b=2"),
        ("<https://a.example/|a.example>", "https://a.example/"),
        ("<https://a.example|the page>", "[the page](https://a.example)"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<tel:+123|+123>", "+123"),
        ("<>", "<>"),
        ("< not a link", "< not a link"),
        ("`&lt;@U1&gt;`", "`<@U1>`"),
    ],
)
def test_people_see_what_slack_encodes(raw: str, seen: str) -> None:
    """Escapes, mentions, channels and links read as in the client."""
    assert visible(raw, BOT) == seen


@pytest.mark.parametrize(
    ("raw", "text", "addressed"),
    [
        ("<@U0BOT0001> /help", "/help", True),
        ("<@U0BOT0001|threadline> /help", "/help", True),
        ("<@!U0BOT0001>: /help", "/help", True),
        ("  <@U0BOT0001>, hi", "hi", True),
        ("<@U0OTHER01> <@U0BOT0001> hi", "@U0OTHER01 @threadline hi", True),
        ("<@U0BOT0001> <@U0BOT0001> hi", "@threadline hi", True),
        ("<@U0BOT0001>", "@threadline", True),
        ("<@U0OTHER01> hi", "@U0OTHER01 hi", False),
        ("`&lt;@U0BOT0001&gt;`", "`<@U0BOT0001>`", False),
        ("<@U0BOT00019> hi", "@U0BOT00019 hi", False),
        ("hi", "hi", False),
    ],
)
def test_the_bots_own_mention(raw: str, text: str, addressed: bool) -> None:
    """One mention at the beginning only addresses the bot; others are part of the text."""
    heard = hear(raw, BOT)
    assert (heard.text, heard.addressed) == (text, addressed)


def test_an_unknown_bot_is_addressed_by_app_mention_alone() -> None:
    """Where nothing tells who the bot is, its event still does, and no mention is cut away."""
    nobody = {"authorizations": [{"team_id": "T0ACME001", "user_id": "U0ADA0001", "is_bot": False}]}
    payload = {**recording("slack", "app_mention").payload, **nobody}
    request = Webhook("POST", "/", {}, JSON, json.dumps(payload).encode())
    parsed = PLATFORM.parse(request, replace(CREDENTIALS, identity=""), 0.0)
    assert isinstance(parsed, Messages)
    assert parsed.messages[0].addressed
    assert parsed.messages[0].text.startswith("@U0BOT0001 status")


def test_both_copies_of_a_mention_are_one_message() -> None:
    """Whatever dispatch looks at is the same in both copies; only delivery and event differ."""
    one, other = message_of("message.channel_mention"), message_of("app_mention")
    assert one.delivery != other.delivery
    assert replace(one, delivery=other.delivery, event=other.event) == other


def test_both_copies_of_an_edit_are_one_message() -> None:
    """An edit that mentions the bot comes twice as well, and is one message."""
    one, other = message_of("message.changed"), message_of("app_mention.edited")
    assert one.delivery != other.delivery
    assert (one.kind, one.edits) == (MessageKind.EDIT, "1789999998.000400")
    assert replace(one, delivery=other.delivery, event=other.event) == other


def test_two_edits_in_one_second_are_two_messages() -> None:
    """Slack dates edits by the second; their texts tell them apart."""
    first = message_of("message.changed")
    payload = recording("slack", "message.changed").payload
    payload["event"]["message"]["text"] = "<@U0BOT0001> deploy y"
    parsed = parse(payload)
    assert isinstance(parsed, Messages)
    assert parsed.messages[0].id != first.id


def test_order_is_the_platforms() -> None:
    """Messages sort by their time, an edit behind its original and before the next post."""
    original, edit = message_of("app_mention").order, message_of("message.changed").order
    assert original < "1789999998.000400" < edit < message_of("message.without_text").order


@pytest.mark.parametrize(
    ("envelope", "event", "trust"),
    [
        ({}, {}, Trust.MEMBER),
        ({}, {"team": None}, Trust.MEMBER),
        ({}, {"team": "T0OTHER01"}, Trust.NONE),
        ({"is_ext_shared_channel": True}, {}, Trust.MEMBER),
        ({"is_ext_shared_channel": True}, {"team": None}, Trust.NONE),
        ({"is_ext_shared_channel": True}, {"user_team": "T0OTHER01"}, Trust.NONE),
        ({"is_ext_shared_channel": True, "enterprise_id": "E0THEIRS1"}, {"team": "E0THEIRS1"},
         Trust.NONE),
    ],
)  # fmt: skip
def test_who_belongs_to_the_workspace(
    envelope: dict[str, Any], event: dict[str, Any], trust: Trust
) -> None:
    """Only members of the installation's own workspace count as such; in doubt nobody does."""
    parsed = changed("message.channel_mention", envelope, **event)
    assert isinstance(parsed, Messages)
    assert parsed.messages[0].sender.trust is trust


@pytest.mark.parametrize(
    ("shared", "team", "trust"),
    [
        (False, "T0SECOND1", Trust.MEMBER),
        (True, "T0SECOND1", Trust.NONE),
        (True, "E0GRID0001", Trust.MEMBER),
    ],
)
def test_who_belongs_to_an_organisation(shared: bool, team: str, trust: Trust) -> None:
    """Installed for an organisation, its people are members, those of other companies are not."""
    parsed = changed("message.enterprise_grid", {"is_ext_shared_channel": shared}, team=team)
    assert isinstance(parsed, Messages)
    assert parsed.messages[0].sender.trust is trust
    assert parsed.messages[0].workspace == "E0GRID0001"


def test_a_shared_channel_without_an_installation_is_nobodys() -> None:
    """Where only another company's ids are named, no workspace of ours is guessed from them."""
    nameless = {"authorizations": [], "is_ext_shared_channel": True}
    assert changed("message.channel_mention", nameless) == Ignored(Reason.UNREADABLE)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"subtype": "channel_topic"}, Reason.NO_CONTENT),
        ({"subtype": "huddle_thread"}, Reason.NO_CONTENT),
        ({"subtype": "something_new"}, Reason.NO_CONTENT),
        ({"text": "  ", "blocks": None}, Reason.NO_CONTENT),
        ({"user": None}, Reason.NO_SENDER),
        ({"user": "U0BOT0001"}, Reason.OWN_MESSAGE),
        ({"bot_id": "B1", "app_id": "A0APP0001"}, Reason.OWN_MESSAGE),
        ({"type": "assistant_thread_started"}, Reason.UNKNOWN_EVENT),
        ({"ts": "yesterday"}, Reason.UNREADABLE),
        ({"channel": None}, Reason.UNREADABLE),
    ],
)
def test_what_is_never_for_us(event: dict[str, Any], reason: Reason) -> None:
    """Each kind of event that cannot lead to a run has its reason."""
    parsed = changed("message.im", **event)
    assert isinstance(parsed, Ignored)
    assert parsed.reason == reason


def test_a_post_by_another_bot_is_marked() -> None:
    """Another app's post may be let in by its id, and says that a bot wrote it."""
    sender = message_of("message.other_bot").sender
    assert (sender.id, sender.name, sender.bot) == ("B0CI000001", "ci", True)
    parsed = changed("message.im", user="USLACKBOT")
    assert isinstance(parsed, Messages)
    assert parsed.messages[0].sender.bot


def test_files_are_known_by_their_id_alone() -> None:
    """No address of a file goes into a queue: it is asked for when the file is fetched."""
    message = message_of("message.file_share")
    assert message.text == "what does it show?"
    assert [(file.id, file.name) for file in message.files] == [("F0PNG00001", "chart.png")]
    assert "https://" not in repr(message)


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"type": "shortcut"}, Reason.UNKNOWN_EVENT),
        ({"type": "app_rate_limited"}, Reason.UNKNOWN_EVENT),
        ({"ssl_check": "1", "token": "x"}, Reason.UNKNOWN_EVENT),
        ({"command": "/ask", "text": "x"}, Reason.UNREADABLE),
        ({"type": "url_verification"}, Reason.UNREADABLE),
        ({"token": "x"}, Reason.UNREADABLE),
    ],
)
def test_other_requests_have_their_reason(form: dict[str, str], reason: Reason) -> None:
    """What is neither an event, a command of ours nor a button of ours is told apart."""
    parsed = parse(form)
    assert isinstance(parsed, Ignored)
    assert parsed.reason == reason


@pytest.mark.parametrize(
    ("command", "text", "said"),
    [
        ("/ask", "why is it red?", "why is it red?"),
        ("/ask", "", "/help"),
        ("/ask", "new", "/new"),
        ("/ask", "New", "/New"),
        ("/ask", "/goal ship it", "/goal ship it"),
        ("/ask", "new features please", "new features please"),
        ("/STOP", "", "/stop"),
        ("/goal", "ship it", "/goal ship it"),
        ("/ask", "&lt;b&gt; <@U1|ben>", "<b> @ben"),
    ],
)
def test_what_a_slash_command_says(command: str, text: str, said: str) -> None:
    """A registered command is ours by its name or by its one word; anything else is a question."""
    fields = {**recording("slack", "slash_command.question").payload}
    parsed = parse({**fields, "command": command, "text": text})
    assert isinstance(parsed, Messages)
    assert parsed.messages[0].text == said
    assert parsed.answer == b'{"response_type":"in_channel"}'


def test_a_press_answers_for_its_presser_alone() -> None:
    """A button's value is said by whoever pressed it, where the question stands."""
    message = message_of("button.answer")
    assert (message.kind, message.text, message.sender.id) == (
        MessageKind.PRESS, "blue", "U0ADA0001",
    )  # fmt: skip
    assert message.topic == message_of("message.channel_mention").topic
    assert message.mailbox == message_of("message.channel_mention").mailbox


def test_a_stranger_may_press_but_is_no_member() -> None:
    """A person of a connected company who presses a button is not taken for a colleague."""
    payload = recording("slack", "button.answer").payload
    payload["user"]["team_id"] = "T0OTHER01"
    parsed = parse(payload)
    assert isinstance(parsed, Messages)
    assert parsed.messages[0].sender.trust is Trust.NONE
