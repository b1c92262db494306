"""Files from the relay's own media server, and files onto it and into a channel.

The server is a Blossom one: a file is named by its SHA-256, and every request carries an event that
allows just that and just there, for a minute. What Buzz wants of it, and its refusals:
https://github.com/hzrd149/blossom/blob/master/buds/11.md
https://github.com/block/buzz/blob/main/crates/buzz-media/src/auth.rs
https://github.com/block/buzz/blob/main/crates/buzz-media/src/error.rs
"""

import json
from base64 import urlsafe_b64encode
from email.utils import parsedate_to_datetime
from typing import Final, Literal

from threadline.core.errors import (
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
)
from threadline.core.guard import hides_context
from threadline.core.http import BlobRef, Flow, HttpRequest, HttpResponse, Lost, SaveTo, ask
from threadline.core.legible import legible
from threadline.core.message import FileRef
from threadline.core.policy import over_http
from threadline.core.posting import Credentials, Destination, Draft, FileDraft, Receipt
from threadline.platforms.buzz import api
from threadline.platforms.buzz.event import BLOSSOM, LATEST, signer
from threadline.platforms.buzz.files import MAX_DOWNLOAD, MAX_UPLOAD, MIME, PLACE
from threadline.platforms.buzz.stored import Stored, stored

ALLOWED_FOR: Final = 60
"""Seconds that an authorisation lives: the strictest relay takes no longer ones."""
_TIMEOUT: Final = 120.0
_UPLOAD_TIMEOUT: Final = 60.0
"""Seconds; a function that posts has 300 for all calls of a file."""
NOWHERE: Final = "0" * 64
_WORDS: Final = {"get": "Get media", "upload": "Upload file"}
_REFUSES_US: Final = frozenset({401, 403})
_LATER: Final = frozenset({408, 425, 429})


