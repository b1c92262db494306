"""What the relay says of a file that it keeps, and how a message shows it.

https://github.com/hzrd149/blossom/blob/master/buds/02.md#blob-descriptor
https://github.com/block/buzz/blob/main/crates/buzz-relay/src/handlers/imeta.rs
"""

import json
import re
from dataclasses import dataclass
from typing import Final

from threadline.platforms.buzz.files import MIME

LONGEST_NAME: Final = 200
_DIM: Final = re.compile(r"\d{1,6}x\d{1,6}", re.ASCII)
_URL: Final = re.compile(r"(?:https?://[^\s()<>]{1,300})?/media/([0-9a-f]{64})\.[a-z0-9]{1,8}")


@dataclass(frozen=True, slots=True)
class Stored:
    """A file as the relay keeps it; `name` is shown to people."""

    url: str
    sha256: str
    size: int
    mime: str
    name: str
    dim: str = ""

    @property
    def imeta(self) -> tuple[str, ...]:
        """The tag that describes the file; the relay compares it with what it keeps."""
        told = ("imeta", f"url {self.url}", f"m {self.mime}", f"x {self.sha256}",
                f"size {self.size}")  # fmt: skip
        dim = (f"dim {self.dim}",) if self.dim else ()
        return (*told, *dim, f"filename {self.name}")

    @property
    def link(self) -> str:
        """The file as Buzz's clients write it: a picture, a film, or a link by its name."""
        if self.mime.startswith(("image/", "video/")):
            return f"![{self.mime.partition('/')[0]}]({self.url})"
        return f"[{re.sub(r'([\\\[\]])', r'\\\1', self.name)}]({self.url})"


def stored(body: bytes, name: str) -> Stored | None:
    """Read the answer to an upload; None where it is no description of a file."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return None
    match told:
        case {"url": str(url), "sha256": str(sha256), "size": int(size), "type": str(mime)}:
            at = _URL.fullmatch(url)
            if at is None or at[1] != sha256 or not MIME.fullmatch(mime):
                return None
            dim = told.get("dim")
            shown = dim if isinstance(dim, str) and _DIM.fullmatch(dim) else ""
            return Stored(url, sha256, size, mime, _shown(name), shown)
    return None


def _shown(name: str) -> str:
    """Give a name that Buzz takes: no path, one line, at most 255 bytes."""
    kept = "".join(char if char.isprintable() and char not in "/\\" else "-" for char in name)
    whole = kept.encode("utf-8", "replace").decode().strip()
    while len(whole.encode()) > LONGEST_NAME:
        whole = whole[:-1]
    return whole or "file"
