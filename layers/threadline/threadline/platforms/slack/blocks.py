"""The text of a message that has none of its own: its blocks, attachments, what it passes on.

https://docs.slack.dev/reference/block-kit/blocks
"""

from collections.abc import Iterator
from typing import Final

from threadline.platforms.slack.payload import Fields, flag, section, sections, text

DEEPEST: Final = 12
_LONGEST_QUOTE: Final = 1000


def text_of(message: Fields) -> str:
    """Give the text of blocks and attachments, in Slack's own markup; "" where there is none."""
    parts = [_block(block) for block in sections(message, "blocks")]
    parts += [_attachment(one) for one in sections(message, "attachments")]
    return "\n".join(part for part in parts if part.strip())


def passed_on(message: Fields) -> str:
    """Give the text of messages this one passes on, in Slack's own markup."""
    shared = [one for one in sections(message, "attachments") if flag(one, "is_share")]
    return "\n".join(filter(None, (_attachment(one) for one in shared)))[:_LONGEST_QUOTE]


def _attachment(attachment: Fields) -> str:
    nested = "\n".join(
        _block(section(block, "message")) or text_of(section(block, "message"))
        for block in sections(attachment, "message_blocks")
    )
    parts = [
        text(attachment, "pretext"),
        text(attachment, "title"),
        text(attachment, "text") or nested,
        *(_block(block) for block in sections(attachment, "blocks")),
        *(f"{text(one, 'title')}: {text(one, 'value')}" for one in sections(attachment, "fields")),
    ]
    return "\n".join(part for part in parts if part.strip()) or text(attachment, "fallback")


def _block(block: Fields) -> str:
    match text(block, "type"):
        case "section":
            fields = [text(one, "text") for one in sections(block, "fields")]
            return "\n".join([text(section(block, "text"), "text"), *fields]).strip()
        case "header":
            return text(section(block, "text"), "text")
        case "context":
            return " ".join(
                filter(None, (text(one, "text") for one in sections(block, "elements")))
            )
        case "markdown":
            return text(block, "text")
        case "image" | "video":
            return text(block, "alt_text")
        case "rich_text":
            return "".join(_rich(block, 0)).strip()
        case _:
            return ""


def _rich(parent: Fields, depth: int) -> Iterator[str]:
    """Write the elements of a rich text; lists and sections stand on lines of their own."""
    if depth > DEEPEST:
        return
    for element in sections(parent, "elements"):
        match text(element, "type"):
            case "rich_text_list":
                for item in sections(element, "elements"):
                    yield "• " + "".join(_rich(item, depth + 1)) + "\n"
            case "rich_text_section" | "rich_text_quote" | "rich_text_preformatted":
                yield "".join(_rich(element, depth + 1)) + "\n"
            case kind:
                yield _inline(kind, element)


def _inline(kind: str, element: Fields) -> str:
    match kind:
        case "text":
            return _escaped(text(element, "text"))
        case "link":
            label = text(element, "text")
            return f"<{text(element, 'url')}{'|' + _escaped(label) if label else ''}>"
        case "user":
            return f"<@{text(element, 'user_id')}>"
        case "channel":
            return f"<#{text(element, 'channel_id')}>"
        case "broadcast":
            return f"<!{text(element, 'range')}>"
        case "usergroup":
            return f"<!subteam^{text(element, 'usergroup_id')}>"
        case "emoji":
            return f":{text(element, 'name')}:"
        case "date":
            return _escaped(text(element, "fallback"))
        case _:
            return ""


def _escaped(plain: str) -> str:
    """Write text of a rich text block, which is not escaped, as the message's own text is."""
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
