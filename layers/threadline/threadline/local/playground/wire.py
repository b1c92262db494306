"""Messages, chats and journeys as the page reads them."""

from collections.abc import Sequence
from typing import Any

from threadline.local.playground.chats import Said, Title
from threadline.local.playground.journey import Told, is_growing
from threadline.local.playground.markdown import tree
from threadline.platforms.playground.limits import PERSON


def message(said: Said) -> dict[str, Any]:
    """Give a message; an answer's Markdown comes as a tree, a person's text as it was typed."""
    mine = said.who == PERSON
    return {
        "id": said.id,
        "who": said.who,
        "key": said.key if mine else "",
        "at": said.at,
        "text": said.text,
        "tree": [] if mine else tree(said.text),
        "tone": said.tone,
        "growing": is_growing(said),
        "state": said.state,
        "why": said.why,
        "reply_to": said.reply_to,
        "files": list(said.files),
        "options": list(said.options),
        "revision": said.revision,
    }


def titles(chats: Sequence[Title]) -> list[dict[str, Any]]:
    """Give the list of chats."""
    return [{"chat": one.chat, "title": one.title, "at": one.touched} for one in chats]


def journey(told: Told) -> dict[str, Any]:
    """Give a journey; `after` is in whole milliseconds since the message was sent."""
    start = told.steps[0].at if told.steps else 0.0
    return {
        "message": told.message,
        "delivery": told.delivery,
        "run": told.run,
        "over": told.over,
        "steps": [
            {
                "code": step.code,
                "title": step.title,
                "note": step.note,
                "at": step.at,
                "after": round((step.at - start) * 1000),
            }
            for step in told.steps
        ],
    }
