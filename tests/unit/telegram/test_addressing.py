"""Whom a message speaks to."""

from typing import Any

import pytest

from tests.unit.telegram.updates import ADA, BOT, GROUP, NAMELESS, PRIVATE, marked, reason, taken
from threadline.core.reasons import Reason


@pytest.mark.parametrize(
    ("fields", "text", "addressed"),
    [
        (marked("@ThreadlineDemoBot hi", "@ThreadlineDemoBot", "mention"), "hi", True),
        (marked("@threadlinedemobot: hi", "@threadlinedemobot", "mention"), "hi", True),
        (
            marked("hi @ThreadlineDemoBot", "@ThreadlineDemoBot", "mention"),
            "hi @ThreadlineDemoBot",
            True,
        ),
        (
            marked("🏭👍🏽 @ThreadlineDemoBot", "@ThreadlineDemoBot", "mention"),
            "🏭👍🏽 @ThreadlineDemoBot",
            True,
        ),
        (
            marked("@ThreadlineDemoBot", "@ThreadlineDemoBot", "mention"),
            "@ThreadlineDemoBot",
            True,
        ),
        (marked("@SomeoneElse hi", "@SomeoneElse", "mention"), "@SomeoneElse hi", False),
        (
            marked("@ThreadlineDemoBot2 hi", "@ThreadlineDemoBot2", "mention"),
            "@ThreadlineDemoBot2 hi",
            False,
        ),
        (marked("Demo, hi", "Demo", "text_mention", user=BOT), "Demo, hi", True),
        (marked("Ada, hi", "Ada", "text_mention", user=ADA), "Ada, hi", False),
        ({"text": "mail me @ThreadlineDemoBot"}, "mail me @ThreadlineDemoBot", False),
        (
            marked("`@ThreadlineDemoBot`", "`@ThreadlineDemoBot`", "code"),
            "`@ThreadlineDemoBot`",
            False,
        ),
        (marked("/new@ThreadlineDemoBot", "/new@ThreadlineDemoBot", "bot_command"), "/new", True),
        (
            marked("/data-x@THREADLINEDEMOBOT a  b", "/data-x@THREADLINEDEMOBOT", "bot_command"),
            "/data-x a  b",
            True,
        ),
        (marked("/new", "/new", "bot_command"), "/new", True),
        (marked("/Help me", "/Help", "bot_command"), "/Help me", True),
        (marked("/data-x", "/data", "bot_command"), "/data-x", False),
        (marked("/etc/passwd", "/etc", "bot_command"), "/etc/passwd", False),
        (marked("try /new", "/new", "bot_command"), "try /new", False),
    ],
)
def test_a_group_message_is_for_us_if_it_says_so(
    fields: dict[str, Any], text: str, *, addressed: bool
) -> None:
    """Mentions and commands address the bot by entity; what only addresses is stripped."""
    message = taken(**fields)
    assert (message.text, message.addressed) == (text, addressed)


def test_a_caption_addresses_as_a_text_does() -> None:
    """A mention in a caption counts like one in a text."""
    fields = marked("look @ThreadlineDemoBot", "@ThreadlineDemoBot", "mention")
    photo = [{"file_id": "f", "width": 1, "height": 1}]
    message = taken(caption=fields["text"], caption_entities=fields["entities"], photo=photo)
    assert message.addressed


@pytest.mark.parametrize(
    ("offset", "length"),
    [(-1, 3), (0, 0), (0, 99), (99, 1), (2**40, 1), (0, 2**62), (1, 1), (True, 2), ("0", 2)],
)
def test_an_entity_outside_the_text_is_passed_over(offset: Any, length: Any) -> None:
    """An entity that points nowhere, or into half a symbol, addresses nobody and breaks nothing."""
    entity = {"type": "mention", "offset": offset, "length": length}
    message = taken(text="😀 hi", entities=[entity, None, 7, {}])
    assert (message.text, message.addressed) == ("😀 hi", False)


def test_a_reply_to_the_bot_is_for_us() -> None:
    """Answering what the bot wrote addresses it; answering anybody else does not."""
    ours = {"message_id": 7, "from": BOT, "chat": GROUP, "date": 1, "text": "x"}
    assert taken(text="go on", reply_to_message=ours).addressed
    assert not taken(text="go on", reply_to_message={**ours, "from": ADA}).addressed
    assert not taken(text="go on", reply_to_message={"message_id": 7}).addressed


def test_everything_private_is_for_us() -> None:
    """In a private chat nothing has to address the bot."""
    assert taken(chat=PRIVATE, text="hello").addressed


def test_another_bots_command_is_not_ours() -> None:
    """A command for another bot is ignored in a group, and read in a private chat."""
    fields = marked("/new@OtherBot", "/new@OtherBot", "bot_command")
    assert reason(**fields) == Reason.NOT_ADDRESSED
    assert taken(chat=PRIVATE, **fields).text == "/new@OtherBot"


def test_without_a_known_name_no_name_is_ours() -> None:
    """While the bot's username is unknown, mentions count for nobody and commands stay whole."""
    command = marked("/new@ThreadlineDemoBot", "/new@ThreadlineDemoBot", "bot_command")
    message = taken(bot=NAMELESS, **command)
    assert (message.text, message.addressed) == ("/new@ThreadlineDemoBot", False)
    bare = marked("@ hi", "@", "mention")
    assert not taken(bot=NAMELESS, **bare).addressed


def test_what_a_message_replies_to_is_read_with_it() -> None:
    """The agent reads a quoted passage, and a reply's text where the agent did not write it."""
    other = {"message_id": 7, "from": ADA, "chat": GROUP, "date": 1, "text": "pump 2\nstopped"}
    ours = {**other, "from": BOT}
    assert taken(text="why?", reply_to_message=other).prompt == "> pump 2\n> stopped\n\nwhy?"
    assert taken(text="why?", reply_to_message=ours).prompt == ""
    chosen = taken(text="why?", reply_to_message=ours, quote={"text": "stopped", "position": 7})
    assert chosen.prompt == "> stopped\n\nwhy?"
    assert taken(text="/help", reply_to_message=other).prompt == ""
    assert len(taken(text="?", reply_to_message={**other, "text": "x" * 9000}).prompt) < 1100
