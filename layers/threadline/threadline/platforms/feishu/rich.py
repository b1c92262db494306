"""Rich text: a title and lines of elements, read as Markdown with the files that stand in it.

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/im-v1/message/events/message_content
"""

from collections.abc import Iterator
from typing import Final

from threadline.core.message import FileRef
from threadline.platforms.feishu.files import file_of, image_of
from threadline.platforms.feishu.payload import Fields, items, sections, text

_DEEPEST: Final = 8


def read(said: Fields, message: str) -> tuple[str, tuple[FileRef, ...]]:
    """Give the words of a post, mention tokens among them, and its files in their order."""
    page = _Page(message)
    title = text(said, "title").strip()
    lines = [page.line(line) for line in _lines(said)]
    body = "\n".join(lines).strip("\n")
    return "\n\n".join(part for part in (title, body) if part.strip()), tuple(page.files)


def _lines(said: Fields) -> Iterator[list[Fields]]:
    """Give the lines of a post, be it of one language or of several."""
    if "content" not in said:
        said = next((one for one in said.values() if isinstance(one, dict)), {})
    for line in items(said, "content"):
        elements = line if isinstance(line, list) else [line]
        yield [one for one in elements if isinstance(one, dict)]


class _Page:
    """Reads elements line by line and keeps the files on the way."""

    def __init__(self, message: str) -> None:
        self.files: list[FileRef] = []
        self._message = message

    def line(self, elements: list[Fields], depth: int = 0) -> str:
        """Write one line: elements stand as close to each other as they were typed."""
        return "".join(self._element(one, depth) for one in elements)

    def _element(self, element: Fields, depth: int) -> str:
        words = text(element, "text")
        match text(element, "tag"):
            case "a":
                address = text(element, "href")
                return f"[{words or address}]({address})" if address else words
            case "at":
                return _mention(element)
            case "img":
                return self._attach(image_of(text(element, "image_key"), self._message))
            case "media" | "file":
                return self._attach(file_of(element, self._message, "media"))
            case "emotion":
                return f":{text(element, 'emoji_type')}:"
            case "hr":
                return "---"
            case "code_block":
                return f"```{text(element, 'language').lower()}\n{words.rstrip()}\n```"
            case "note" if depth < _DEEPEST:
                return self.line(sections(element, "elements"), depth + 1)
            case _:
                return words

    def _attach(self, file: FileRef) -> str:
        self.files.append(file)
        return f"[{file.name}]"


def _mention(element: Fields) -> str:
    """Give the token of a mention; older posts hold the name itself."""
    whom = text(element, "user_id")
    if whom.startswith("@_"):
        return whom
    if whom == "all":
        return "@_all"
    name = text(element, "user_name")
    return f"@{name}" if name else ""
