"""Markdown in parts of 8,000 characters: the page itself shows it as Markdown."""

import json

from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import split
from threadline.platforms.playground.limits import (
    LONGEST_OPTION,
    MAX_TEXT,
    MOST_OPTIONS,
    OPTIONS,
    TONE,
)


def render(reply: Reply) -> tuple[Draft, ...]:
    """Give the drafts of a reply, each with its tone; of progress only the first.

    The last one offers the options of a question.
    """
    markdown = reply.markdown.replace("\r\n", "\n").replace("\r", "\n")
    markdown = markdown.encode("utf-8", "replace").decode()  # no half of a character
    facts = {TONE: str(reply.tone)}
    pieces = split(markdown, MAX_TEXT, "chars")
    drafts = tuple(Draft(piece.text, facts) for piece in pieces if piece.body.strip())
    if reply.tone is Tone.PROGRESS:
        return drafts[:1]
    offered = [one for one in reply.options if one.strip() and len(one) <= LONGEST_OPTION]
    if not drafts or not 0 < len(offered) <= MOST_OPTIONS:
        return drafts
    options = json.dumps(offered)
    return (*drafts[:-1], Draft(drafts[-1].text, facts | {OPTIONS: options}))
