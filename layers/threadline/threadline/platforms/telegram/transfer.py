"""Files to and from Telegram: two steps to fetch one, a form to send one.

https://core.telegram.org/bots/api#getfile, https://core.telegram.org/bots/api#sending-files
"""

import hashlib
import json
import re
from dataclasses import replace
from typing import Final

from threadline.core.errors import PlatformUnavailable, PostError, PostRejected
from threadline.core.http import BlobRef, Flow, HttpRequest, HttpResponse, Joined, Lost, SaveTo, ask
from threadline.core.message import FileRef
from threadline.core.posting import Credentials, Destination, Receipt
from threadline.platforms.telegram import api, refusal
from threadline.platforms.telegram.files import MAX_DOWNLOAD
from threadline.platforms.telegram.payload import number, section, text
from threadline.platforms.telegram.refusal import Refused

MAX_UPLOAD: Final = 50 * 1024 * 1024
MAX_PHOTO: Final = 10 * 1024 * 1024
_PHOTOS: Final = frozenset({"image/jpeg", "image/png", "image/webp"})
_PATH: Final = re.compile(r"[A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)*")
_TIMEOUT: Final = 120.0
_UPLOAD_TIMEOUT: Final = 60.0
"""Seconds; a function that posts has 300 for all calls of a file."""


def fetch(file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
    """Save a file and give its blob; its size is checked as declared, as announced and as it came.

    Raises PostRejected where the file cannot be had, else PostError.
    """
    limit = min(save_to.limit, MAX_DOWNLOAD)
    if file.problem:
        raise PostRejected(f"Telegram does not hand this out: {file.problem}")
    _refuse_above(limit, file.size)
    answer = yield from api.call("getFile", {"file_id": file.id}, credentials, repeatable=True)
    if isinstance(answer, Refused | Lost):
        if isinstance(answer, Refused) and answer.says("too big"):
            raise _too_large(limit)
        raise api.failure("getFile", answer, credentials, repeatable=True)
    found = section(answer, "result") or {}
    _refuse_above(limit, number(found, "file_size") or 0)
    path = text(found, "file_path")
    if not _PATH.fullmatch(path):
        raise PostRejected("Telegram has no address for this file")
    request = HttpRequest(
        method="GET",
        url=api.method_url(path, credentials, "/file"),
        label="telegram download",
        timeout=_TIMEOUT,
        repeatable=True,
        save_to=SaveTo(save_to.name, limit),
    )
    return _checked(limit, (yield from ask(request)), credentials)


def upload(file: BlobRef, name: str, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Send a file, as a photo where it is one Telegram shows. Raises PostError."""
    if file.size > MAX_UPLOAD:
        raise PostRejected("Telegram takes no file above 50 MB from a bot")
    if file.mime in _PHOTOS and file.size <= MAX_PHOTO:
        answer = yield from _send("sendPhoto", "photo", file, name, to, credentials)
        # An extreme shape is refused as a photo and fine as a document.
        if not (isinstance(answer, Refused) and answer.says("photo", "image")):
            return api.receipt("sendPhoto", answer, credentials)
    answer = yield from _send("sendDocument", "document", file, name, to, credentials)
    return api.receipt("sendDocument", answer, credentials)


def _send(
    method: str, field: str, file: BlobRef, name: str, to: Destination, credentials: Credentials
) -> Flow[refusal.Answer]:
    boundary = hashlib.sha256(f"{file.name} {name}".encode()).hexdigest()
    lines = []
    for key, value in api.address(_unanchored(to)).items():
        shown = json.dumps(value)
        lines += [f"--{boundary}", f'Content-Disposition: form-data; name="{key}"', "", shown]
    lines += [
        f"--{boundary}",
        f'Content-Disposition: form-data; name="{field}"; filename="{_quotable(name)}"',
        f"Content-Type: {_quotable(file.mime)}",
        "",
        "",
    ]
    body = Joined(("\r\n".join(lines).encode(), file, f"\r\n--{boundary}--\r\n".encode()))
    request = HttpRequest(
        method="POST",
        url=api.method_url(method, credentials),
        label=f"telegram {method}",
        headers={"content-type": f"multipart/form-data; boundary={boundary}"},
        body=body,
        timeout=_UPLOAD_TIMEOUT,
    )
    return refusal.read((yield from ask(request)))


def _unanchored(to: Destination) -> Destination:
    """Drop the message replied to in a topic: were it gone, Telegram would refuse the file."""
    return replace(to, anchor="") if "thread" in to.facts else to


def _checked(limit: int, answer: HttpResponse | Lost, credentials: Credentials) -> BlobRef:
    if isinstance(answer, Lost):
        if answer.why == "too_large":
            raise _too_large(limit)
        raise api.failure("download", answer, credentials, repeatable=True)
    if answer.status != 200:
        raise _failed_download(answer.status)
    if answer.saved is None:
        raise PlatformUnavailable("the file that Telegram sent was not stored")
    _refuse_above(limit, answer.saved.size)
    return answer.saved


def _failed_download(status: int) -> PostError:
    if status == 429 or status >= 500:
        return PlatformUnavailable(f"Telegram did not hand out a file: {status}")
    return PostRejected(f"Telegram did not hand out a file: {status}")


def _refuse_above(limit: int, size: int) -> None:
    if size > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> PostRejected:
    return PostRejected(f"larger than {limit // 1_000_000} MB")


def _quotable(text: str) -> str:
    """Keep a value inside its quotes and its line."""
    kept = "".join(char for char in text if char.isprintable() and char not in '"\\')
    return kept.encode("utf-8", "replace").decode()