def fetch(file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
    """Save a file, once it is certain that it is the one its sender signed.

    Raises PostRejected where the file cannot be had, else PostError.
    """
    limit = min(save_to.limit, MAX_DOWNLOAD)
    place = PLACE.fullmatch(file.id)
    if file.problem or place is None:
        raise PostRejected(f"the relay does not hand this out: {file.problem or 'unknown'}")
    if file.size > limit:
        raise _too_large(limit)
    answer = yield from _get(file.id, place[1], save_to.name, limit, credentials)
    if _worth_another(answer):
        answer = yield from _get(file.id, place[1], save_to.name, limit, credentials)
    return _checked(answer, place[1], limit, file.mime)


def upload(file: FileDraft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Store a file on the relay, then say so in a message of its own. Raises PostError.

    Storing it again changes nothing, and nobody sees it before the message: of what was lost on
    the way to there it is certain that no post stands.
    """
    if hides_context(file.name):
        raise PostRejected("hidden context is not signed")
    if not 0 < file.blob.size <= MAX_UPLOAD or not file.blob.sha256:
        raise PostRejected("Buzz takes files of 1 byte to 50 MB")
    answer = yield from _put(file.blob, credentials)
    if failure := _failure(answer):
        raise failure
    kept = _kept(answer, file)
    draft = Draft(kept.link, at=file.at)
    return (yield from api.say(draft, to, 0, "", credentials, (kept.imeta,)))


def look(credentials: Credentials) -> Flow[str]:
    """Ask for a file that nobody has: "" where a media server says so, else what it said instead.

    Buzz says it only to whom it would hand a file out. Raises PostError where nothing is said.
    """
    answer = yield from _get(NOWHERE, NOWHERE, "looked-for", 1, credentials)
    if isinstance(answer, HttpResponse) and answer.status == 404 and _error(answer.body):
        return ""
    failure = _failure(answer)
    if isinstance(failure, CredentialsRejected):
        raise failure
    return str(failure or "the relay has what nobody has")


def _get(
    place: str, sha256: str, blob: str, limit: int, credentials: Credentials
) -> Flow[HttpResponse | Lost]:
    allowed = yield from _allow("get", sha256, credentials)
    request = HttpRequest(
        "GET", f"{over_http(credentials.base_url)}/media/{place}", "buzz download",
        {"authorization": allowed}, timeout=_TIMEOUT, save_to=SaveTo(blob, limit),
    )  # fmt: skip
    return (yield from ask(request))


def _put(file: BlobRef, credentials: Credentials) -> Flow[HttpResponse | Lost]:
    allowed = yield from _allow("upload", file.sha256, credentials)
    mime = file.mime if MIME.fullmatch(file.mime) else "application/octet-stream"
    headers = {"authorization": allowed, "content-type": mime, "x-sha-256": file.sha256}
    request = HttpRequest(
        "PUT", f"{over_http(credentials.base_url)}/upload", "buzz upload", headers, file,
        timeout=_UPLOAD_TIMEOUT,
    )  # fmt: skip
    return (yield from ask(request))


def _kept(answer: HttpResponse | Lost, file: FileDraft) -> Stored:
    kept = stored(answer.body, file.name) if isinstance(answer, HttpResponse) else None
    if kept is None:
        raise PlatformUnavailable("the relay did not say where it keeps the file")
    if (kept.sha256, kept.size) != (file.blob.sha256, file.blob.size):
        raise PostRejected("the relay keeps something else than was sent")
    return kept


def _allow(verb: Literal["get", "upload"], sha256: str, credentials: Credentials) -> Flow[str]:
    """Sign what allows one act on one file, at this relay and no other, by the relay's clock."""
    at = yield from _time(credentials)
    home = over_http(credentials.base_url)
    tags = (
        ("t", verb),
        ("x", sha256),
        ("expiration", str(at + ALLOWED_FOR)),
        ("server", home.partition("://")[2]),
    )
    event = signer(credentials).sign(at, BLOSSOM, tags, _WORDS[verb])
    signed = json.dumps(event.payload, separators=(",", ":")).encode()
    return f"Nostr {urlsafe_b64encode(signed).decode().rstrip('=')}"


def _time(credentials: Credentials) -> Flow[int]:
    """Ask for the relay's time, by what it tells of itself: ours may be off by more than it takes.

    https://github.com/nostr-protocol/nips/blob/master/11.md
    """
    home = over_http(credentials.base_url)
    if not home:
        raise CredentialsRejected("base_url is no ws:// or wss:// address of a relay")
    about = {"accept": "application/nostr+json", "cache-control": "no-cache"}
    answer = yield from ask(HttpRequest("GET", f"{home}/", "buzz time", about, repeatable=True))
    if isinstance(answer, Lost):
        raise PlatformUnavailable(f"the relay does not answer over HTTP: {answer.why}")
    try:
        at = int(parsedate_to_datetime(answer.headers.get("date", "")).timestamp())
        at += int(answer.headers.get("age", "0"))
    except (ValueError, TypeError, OverflowError):
        at = 0
    if not 0 < at < LATEST:
        raise PlatformUnavailable("the relay does not tell its time")
    return at


def _checked(answer: HttpResponse | Lost, sha256: str, limit: int, mime: str) -> BlobRef:
    if isinstance(answer, Lost) and answer.why == "too_large":
        raise _too_large(limit)
    if failure := _failure(answer):
        raise failure
    saved = answer.saved if isinstance(answer, HttpResponse) else None
    if saved is None:
        raise PlatformUnavailable("the file that the relay sent was not stored")
    if saved.size > limit:
        raise _too_large(limit)
    if saved.sha256 != sha256:
        raise PostRejected("the relay handed out something else than was sent: another SHA-256")
    return BlobRef(saved.name, saved.size, mime)


def _worth_another(answer: HttpResponse | Lost) -> bool:
    if isinstance(answer, Lost):
        return answer.why not in {"too_large", "forbidden"}
    return isinstance(_failure(answer), PlatformUnavailable)


def _failure(answer: HttpResponse | Lost) -> PostError | None:
    """Say what an answer means, None where it is a success.

    The relay counts uploads apart from messages: where it has had too many, others may be posted.
    """
    if isinstance(answer, Lost):
        return PlatformUnavailable(f"the relay did not answer for the file: {answer.why}")
    if answer.status in {200, 201}:
        return None
    said = f"the relay refused the file: {answer.status} {_reason(answer.body)}".rstrip()
    if answer.status in _REFUSES_US:
        return CredentialsRejected(said)
    if answer.status in _LATER or answer.status >= 500:
        return PlatformUnavailable(said)
    return PostRejected(said)


def _reason(body: bytes) -> str:
    """Read why: Buzz says `{"error": …}`, or one line of plain text where identities are strict."""
    return legible(_error(body) or body[:2_000].decode("utf-8", "replace"))


def _error(body: bytes) -> str:
    try:
        told = json.loads(body[:2_000])
    except (ValueError, RecursionError):
        return ""
    return str(told.get("error", "")) if isinstance(told, dict) else ""


def _too_large(limit: int) -> PostRejected:
    return PostRejected(f"larger than {limit // 1_000_000} MB")
