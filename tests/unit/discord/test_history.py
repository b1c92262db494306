"""Whether a post stands in its channel, told by its words alone."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.platforms.discord import CREDENTIALS, TO, refused
from tests.flows import Script
from tests.unit.discord.sessions import BOT, NOW
from threadline.core.errors import PlatformUnavailable, PostError
from threadline.core.http import HttpResponse, Lost
from threadline.core.posting import Destination, Draft, Receipt
from threadline.platforms.discord import PLATFORM
from threadline.platforms.discord.payload import first_of

THREAD = "1550937249996800007"
IN_THREAD = replace(TO, facts={"thread": THREAD})
DRAFT = Draft("The **answer** is 42.", at=NOW)


def post(text: str, author: str = BOT, identity: str = "1550952349696000777") -> dict[str, Any]:
    """Give a message as history shows it: without any nonce."""
    return {"id": identity, "channel_id": THREAD, "content": text, "author": {"id": author}}


def page(*posts: dict[str, Any]) -> HttpResponse:
    """Give a page of history."""
    return HttpResponse(200, {}, json.dumps(posts).encode())


def find(*answers: Any, to: Destination = IN_THREAD, draft: Draft = DRAFT) -> Receipt | None:
    """Look the post up."""
    return Script(list(answers)).run(PLATFORM.find_posted(draft, to, CREDENTIALS, "nonce"))


@pytest.mark.parametrize(
    "text", ["The **answer** is 42.", "The answer is 42", " The *answer* is 42."]
)
def test_a_post_is_known_by_its_words(text: str) -> None:
    """Discord may have trimmed it, or changed its marks."""
    found = find(page(post("Something else"), post(text)))
    assert found == Receipt("1550952349696000777", {"channel": THREAD})


def test_only_what_was_said_since_is_asked_for() -> None:
    """Equal words of yesterday are no proof: history is read from when the post was planned."""
    script = Script([page()])
    assert script.run(PLATFORM.find_posted(DRAFT, IN_THREAD, CREDENTIALS, "n")) is None
    (request,) = script.requests
    assert f"/channels/{THREAD}/messages?after={first_of(NOW - 30)}&limit=100" in request.url


@pytest.mark.parametrize(
    "answer",
    [
        page(),
        page(post("The answer is 42.", author="810000000000000001")),
        page(post("Another part of ours")),
        refused(404, 10003, "Unknown Channel"),
    ],
)
def test_what_does_not_stand_there_is_absent(answer: HttpResponse) -> None:
    """Other people's words and other parts are not the post; nor is a thread that is not there."""
    assert find(answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        page(
            post("The answer is 42. But Discord changed the rest", identity="1550952349696000001")
        ),
        refused(403, 50001, "Missing Access"),
        refused(500, 0, "500"),
        Lost("timeout", sent=True),
        HttpResponse(200, {}, b"<html>"),
    ],
)
def test_in_doubt_nothing_is_said(answer: Any) -> None:
    """What begins alike may be ours; what cannot be read tells nothing."""
    draft = replace(DRAFT, text="The answer is 42. But this is what we wrote at first")
    with pytest.raises(PostError):
        find(answer, draft=draft)


@pytest.mark.parametrize(
    ("to", "draft"),
    [
        (TO, DRAFT),
        (replace(IN_THREAD, facts={"thread": THREAD, "interaction": "t"}), DRAFT),
        (IN_THREAD, replace(DRAFT, text="…")),
        (IN_THREAD, replace(DRAFT, at=0.0)),
    ],
)
def test_where_words_prove_nothing_nothing_is_asked(to: Destination, draft: Draft) -> None:
    """A channel of many conversations, or a text without words."""
    with pytest.raises(PlatformUnavailable):
        find(to=to, draft=draft)


def test_a_direct_message_is_one_conversation() -> None:
    """There, too, words are proof."""
    to = replace(TO, private=True, workspace="")
    assert find(page(post("The answer is 42.")), to=to) is not None


def test_pages_are_turned_up_to_a_bound() -> None:
    """Much may have been said since; where it is too much, nothing is certain."""
    full = page(*(post("x", identity=str(10**18 + number)) for number in range(100)))
    assert find(full, page(post("The answer is 42."))) is not None
    with pytest.raises(PlatformUnavailable):
        find(*[full] * 10)
