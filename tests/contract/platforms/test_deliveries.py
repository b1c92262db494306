"""What deliveries become: the recorded ones as written beside them, the same every time."""

import re
from dataclasses import replace

from tests.contract.platforms.enrolled import EVERY_PLATFORM, EVERY_RECORDING, accepted
from tests.contract.platforms.enrolment import Enrolment
from tests.events import Recorded, differences, outcome, recording, recordings
from threadline.core import keys
from threadline.core.ids import AppName
from threadline.core.message import Message, Messages, Webhook
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason

ENOUGH = 10


@EVERY_PLATFORM
def test_there_are_enough_recordings(one: Enrolment) -> None:
    """A platform has at least ten recorded deliveries, each with what it must become."""
    cases = recordings(one.platform.name)
    assert len(cases) >= ENOUGH
    assert {case.expect["outcome"] for case in cases} >= {"accepted", "ignored"}


@EVERY_RECORDING
def test_a_recording_becomes_what_is_written_beside_it(one: Enrolment, recorded: Recorded) -> None:
    """Each recorded delivery has the outcome, reason, mailbox and messages of its expectation."""
    actual = outcome(one.platform, recorded.webhook, one.using(recorded), one.now)
    expected = {name: value for name, value in recorded.expect.items() if name != "without"}
    assert differences(expected, actual) == []


@EVERY_RECORDING
def test_a_recording_is_a_whole_event(one: Enrolment, recorded: Recorded) -> None:
    """Recordings have the shape of an HTTP API event, headers in lower case, the body as text."""
    event = recorded.event
    assert event["version"] == "2.0"
    assert event["rawPath"].startswith(f"/webhooks/{one.platform.name}")
    assert event["requestContext"]["http"]["method"] == "POST"
    assert event["isBase64Encoded"] is False
    assert all(name == name.lower() for name in event["headers"])
    assert recorded.payload


@EVERY_RECORDING
def test_a_redelivery_is_the_same(one: Enrolment, recorded: Recorded) -> None:
    """The same delivery parsed again gives equal values: ids, order, mailbox, everything."""
    using = one.using(recorded)
    first = one.platform.parse(recorded.webhook, using, one.now)
    assert one.platform.parse(recorded.webhook, using, one.now + 86_400) == first


@EVERY_RECORDING
def test_a_fresh_stamp_makes_other_ids(one: Enrolment, recorded: Recorded) -> None:
    """A delivery stamped anew is another delivery of the same kind, and stays signed."""
    using = one.using(recorded)
    fresh = one.platform.stamp(recorded.webhook, using, one.now, fresh=4_711)
    again = outcome(one.platform, fresh, using, one.now)
    if recorded.expect["outcome"] == "accepted":
        known = {message.delivery for message in messages(one, recorded.webhook, using)}
        assert known.isdisjoint(message.delivery for message in messages(one, fresh, using))
        assert {identity(message) for message in messages(one, recorded.webhook, using)}.isdisjoint(
            identity(message) for message in messages(one, fresh, using)
        )
    elif recorded.expect["outcome"] != "refused":
        assert again["outcome"] == recorded.expect["outcome"]


@EVERY_RECORDING
def test_keys_name_the_platform_and_app(one: Enrolment, recorded: Recorded) -> None:
    """Every mailbox belongs to this platform and app, and messages carry both."""
    if recorded.expect["outcome"] == "accepted":
        for message in messages(one, recorded.webhook, one.using(recorded)):
            assert message.platform == one.platform.name
            assert message.app == one.credentials.app
            assert keys.split(message.mailbox)[:2] == (message.platform, message.app)
            assert re.fullmatch(r"[!-~]+", message.delivery)


@EVERY_PLATFORM
def test_two_apps_do_not_share_a_mailbox(one: Enrolment) -> None:
    """The same delivery to another app of ours is another message in another mailbox."""
    other = replace(one.credentials, app=AppName("another"))
    request = accepted(one).webhook
    parsed = one.platform.parse(request, other, one.now)
    assert isinstance(parsed, Messages)
    for ours, theirs in zip(messages(one, request), parsed.messages, strict=True):
        assert ours.mailbox != theirs.mailbox
        assert identity(ours) != identity(theirs)


@EVERY_PLATFORM
def test_our_own_posts_are_ignored(one: Enrolment) -> None:
    """A post of this very bot never comes back as a message."""
    assert one.own
    for case in one.own:
        recorded = recording(one.platform.name, case)
        actual = outcome(one.platform, recorded.webhook, one.using(recorded), one.now)
        assert (actual["outcome"], actual["reason"]) == ("ignored", Reason.OWN_MESSAGE)


@EVERY_PLATFORM
def test_one_number_in_two_chats_is_two_messages(one: Enrolment) -> None:
    """Message numbers count inside a chat: the same one elsewhere is another message."""
    for here, there in one.twins:
        (first,) = messages(one, recording(one.platform.name, here).webhook)
        (second,) = messages(one, recording(one.platform.name, there).webhook)
        assert first.id == second.id
        assert identity(first) != identity(second)


def messages(
    one: Enrolment, request: Webhook, using: Credentials | None = None
) -> tuple[Message, ...]:
    """Parse a request that leads to messages."""
    parsed = one.platform.parse(request, using or one.credentials, one.now)
    assert isinstance(parsed, Messages)
    return parsed.messages


def identity(message: Message) -> str:
    """Name a message as the table of what was seen does."""
    return keys.dedupe_key(
        message.platform, message.app, message.workspace, message.chat, message.id
    )
