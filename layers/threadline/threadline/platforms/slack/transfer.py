"""Files to and from Slack: an address is asked for first, in both directions.

https://docs.slack.dev/reference/methods/files.info
https://docs.slack.dev/messaging/working-with-files/#uploading_files
"""

from typing import Final

from threadline.core.errors import PlatformUnavailable, PostError, PostRejected
from threadline.core.http import BlobRef, Flow, HttpRequest, HttpResponse, Lost, SaveTo, ask
from threadline.core.json import JsonObject
from threadline.core.message import FileRef
from threadline.core.posting import Credentials, Destination, Receipt
from threadline.platforms.slack import api
from threadline.platforms.slack.files import MAX_DOWNLOAD, MAX_UPLOAD
from threadline.platforms.slack.payload import identity, number, section, text
from threadline.platforms.slack.place import THREAD
from threadline.platforms.slack.refusal import Refused

_TIMEOUT: Final = 120.0
_UPLOAD_TIMEOUT: Final = 60.0
"""Seconds; a function that posts has 300 for all calls of a file."""


def fetch(file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
    """Save a file and give its blob; its size is checked as told, as announced and as it came.

    Raises PostRejected where the file cannot be had, else PostError.
    """
    limit = min(save_to.limit, MAX_DOWNLOAD)
    if file.problem:
        raise PostRejected(f"Slack does not hand this out: {file.problem}")
    _refuse_above(limit, file.size)
    answer = yield from api.look("files.info", {"file": file.id}, credentials)
    if isinstance(answer, Refused | Lost):
        raise api.failure("files.info", answer, credentials, repeatable=True)
    found = section(answer, "file")
    _refuse_above(limit, number(found, "size"))
    address = text(found, "url_private_download") or text(found, "url_private")
    if not address:
        raise PostRejected("Slack has no address for this file")
    request = HttpRequest(
        method="GET",
        url=address,
        label="slack download",
        headers=api.authorization(credentials),
        timeout=_TIMEOUT,
        repeatable=True,
        save_to=SaveTo(save_to.name, limit),
        public=True,
    )
    saved = _saved(limit, (yield from ask(request)), text(found, "mimetype"))
    return BlobRef(saved.name, saved.size, file.mime)


def upload(file: BlobRef, name: str, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Share a file in the destination's thread. Raises PostError.

    Only the last of the three steps makes it visible: the first two may be repeated.
    """
    if file.size > MAX_UPLOAD:
        raise PostRejected("Slack takes no file above 1 GB")
    wanted = {"filename": name, "length": str(file.size)}
    ticket = yield from api.look("files.getUploadURLExternal", wanted, credentials)
    if isinstance(ticket, Refused | Lost):
        raise api.failure("files.getUploadURLExternal", ticket, credentials, repeatable=True)
    file_id = identity(ticket, "file_id")
    request = HttpRequest(
        method="POST",
        url=text(ticket, "upload_url"),
        label="slack upload",
        headers={"content-type": "application/octet-stream"},
        body=file,
        timeout=_UPLOAD_TIMEOUT,
        repeatable=True,
        public=True,
    )
    sent = yield from ask(request)
    if isinstance(sent, Lost) or sent.status != 200 or not file_id:
        why = sent.why if isinstance(sent, Lost) else str(sent.status)
        raise PlatformUnavailable(f"Slack did not take the file ({why})")
    return (yield from _share(file_id, name, to, credentials))


def _share(file_id: str, name: str, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    thread = to.facts.get(THREAD)
    body: JsonObject = {
        "files": [{"id": file_id, "title": name}],
        "channel_id": to.chat,
        **({"thread_ts": thread} if thread else {}),
    }
    answer = yield from api.call("files.completeUploadExternal", body, credentials)
    if isinstance(answer, Refused | Lost):
        raise api.failure("files.completeUploadExternal", answer, credentials)
    return Receipt(file_id)


def _saved(limit: int, answer: HttpResponse | Lost, mime: str) -> BlobRef:
    """Give the blob; a page to sign in on, which comes with status 200, is no file."""
    if isinstance(answer, Lost):
        raise _too_large(limit) if answer.why == "too_large" else _unread(answer.why)
    page = answer.headers.get("content-type", "").lower().startswith("text/html")
    if page and not mime.startswith("text/html"):
        raise PostRejected("Slack wants the scope files:read for this file")
    if answer.status != 200 or answer.saved is None:
        raise _unread(str(answer.status))
    _refuse_above(limit, answer.saved.size)
    return answer.saved


def _unread(why: str) -> PostError:
    return PlatformUnavailable(f"Slack did not hand the file out ({why})")


def _refuse_above(limit: int, size: int) -> None:
    if size > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> PostRejected:
    return PostRejected(f"the file is above {limit // 1_000_000} MB")
