"""Files from Discord's own storage, and files into a channel.

https://docs.discord.com/developers/reference#signed-attachment-cdn-urls
https://docs.discord.com/developers/reference#uploading-files
"""

import hashlib
import json
from dataclasses import replace
from typing import Final

from threadline.core.errors import PlatformUnavailable, PostError, PostRejected
from threadline.core.http import BlobRef, Flow, HttpRequest, HttpResponse, Joined, Lost, SaveTo, ask
from threadline.core.message import FileRef
from threadline.core.posting import Credentials, Destination, Receipt
from threadline.platforms.discord import api, refusal
from threadline.platforms.discord.files import MAX_DOWNLOAD, MAX_UPLOAD
from threadline.platforms.discord.payload import sections, snowflake, text
from threadline.platforms.discord.place import channel_of
from threadline.platforms.discord.refusal import Refused
from threadline.platforms.discord.rest import call, failure, request, send, with_body

_TIMEOUT: Final = 120.0
_UPLOAD_TIMEOUT: Final = 60.0
"""Seconds; a function that posts has 300 for all calls of a file."""
_ENDED: Final = frozenset({401, 403, 404, 410})
"""How an address answers whose day is over."""


def fetch(file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
    """Save a file and give its blob; where its address has ended, a fresh one is asked for.

    Raises PostRejected where the file cannot be had, else PostError.
    """
    limit = min(save_to.limit, MAX_DOWNLOAD)
    if file.problem:
        raise PostRejected(f"Discord does not hand this out: {file.problem}")
    _refuse_above(limit, file.size)
    answer = yield from _download(file.id, save_to, limit)
    if isinstance(answer, HttpResponse) and answer.status in _ENDED:
        address = yield from _fresh_address(file, credentials)
        answer = yield from _download(address, save_to, limit)
    saved = _saved(limit, answer)
    return BlobRef(saved.name, saved.size, file.mime)


def upload(file: BlobRef, name: str, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Send a file as a message of its own. Raises PostError."""
    if file.size > MAX_UPLOAD:
        raise PostRejected("Discord takes no file above 10 MB from a bot")
    boundary = hashlib.sha256(f"{file.name} {name}".encode()).hexdigest()
    about = {"attachments": [{"id": 0, "filename": name}], "allowed_mentions": {"parse": []}}
    lines = (
        f"--{boundary}",
        'Content-Disposition: form-data; name="payload_json"',
        "Content-Type: application/json",
        "",
        json.dumps(about),
        f"--{boundary}",
        f'Content-Disposition: form-data; name="files[0]"; filename="{_quotable(name)}"',
        f"Content-Type: {_quotable(file.mime)}",
        "",
        "",
    )
    channel = channel_of(to)
    form = Joined(("\r\n".join(lines).encode(), file, f"\r\n--{boundary}--\r\n".encode()))
    asked = request("POST", f"/channels/{channel}/messages", credentials, "file")
    asked = with_body(asked, form, f"multipart/form-data; boundary={boundary}")
    answer = yield from send(replace(asked, timeout=_UPLOAD_TIMEOUT))
    read = refusal.read(answer)
    if isinstance(read, Refused | Lost):
        raise failure("a file", read, credentials)
    return api.receipt(read, channel)


def _download(address: str, save_to: SaveTo, limit: int) -> Flow[HttpResponse | Lost]:
    request = HttpRequest(
        method="GET",
        url=address,
        label="discord download",
        timeout=_TIMEOUT,
        repeatable=True,
        save_to=SaveTo(save_to.name, limit),
        public=True,
    )
    return (yield from ask(request))


def _fresh_address(file: FileRef, credentials: Credentials) -> Flow[str]:
    channel, _, rest = file.message.partition("/")
    message, _, attachment = rest.partition("/")
    answer = yield from call(
        "GET", f"/channels/{channel}/messages/{message}", None, credentials, what="attachment",
        repeatable=True,
    )  # fmt: skip
    if isinstance(answer, Refused | Lost):
        raise failure("an attachment", answer, credentials, repeatable=True)
    for one in sections(answer, "attachments"):
        if snowflake(one, "id") == attachment:
            return text(one, "url")
    raise PostRejected("the file was deleted")


def _saved(limit: int, answer: HttpResponse | Lost) -> BlobRef:
    if isinstance(answer, Lost):
        raise _too_large(limit) if answer.why == "too_large" else _unread(answer.why)
    if answer.status == 429 or answer.status >= 500:
        raise _unread(str(answer.status))
    if answer.status != 200:
        raise PostRejected(f"Discord did not hand the file out ({answer.status})")
    if answer.saved is None:
        raise PlatformUnavailable("the file that Discord sent was not stored")
    _refuse_above(limit, answer.saved.size)
    return answer.saved


def _unread(why: str) -> PostError:
    return PlatformUnavailable(f"Discord did not hand the file out ({why})")


def _refuse_above(limit: int, size: int) -> None:
    if size > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> PostRejected:
    return PostRejected(f"the file is above {limit // 1_000_000} MB")


def _quotable(value: str) -> str:
    """Keep a value inside its quotes and its line."""
    kept = "".join(char for char in value if char.isprintable() and char not in '"\\')
    return kept.encode("utf-8", "replace").decode()
