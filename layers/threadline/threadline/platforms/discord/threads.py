"""A thread made from the message that is answered.

https://docs.discord.com/developers/resources/channel#start-thread-from-message
"""

import re
from typing import Final

from threadline.core.errors import PlatformUnavailable
from threadline.core.http import Flow, Lost
from threadline.core.json import JsonObject
from threadline.core.posting import Credentials, Destination, Draft
from threadline.platforms.discord.place import TITLE
from threadline.platforms.discord.refusal import THREAD_EXISTS, Refused
from threadline.platforms.discord.rest import call, failure

LONGEST_NAME: Final = 100
REST_AFTER: Final = 1440
"""Minutes without a word after which Discord folds the thread away."""


def begin(to: Destination, draft: Draft, credentials: Credentials) -> Flow[bool]:
    """Make the thread; tell whether it is there. Raises PostError where that may change.

    False: this channel has no threads, or the bot may make none.
    """
    body: JsonObject = {"name": name_of(to, draft), "auto_archive_duration": REST_AFTER}
    path = f"/channels/{to.chat}/messages/{to.anchor}/threads"
    answer = yield from call("POST", path, body, credentials, what="thread")
    if isinstance(answer, Refused):
        if answer.is_any_of(THREAD_EXISTS):
            return True
        if answer.status in {400, 403, 404}:
            return False
    if isinstance(answer, Refused | Lost):
        # Made or not, trying again does no harm: a message has one thread at most.
        raise failure("a thread", answer, credentials, repeatable=True)
    if not answer:
        raise PlatformUnavailable("Discord answered a thread without its id")
    return True


def name_of(to: Destination, draft: Draft) -> str:
    """Name the thread after what was asked, where that is known, else after the answer."""
    asked = to.facts.get(TITLE) or draft.text
    words = re.sub(r"[*_`#>~|\s]+", " ", asked).strip()
    return words[:LONGEST_NAME].strip() or "Answer"
