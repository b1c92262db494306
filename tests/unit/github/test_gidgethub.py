"""gidgethub reads our recorded deliveries as we do."""

from typing import Any

import pytest
from gidgethub import ValidationFailure
from gidgethub.sansio import Event

from tests.contract.platforms.github import CREDENTIALS
from tests.events import Recorded, recordings
from threadline.core.message import Messages, Webhook
from threadline.platforms.github import PLATFORM

SECRET = CREDENTIALS.secrets["webhook_secret"]
EVERY_RECORDING = pytest.mark.parametrize("recorded", recordings("github"), ids=str)


def theirs(request: Webhook) -> Event:
    """Let the library verify and read a request."""
    return Event.from_http(request.headers, request.body, secret=SECRET)


@EVERY_RECORDING
def test_the_library_agrees_on_the_signature(recorded: Recorded) -> None:
    """What we accept it accepts, also stamped by us; what we refuse it refuses."""
    if recorded.expect["outcome"] == "refused":
        with pytest.raises(ValidationFailure):
            theirs(recorded.webhook)
    else:
        assert theirs(recorded.webhook).data == recorded.payload
    assert theirs(PLATFORM.stamp(recorded.webhook, CREDENTIALS, 0.0)).data == recorded.payload


@EVERY_RECORDING
def test_the_library_reads_the_same(recorded: Recorded) -> None:
    """Event, delivery and whatever our message carries stand in what the library read."""
    event = theirs(PLATFORM.stamp(recorded.webhook, CREDENTIALS, 0.0))
    parsed = PLATFORM.parse(recorded.webhook, CREDENTIALS, 0.0)
    assert event.event == recorded.webhook.headers["x-github-event"]
    if not isinstance(parsed, Messages):
        return
    (message,) = parsed.messages
    item: Any = event.data.get("pull_request") or event.data["issue"]
    spoken: Any = event.data.get("comment") or event.data.get("review") or item
    assert message.event == event.event
    assert message.delivery.endswith(f"/{event.delivery_id}")
    assert message.action == event.data["action"]
    assert message.chat == event.data["repository"]["full_name"]
    assert message.text == spoken["body"]
    assert message.sender.id == event.data["sender"]["login"]
    assert message.sender.bot is (event.data["sender"]["type"] == "Bot")
    assert message.facts["number"] == str(item["number"])
    assert message.facts["target_id"] == str(spoken["id"])
    assert message.facts["repository_id"] == str(event.data["repository"]["id"])
