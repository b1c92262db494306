"""Files to and from Feishu: a resource of a message in; an upload and a message with its key out.

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message-resource/get
https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/file/create
"""

import hashlib
import json
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from threadline.core.errors import PlatformUnavailable, PostRejected
from threadline.core.http import BlobRef, Flow, HttpResponse, Joined, Lost, SaveTo
from threadline.core.message import FileRef
from threadline.core.posting import Credentials, Destination, Receipt
from threadline.platforms.feishu import api, refusal, rest
from threadline.platforms.feishu.files import FILE, IMAGE, MAX_DOWNLOAD, MAX_UPLOAD
from threadline.platforms.feishu.payload import section, text
from threadline.platforms.feishu.refusal import Answer, Refused
from threadline.platforms.feishu.rest import Call

MAX_IMAGE: Final = 10 * 1024 * 1024
_TIMEOUT: Final = 120.0
_UPLOAD_TIMEOUT: Final = 60.0
"""Seconds; a function that posts has 300 for all calls of a file."""
_NO_IMAGE: Final = frozenset({234006, 234011, 234039})
"""Too large, no picture Feishu knows, or too many pixels: still fine as a file."""
_IMAGES: Final = frozenset({"bmp", "gif", "heic", "ico", "jpeg", "jpg", "png", "tiff", "webp"})
_TYPES: Final = MappingProxyType(
    {
        "csv": "xls", "doc": "doc", "docx": "doc", "pdf": "pdf", "ppt": "ppt", "pptx": "ppt",
        "xls": "xls", "xlsx": "xls",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _File:
    """A file on its way out; `nonce` makes a repeated message harmless."""

    blob: BlobRef
    name: str
    nonce: str

    @property
    def ending(self) -> str:
        return self.name.rpartition(".")[2].lower()


def fetch(file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
    """Save a file of a message; of one that is too long no more is read than shows it.

    Raises PostRejected where the file cannot be had, else PostError.
    """
    kind, _, key = file.id.partition(":")
    if file.problem or kind not in {IMAGE, FILE} or not key or not file.message:
        raise PostRejected(f"Feishu does not hand this out: {file.problem or 'unknown'}")
    limit = min(save_to.limit, MAX_DOWNLOAD)
    path = f"im/v1/messages/{quote(file.message, safe='')}/resources/{quote(key, safe='')}"
    wanted = Call(
        "GET", f"{path}?type={kind}", "file", timeout=_TIMEOUT,
        save_to=SaveTo(save_to.name, limit),
    )  # fmt: skip
    answer = yield from rest.perform(wanted, credentials)
    if isinstance(answer, Lost) and answer.why == "too_large":
        raise _too_large(limit)
    if isinstance(answer, HttpResponse) and answer.saved is not None:
        if answer.saved.size > limit:
            raise _too_large(limit)
        return answer.saved
    refused = refusal.read(answer)
    if isinstance(refused, Refused) and refused.code == 234037:
        raise _too_large(limit)
    if isinstance(refused, Refused | Lost):
        raise rest.failure(refused, wanted, credentials)
    raise PlatformUnavailable("the file that Feishu sent was not stored")


def upload(blob: BlobRef, name: str, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Send a file, as a picture where it is one that Feishu takes. Raises PostError."""
    if not 0 < blob.size <= MAX_UPLOAD:
        raise PostRejected("Feishu takes files of 1 byte to 30 MB from a bot")
    told = f"{blob.name} {name} {to.chat} {to.anchor}"
    file = _File(blob, name, hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:32])
    if file.ending in _IMAGES and blob.size <= MAX_IMAGE:
        stored = yield from _store(IMAGE, {"image_type": "message"}, file, credentials)
        if not (isinstance(stored[0], Refused) and stored[0].code in _NO_IMAGE):
            return (yield from _show(IMAGE, stored, file, to, credentials))
    fields = {"file_type": _TYPES.get(file.ending, "stream"), "file_name": name}
    stored = yield from _store(FILE, fields, file, credentials)
    return (yield from _show(FILE, stored, file, to, credentials))


def _store(
    kind: str, fields: dict[str, str], file: _File, credentials: Credentials
) -> Flow[tuple[Answer, Call]]:
    """Upload the bytes; they are seen by nobody until a message names them."""
    boundary = file.nonce
    lines = []
    for key, value in fields.items():
        lines += [f"--{boundary}", f'Content-Disposition: form-data; name="{key}"', ""]
        lines += [_in_a_line(value)]
    lines += [
        f"--{boundary}",
        f'Content-Disposition: form-data; name="{kind}"; filename="{_in_a_line(file.name)}"',
        "Content-Type: application/octet-stream",
        "",
        "",
    ]
    body = Joined(("\r\n".join(lines).encode(), file.blob, f"\r\n--{boundary}--\r\n".encode()))
    form = f"multipart/form-data; boundary={boundary}"
    wanted = Call("POST", f"im/v1/{kind}s", "upload", body, form, timeout=_UPLOAD_TIMEOUT)
    return (yield from rest.call(wanted, credentials)), wanted


def _show(
    kind: str,
    stored: tuple[Answer, Call],
    file: _File,
    to: Destination,
    credentials: Credentials,
) -> Flow[Receipt]:
    key = text(section(rest.succeeded(*stored, credentials), "data"), f"{kind}_key")
    if not key:
        raise PlatformUnavailable("Feishu: an upload without a key")
    content = json.dumps({f"{kind}_key": key})
    answer, sent = yield from api.send(kind, content, to, credentials, file.nonce)
    return api.receipt(answer, sent, credentials)


def _too_large(limit: int) -> PostRejected:
    return PostRejected(f"larger than {limit // 1_000_000} MB")


def _in_a_line(text: str) -> str:
    """Keep a value inside its quotes and its line."""
    kept = "".join(char for char in text if char.isprintable() and char not in '"\\')
    return kept.encode("utf-8", "replace").decode()
