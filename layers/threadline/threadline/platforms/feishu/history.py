"""Whether a post whose answer was lost stands in the chat: its card is looked for by its element.

In groups this needs the scope to read all messages; without it nothing can be told.
https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/list
"""

from typing import Final
from urllib.parse import urlencode

from threadline.core.errors import PlatformUnavailable
from threadline.core.http import Flow
from threadline.core.posting import Credentials, Destination, Receipt
from threadline.platforms.feishu import rest
from threadline.platforms.feishu.api import ELEMENT
from threadline.platforms.feishu.card import element_of
from threadline.platforms.feishu.parse import THREAD
from threadline.platforms.feishu.payload import Fields, section, sections, text

MOST_PAGES: Final = 10
_PAGE: Final = "50"


def find_posted(to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt | None]:
    """Read the chat or topic, newest first, back to the message that was answered.

    None where the post certainly does not stand. Raises PostError where that cannot be told.
    """
    element, page = element_of(nonce), ""
    for _ in range(MOST_PAGES):
        listed = yield from _page(to, credentials, page)
        for message in sections(listed, "items"):
            if element in text(section(message, "body"), "content"):
                return Receipt(text(message, "message_id"), {ELEMENT: element})
            if to.anchor and text(message, "message_id") == to.anchor:
                return None
        page = text(listed, "page_token")
        if listed.get("has_more") is not True or not page:
            return None
    raise PlatformUnavailable("Feishu: the chat has moved on too far to find a post in it")


def _page(to: Destination, credentials: Credentials, page: str) -> Flow[Fields]:
    thread = to.facts.get(THREAD, "")
    asked = {
        "container_id_type": "thread" if thread else "chat",
        "container_id": thread or to.chat,
        "sort_type": "ByCreateTimeDesc",
        "page_size": _PAGE,
        "card_msg_content_type": "user_card_content",
    } | ({"page_token": page} if page else {})
    wanted = rest.of_json("GET", f"im/v1/messages?{urlencode(asked)}", "history")
    answer = yield from rest.call(wanted, credentials)
    return section(rest.succeeded(answer, wanted, credentials), "data")
