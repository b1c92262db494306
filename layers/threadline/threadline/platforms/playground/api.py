"""The playground's own API, which the process that shows the page serves on loopback.

`POST /chats/{chat}/posts`, `PUT /posts/{id}`, `GET /files/{id}` below the configured address, with
a bearer token. A yes is 200 with `{"id": "17"}`, a no `{"error": "…"}` with its status.
"""

import json
from typing import Final, Literal

from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import BlobRef, Flow, HttpRequest, HttpResponse, Lost, SaveTo, ask
from threadline.core.json import Json, JsonObject
from threadline.core.message import FileRef
from threadline.core.policy import redact, retry_after
from threadline.core.posting import Credentials, Destination, Draft, Receipt
from threadline.platforms.playground.limits import MAX_FILE, NOWHERE, OPTIONS, TOKEN, TONE

_LONGEST_SHOWN: Final = 120


def post(draft: Draft, to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt]:
    """Add a message to a chat; the nonce keeps a repeated one from standing there twice."""
    fields = {"nonce": nonce, "reply_to": to.anchor, **_content(draft)}
    request = _request("POST", f"/chats/{to.chat}/posts", fields, credentials)
    return _receipt((yield from ask(request)), credentials, adds=True)


def edit(draft: Draft, posted: Receipt, credentials: Credentials) -> Flow[Receipt]:
    """Replace a message's text and tone."""
    request = _request("PUT", f"/posts/{posted.id}", _content(draft), credentials)
    return _receipt((yield from ask(request)), credentials)


def fetch(file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
    """Save a file that was put on the page; its size is checked as announced and as it came."""
    limit = min(save_to.limit, MAX_FILE)
    too_large = PostRejected(f"larger than {limit // 1_000_000} MB")
    if file.size > limit:
        raise too_large
    request = HttpRequest(
        "GET",
        f"{_address(credentials)}/files/{file.id}",
        label="playground GET /files",
        headers=_headers(credentials),
        repeatable=True,
        save_to=SaveTo(save_to.name, limit),
    )
    answer = yield from ask(request)
    if isinstance(answer, Lost) and answer.why == "too_large":
        raise too_large
    if isinstance(answer, Lost) or answer.status != 200:
        raise _failure(answer, credentials, adds=False)
    if answer.saved is None or answer.saved.size > limit:
        raise PostRejected("the file did not come whole")
    return answer.saved


def _content(draft: Draft) -> dict[str, Json]:
    return {
        "text": draft.text,
        "tone": draft.facts.get(TONE, "answer"),
        "options": json.loads(draft.facts.get(OPTIONS, "[]")),
    }


def _request(
    method: Literal["POST", "PUT"], path: str, fields: JsonObject, credentials: Credentials
) -> HttpRequest:
    return HttpRequest(
        method,
        _address(credentials) + path,
        label=f"playground {method} {path}",
        headers=_headers(credentials) | {"content-type": "application/json"},
        body=json.dumps(fields).encode(),
        repeatable=True,
    )


def _address(credentials: Credentials) -> str:
    return credentials.base_url.rstrip("/") or f"https://{NOWHERE}"


def _headers(credentials: Credentials) -> dict[str, str]:
    return {"authorization": f"Bearer {credentials.secret(TOKEN)}"}


def _receipt(
    answer: HttpResponse | Lost, credentials: Credentials, *, adds: bool = False
) -> Receipt:
    """Read the id of what stands in the chat; an answer without one counts as none."""
    if isinstance(answer, HttpResponse) and answer.status == 200:
        said = _said(answer, "id")
        if said:
            return Receipt(said)
        answer = Lost("reset", sent=True)
    raise _failure(answer, credentials, adds=adds)


def _failure(answer: HttpResponse | Lost, credentials: Credentials, *, adds: bool) -> PostError:
    """Give the error that carries the right decision; `adds`: a new message may stand."""
    if isinstance(answer, Lost):
        told = f"the playground did not answer ({answer.why})"
        return PostUnknown(told) if answer.sent and adds else PlatformUnavailable(told)
    words = redact(_said(answer, "error"), credentials.secrets.values())[:_LONGEST_SHOWN]
    told = f"the playground refused: {answer.status} {words}".rstrip()
    match answer.status:
        case 401:
            return CredentialsRejected(told)
        case 404:
            return ConversationGone(told)
        case 429:
            return RateLimited(told, retry_after(answer))
        case status if status >= 500:
            return PostUnknown(told) if adds else PlatformUnavailable(told)
        case _:
            return PostRejected(told)


def _said(answer: HttpResponse, name: str) -> str:
    try:
        value = json.loads(answer.body)
    except (ValueError, RecursionError):
        return ""
    said = value.get(name) if isinstance(value, dict) else None
    return said if isinstance(said, str) else ""
