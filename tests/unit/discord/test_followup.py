"""The answer to a slash command: in its place, within 15 minutes, each part once."""

import json

import pytest

from tests.contract.platforms.discord import CREDENTIALS, message, refused
from tests.flows import Script
from threadline.core.errors import ConversationGone, PlatformUnavailable
from threadline.core.http import HttpResponse, Lost
from threadline.core.ids import AppName
from threadline.core.posting import Destination, Draft, Receipt
from threadline.platforms.discord import PLATFORM

TOKEN = "aW50ZXJhY3Rpb24"
TO = Destination(
    platform=PLATFORM.name, app=AppName("default"), workspace="1", chat="10",
    facts={"interaction": TOKEN, "application": "99"},
)  # fmt: skip
NONCE = "0123456789abcdef0123456789abcdef"
DRAFT = Draft("The **answer**.")
OTHER = Draft("Something else.")
OVER = refused(401, 50027, "Invalid Webhook Token")
NOT_LET_IN = refused(403, 50001, "Missing Access")
ORIGINAL = f"/webhooks/99/{TOKEN}/messages/@original"


def standing(flags: int) -> HttpResponse:
    """Give what stands as the command's first answer."""
    told = {"id": "17", "channel_id": "10", "content": "The **answer**.", "flags": flags}
    return HttpResponse(200, {}, json.dumps(told | ({"content": ""} if flags else {})).encode())


def asked(script: Script) -> list[str]:
    """Give what was asked, behind the version."""
    return [f"{one.method} {one.url.partition('/api/v10')[2]}" for one in script.requests]


def post(script: Script, draft: Draft = DRAFT) -> Receipt:
    """Post a part of the answer."""
    return script.run(PLATFORM.post(draft, TO, CREDENTIALS, NONCE))


def test_the_first_part_takes_the_place_of_thinking() -> None:
    """While "thinking…" stands there it is filled; the command's token is all that needs."""
    script = Script([standing(128), message()])
    assert post(script).id == "17"
    assert asked(script) == [f"GET {ORIGINAL}", f"PATCH {ORIGINAL}"]
    assert all("authorization" not in one.headers for one in script.requests)


def test_a_part_that_stands_already_is_not_posted_again() -> None:
    """After a lost answer the same part is found in its place."""
    script = Script([standing(0)])
    assert post(script) == Receipt("17", {"channel": "10"})
    with pytest.raises(PlatformUnavailable):
        post(Script([standing(128), Lost("reset", sent=True)]))


def test_further_parts_are_messages_of_the_bot() -> None:
    """They carry the nonce, so that they too stand once."""
    script = Script([standing(0), message("18")])
    assert post(script, OTHER).id == "18"
    assert asked(script)[1] == "POST /channels/10/messages"
    assert isinstance(script.requests[1].body, bytes)
    assert json.loads(script.requests[1].body)["enforce_nonce"] is True


def test_where_the_bot_may_not_write_the_token_still_may() -> None:
    """An app that is no member of the channel follows up by the command's token."""
    script = Script([standing(0), NOT_LET_IN, message("18")])
    assert post(script, OTHER).id == "18"
    assert asked(script)[2] == f"POST /webhooks/99/{TOKEN}"


def test_after_fifteen_minutes_the_bot_answers_as_itself() -> None:
    """The token has ended: the answer is an ordinary message."""
    script = Script([OVER, message("18")])
    assert post(script).id == "18"
    assert asked(script)[1] == "POST /channels/10/messages"


def test_where_nothing_is_allowed_any_more_it_is_said_why() -> None:
    """After 15 minutes, in a channel that is closed to the bot, a clear line remains."""
    for flow in (
        PLATFORM.post(DRAFT, TO, CREDENTIALS, NONCE),
        PLATFORM.edit(DRAFT, Receipt("17"), TO, CREDENTIALS),
    ):
        with pytest.raises(ConversationGone, match=r"15 minutes.*invite it"):
            Script([OVER, NOT_LET_IN]).run(flow)


def test_edits_change_hands_after_fifteen_minutes() -> None:
    """First by the command's token, then as the bot, at the same message."""
    posted = Receipt("17", {"channel": "10"})
    script = Script([message()])
    script.run(PLATFORM.edit(DRAFT, posted, TO, CREDENTIALS))
    assert asked(script) == [f"PATCH /webhooks/99/{TOKEN}/messages/17"]
    script = Script([OVER, message()])
    assert script.run(PLATFORM.edit(DRAFT, posted, TO, CREDENTIALS)) == posted
    assert asked(script)[1] == "PATCH /channels/10/messages/17"


@pytest.mark.parametrize("answer", [Lost("timeout", sent=True), refused(500, 0, "500")])
def test_in_doubt_nothing_is_posted(answer: HttpResponse | Lost) -> None:
    """Where it cannot be seen what stands there, the part waits."""
    with pytest.raises(PlatformUnavailable):
        post(Script([answer]))


def test_no_error_shows_the_token_of_an_answer() -> None:
    """The command's token is as good as a password for a quarter of an hour."""
    for answers in ([OVER, NOT_LET_IN], [refused(500, 0, "500")]):
        script = Script(answers)
        with pytest.raises((ConversationGone, PlatformUnavailable)) as raised:
            post(script)
        shown = [str(raised.value), *(repr(one) + one.label for one in script.requests)]
        assert not [text for text in shown if TOKEN in text]
