"""Markdown in parts of 8,000 characters: the page itself shows it as Markdown."""

from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import split
from threadline.platforms.playground.limits import MAX_TEXT, TONE


def render(reply: Reply) -> tuple[Draft, ...]:
    """Give the drafts of a reply, each with its tone; of progress only the first."""
    markdown = reply.markdown.replace("\r\n", "\n").replace("\r", "\n")
    markdown = markdown.encode("utf-8", "replace").decode()  # no half of a character
    facts = {TONE: str(reply.tone)}
    pieces = split(markdown, MAX_TEXT, "chars")
    drafts = tuple(Draft(piece.text, facts) for piece in pieces if piece.body.strip())
    return drafts[:1] if reply.tone is Tone.PROGRESS else drafts
