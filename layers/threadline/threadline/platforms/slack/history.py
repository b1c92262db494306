"""Whether a post whose answer was lost stands in the channel: it carries its nonce as metadata.

https://docs.slack.dev/reference/methods/conversations.replies
https://docs.slack.dev/reference/methods/conversations.history
https://docs.slack.dev/messaging/message-metadata
"""

from collections.abc import Mapping, Sequence
from typing import Final

from threadline.core.errors import PlatformUnavailable
from threadline.core.http import Flow, Lost
from threadline.core.posting import Credentials, Destination, Receipt
from threadline.platforms.slack import api
from threadline.platforms.slack.payload import Fields, identity, moment, section, sections, text
from threadline.platforms.slack.place import SINCE, THREAD
from threadline.platforms.slack.refusal import Refused

PAGE: Final = 200
MOST_PAGES: Final = 10


def find_posted(to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt | None]:
    """Look through everything said since the message that is answered; None where it is not there.

    Raises PostError, also where a post of ours shows no metadata: then nothing is certain.
    """
    cursor, unclear = "", False
    for _ in range(MOST_PAGES):
        posts, cursor = yield from _page(to, credentials, cursor)
        for post in posts:
            shown = _nonce(post)
            if shown and shown == nonce:
                return Receipt(moment(post, "ts"), {"channel": to.chat})
            unclear = unclear or (not shown and _may_be_ours(post, credentials))
        if not cursor:
            break
    if cursor or unclear:
        raise PlatformUnavailable("Slack does not show whether the post stands there")
    return None


def _page(
    to: Destination, credentials: Credentials, cursor: str
) -> Flow[tuple[Sequence[Fields], str]]:
    thread = to.facts.get(THREAD, "")
    method = "conversations.replies" if thread else "conversations.history"
    arguments = {
        "channel": to.chat,
        "oldest": to.anchor or to.facts.get(SINCE, ""),
        "include_all_metadata": "true",
        "limit": str(PAGE),
        "ts": thread,
        "cursor": cursor,
    }
    answer = yield from api.look(method, _given(arguments), credentials)
    if isinstance(answer, Refused | Lost):
        raise api.failure(method, answer, credentials, repeatable=True)
    if not isinstance(answer.get("messages"), list):
        raise PlatformUnavailable(f"Slack answered {method} without messages")
    following = text(section(answer, "response_metadata"), "next_cursor")
    return sections(answer, "messages"), following


def _given(arguments: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in arguments.items() if value}


def _nonce(post: Fields) -> str:
    metadata = section(post, "metadata")
    if text(metadata, "event_type") != api.MARK:
        return ""
    return text(section(metadata, "event_payload"), "nonce")


def _may_be_ours(post: Fields, credentials: Credentials) -> bool:
    """Tell whether this may be a post of ours; files of ours never carry metadata."""
    if not identity(post, "bot_id") or sections(post, "files"):
        return False
    return not credentials.identity or identity(post, "user") in {"", credentials.identity}
