"""Agents that call back when a run has ended: a hint, its body never trusted."""

import hmac
import json
from typing import Final

from threadline.app.ingest import Answer
from threadline.app.plan import mailbox_message
from threadline.app.wake import ENDED
from threadline.app.world import World
from threadline.core.envelope import Wake
from threadline.core.ids import ConversationKey, MailboxKey
from threadline.core.message import Webhook
from threadline.core.reasons import Reason

HEADER: Final = "x-threadline-secret"
MOST_BYTES: Final = 6_000_000
LONGEST_KEY: Final = 1000


def ended(world: World, request: Webhook, agent: str) -> Answer:
    """Wake the conversation an agent names; repeated, forged and early calls change nothing.

    401 without the agent's callback secret, 404 where no agent or no secret is configured.
    """
    settings = world.settings().agents
    secrets = world.secrets.get(f"agent/{agent}") if agent in settings else {}
    expected = [secrets.get(name, "") for name in ("callback", "callback.previous")]
    if not expected[0]:
        return _refused(404, Reason.NO_ROUTE)
    if request.method != "POST":
        return _refused(405, Reason.METHOD)
    given = request.headers.get(HEADER, "").encode("utf-8", "replace")
    if not any(one and hmac.compare_digest(given, one.encode()) for one in expected):
        return _refused(401, Reason.SIGNATURE)
    if len(request.body) > MOST_BYTES:
        return _refused(413, Reason.TOO_LARGE)
    place = _conversation(request.body)
    if place is not None:
        conversation, mailbox = place
        wake = Wake(conversation=conversation, mailbox=mailbox, why=ENDED)
        world.queues.mailbox.send([mailbox_message(world, wake)])
    world.log("callback", agent=agent, known=place is not None)
    return Answer(200)


def _conversation(body: bytes) -> tuple[ConversationKey, MailboxKey] | None:
    """Read which conversation is meant from the run's metadata; None where it names none."""
    try:
        metadata = json.loads(body)["metadata"]
        conversation, mailbox = metadata["conversation"], metadata["mailbox"]
    except (ValueError, KeyError, TypeError):
        return None
    if not (isinstance(conversation, str) and isinstance(mailbox, str)):
        return None
    if not (_is_key(conversation) and _is_key(mailbox)):
        return None
    return ConversationKey(conversation), MailboxKey(mailbox)


def _is_key(text: str) -> bool:
    """Tell whether a text can be a key of ours: plain ASCII of a length that a store takes."""
    return text.isascii() and text.isprintable() and 1 <= len(text) <= LONGEST_KEY


def _refused(status: int, reason: Reason) -> Answer:
    return Answer(status, json.dumps({"error": str(reason)}).encode())
