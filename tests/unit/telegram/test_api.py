"""What we ask of the Bot API, and what we leave out when it says no."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.platforms.telegram import CREDENTIALS, TO, TOKEN, refused, sent
from tests.flows import Script
from threadline.core.errors import ConversationGone, PostError, PostRejected, RateLimited
from threadline.core.http import HttpRequest, HttpResponse, Lost
from threadline.core.posting import Draft, Receipt, Stage
from threadline.platforms.telegram import PLATFORM, api

BOLD = Draft("bold", {"entities": '[{"type":"bold","offset":0,"length":4}]'})
TOPIC = replace(TO, facts={"thread": "17"})
DONE = HttpResponse(200, {}, b'{"ok":true,"result":true}')


def body_of(request: HttpRequest) -> dict[str, Any]:
    """Decode what a request asks."""
    assert isinstance(request.body, bytes)
    decoded: dict[str, Any] = json.loads(request.body)
    return decoded


def posted(
    *answers: HttpResponse | Lost, draft: Draft = BOLD, to: Any = TO
) -> list[dict[str, Any]]:
    """Post a draft and give the bodies that were sent."""
    script = Script(answers)
    script.run(PLATFORM.post(BOLD, to, CREDENTIALS, "nonce"))
    return [body_of(request) for request in script.requests]


def test_a_message_replies_without_a_preview() -> None:
    """A post answers the message it belongs to, keeps its formatting and shows no link preview."""
    assert posted(sent()) == [
        {
            "chat_id": -1001500600700,
            "reply_parameters": {"message_id": 321, "allow_sending_without_reply": True},
            "text": "bold",
            "entities": [{"type": "bold", "offset": 0, "length": 4}],
            "link_preview_options": {"is_disabled": True},
        }
    ]


def test_a_topic_is_kept() -> None:
    """In a forum topic everything is posted into that topic, typing included."""
    (body,) = posted(sent(), to=TOPIC)
    assert body["message_thread_id"] == 17
    script = Script([DONE])
    script.run(PLATFORM.signal(Stage.RUNNING, TOPIC, CREDENTIALS))
    assert body_of(script.requests[0]) == {
        "chat_id": -1001500600700, "action": "typing", "message_thread_id": 17,
    }  # fmt: skip


def test_without_an_anchor_nothing_is_replied_to() -> None:
    """A post without an anchor is a plain message."""
    (body,) = posted(sent(), to=replace(TO, anchor=""))
    assert "reply_parameters" not in body


@pytest.mark.parametrize(
    "description",
    [
        "Bad Request: can't parse entities: Unsupported start tag",
        "Bad Request: can't parse MessageEntity: Unsupported type specified",
        "Bad Request: entity URL 'x' is invalid: Wrong HTTP URL",
        "Bad Request: ENTITY_BOUNDS_INVALID",
    ],
)
def test_refused_formatting_is_left_out_once(description: str) -> None:
    """Where Telegram cannot read the formatting the text goes out plain, and only once."""
    first, second = posted(refused(400, description), sent())
    assert "entities" in first
    assert second == {name: value for name, value in first.items() if name != "entities"}
    with pytest.raises(PostRejected):
        posted(refused(400, description), refused(400, description))


def test_a_message_that_is_gone_is_not_replied_to() -> None:
    """A topic refuses a reply to a deleted message: the answer is posted without the reply."""
    gone = refused(400, "Bad Request: message to be replied not found")
    first, second = posted(gone, sent(), to=TOPIC)
    assert "reply_parameters" in first
    assert "reply_parameters" not in second
    assert second["message_thread_id"] == 17


def test_a_private_topic_that_is_gone_is_left_out() -> None:
    """In a private chat an unknown topic is dropped; in a group the conversation is gone."""
    gone = refused(400, "Bad Request: message thread not found")
    first, second = posted(gone, sent(), to=replace(TOPIC, private=True))
    assert "message_thread_id" in first
    assert "message_thread_id" not in second
    with pytest.raises(ConversationGone):
        posted(gone, to=TOPIC)


def test_a_group_that_moved_is_followed() -> None:
    """A group that became a supergroup is answered there, and edits go there too."""
    moved = refused(
        400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=-1009
    )
    script = Script([moved, sent(chat=-1009)])
    receipt = script.run(PLATFORM.post(BOLD, TOPIC, CREDENTIALS, "nonce"))
    assert body_of(script.requests[1])["chat_id"] == -1009
    assert {"message_thread_id", "reply_parameters"}.isdisjoint(body_of(script.requests[1]))
    assert receipt == Receipt("17", {"chat": "-1009"})
    later = Script([DONE])
    later.run(PLATFORM.edit(BOLD, receipt, TOPIC, CREDENTIALS))
    assert body_of(later.requests[0])["chat_id"] == -1009
    with pytest.raises(ConversationGone):
        posted(*[moved] * 2)


def test_an_edit_replaces_the_text() -> None:
    """An edit names the message and gives the whole new text."""
    script = Script([DONE])
    receipt = script.run(PLATFORM.edit(BOLD, Receipt("17"), TO, CREDENTIALS))
    assert receipt.id == "17"
    assert body_of(script.requests[0]) == {
        "chat_id": -1001500600700,
        "message_id": 17,
        "text": "bold",
        "entities": [{"type": "bold", "offset": 0, "length": 4}],
        "link_preview_options": {"is_disabled": True},
    }
    assert not script.requests[0].repeatable


def test_an_edit_falls_back_to_plain_text() -> None:
    """Refused formatting is left out of an edit as it is of a post."""
    script = Script([refused(400, "Bad Request: can't parse entities"), DONE])
    script.run(PLATFORM.edit(BOLD, Receipt("17"), TO, CREDENTIALS))
    assert "entities" not in body_of(script.requests[1])


def test_the_token_is_in_the_address_alone() -> None:
    """The address holds the token; the label, which logs show, does not."""
    script = Script([sent()])
    script.run(PLATFORM.post(BOLD, TO, CREDENTIALS, "nonce"))
    (request,) = script.requests
    assert request.url == f"https://api.telegram.org/bot{TOKEN}/sendMessage"
    assert request.label == "telegram sendMessage"
    assert TOKEN not in repr(request)


def test_a_refusal_puts_a_reaction() -> None:
    """A refused message gets a reaction where there is one to put it on."""
    script = Script([DONE])
    script.run(PLATFORM.signal(Stage.REFUSED, TO, CREDENTIALS))
    assert body_of(script.requests[0]) == {
        "chat_id": -1001500600700,
        "message_id": 321,
        "reaction": [{"type": "emoji", "emoji": "🤷"}],
    }
    Script([]).run(PLATFORM.signal(Stage.REFUSED, replace(TO, anchor=""), CREDENTIALS))
    Script([]).run(PLATFORM.signal(Stage.DONE, TO, CREDENTIALS))
    assert PLATFORM.stages == set(api.SIGNS)


def test_a_signal_is_a_courtesy() -> None:
    """A chat that allows no reactions is no failure; being asked to wait is still heard."""
    Script([refused(400, "Bad Request: REACTION_INVALID")]).run(
        PLATFORM.signal(Stage.REFUSED, TO, CREDENTIALS)
    )
    slow = Script([refused(429, "Too Many Requests: retry after 5", retry_after=5)])
    with pytest.raises(RateLimited):
        slow.run(PLATFORM.signal(Stage.RUNNING, TO, CREDENTIALS))


@pytest.mark.parametrize("wait", [-1, 0, 10**12, 2**70])
def test_odd_waits_are_bounded_numbers(wait: int) -> None:
    """Whatever time Telegram names, the error carries a number of seconds that is not negative."""
    answer = refused(429, "Too Many Requests", retry_after=wait)
    with pytest.raises(RateLimited) as raised:
        posted(answer)
    assert 0 <= raised.value.after < 2**63


def test_what_telegram_says_is_shown_short() -> None:
    """An error quotes the beginning of Telegram's words, never a long text of the message's."""
    with pytest.raises(PostError) as raised:
        posted(refused(400, "Bad Request: " + "x" * 5000))
    assert len(str(raised.value)) < 200
