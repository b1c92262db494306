"""What is posted of a text beyond all measure, without rendering what is left out."""

from dataclasses import replace
from typing import Final

from threadline.core.platform import Platform
from threadline.core.posting import Draft, Reply

SHRINKS: Final = 4
"""How many times longer Markdown may be than what is seen of it: addresses, markup, comments."""


def rendered(platform: Platform, reply: Reply, most: int) -> tuple[list[Draft], bool]:
    """Give the first drafts of a reply, at most so many, and whether that is all of it.

    What is far longer than so many drafts can hold is cut first: rendering costs no more.
    """
    room = most * platform.traits.max_text * SHRINKS
    head = replace(reply, markdown=reply.markdown[:room]) if len(reply.markdown) > room else reply
    drafts = platform.render(head)
    return list(drafts[:most]), head is reply and len(drafts) <= most
