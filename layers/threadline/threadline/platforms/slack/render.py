"""Markdown as Slack shows it, cut into posts.

A first post grows by edits, and an edit takes 4,000 bytes, counted after escaping, where a new
post would take more: one limit for all keeps an answer from failing where it ends.
https://docs.slack.dev/reference/methods/chat.update
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import cut, fit, length
from threadline.platforms.slack.buttons import OPTIONS, offered
from threadline.platforms.slack.mrkdwn import RESERVED, write
from threadline.platforms.slack.payload import whole
from threadline.text.flatten import flatten
from threadline.text.styled import Styled, head

MAX_TEXT: Final = 4000
LONGEST_ADDRESS: Final = 1500


def render(reply: Reply) -> tuple[Draft, ...]:
    """Give the drafts of a reply, each within 4,000 bytes; of progress only the head.

    The last one offers the options of a question as buttons.
    """
    if reply.tone is Tone.PROGRESS:
        # Markup makes the source longer than what is seen, but hardly twice.
        shown = _head(flatten(_sent(reply.markdown[: MAX_TEXT * 2]), linkable))
        return (Draft(shown),) if shown.strip() else ()
    texts = tuple(_posts(flatten(_sent(reply.markdown), linkable)))
    options = offered(reply.options)
    last = len(texts) - 1
    return tuple(
        Draft(text, {OPTIONS: options} if options and number == last else {})
        for number, text in enumerate(texts)
    )


def linkable(address: str) -> bool:
    """Tell whether an address can stand behind other words: of the web or of mail, not too long."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    known = parts.scheme == "mailto" or (parts.scheme in {"http", "https"} and parts.netloc != "")
    return known and len(address) <= LONGEST_ADDRESS


def _sent(markdown: str) -> str:
    """Replace what no post can carry: lone surrogates, control and reserved characters."""
    return "".join(
        "\ufffd" if (char < " " and char not in "\n\t") or char in RESERVED else char
        for char in whole(markdown.replace("\r\n", "\n"))
    )


def _posts(styled: Styled) -> Iterator[str]:
    """Cut where the written form fits: at paragraphs, lines or words where possible."""
    start = 0
    while start < len(styled.text):
        window = styled.text[start : start + MAX_TEXT + 1]
        room = MAX_TEXT
        while True:
            step = cut(window, max(fit(window, room, "utf8"), 1))
            written = write(styled.part(start, start + step))
            size = length(written, "utf8")
            if size <= MAX_TEXT or step == 1:
                break
            room = min(room - 1, room * MAX_TEXT // size)
        if written.strip():
            yield written
        start += step


def _head(styled: Styled) -> str:
    room = MAX_TEXT
    while True:
        written = write(head(styled, room, "utf8"))
        size = length(written, "utf8")
        if size <= MAX_TEXT:
            return written
        room = min(room - 1, room * MAX_TEXT // size)
