"""Files to and from Telegram."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.platforms.telegram import CREDENTIALS, TO, TOKEN, refused, sent
from tests.flows import Script
from threadline.core.errors import CredentialsRejected, PlatformUnavailable, PostError, PostRejected
from threadline.core.http import BlobRef, HttpRequest, HttpResponse, Joined, Lost, SaveTo
from threadline.core.message import FileRef
from threadline.core.posting import FileDraft
from threadline.platforms.telegram import PLATFORM

FILE = FileRef("file-id", "report.pdf", "application/pdf", 1000)
SAVE = SaveTo("files/1", 25_000_000)
MB = 1024 * 1024


def found(**fields: Any) -> HttpResponse:
    """Give the answer to getFile."""
    result = {"file_id": "file-id", "file_path": "documents/file_7.pdf", **fields}
    return HttpResponse(200, {}, json.dumps({"ok": True, "result": result}).encode())


def saved(size: int) -> HttpResponse:
    """Give the answer to a download that was stored."""
    return HttpResponse(200, saved=BlobRef("files/1", size))


def fetched(*answers: HttpResponse | Lost, file: FileRef = FILE) -> list[HttpRequest]:
    """Fetch a file and give the requests."""
    script = Script(answers)
    script.run(PLATFORM.fetch(file, CREDENTIALS, SAVE))
    return script.requests


def test_a_file_is_fetched_in_two_steps() -> None:
    """The address is asked for, then its bytes are stored within Telegram's limit."""
    ask, download = fetched(found(file_size=1000), saved(1000))
    assert ask.body == b'{"file_id": "file-id"}'
    assert download.url == f"https://api.telegram.org/file/bot{TOKEN}/documents/file_7.pdf"
    assert download.save_to == SaveTo("files/1", 20_000_000)
    assert TOKEN not in repr(download) + download.label


@pytest.mark.parametrize(
    ("file", "answers"),
    [
        (replace(FILE, size=20_000_001), []),
        (FILE, [found(file_size=20_000_001)]),
        (FILE, [refused(400, "Bad Request: file is too big")]),
        (FILE, [found(), Lost("too_large", sent=True)]),
        (FILE, [found(), saved(20_000_001)]),
    ],
    ids=["declared", "announced", "refused", "while it comes", "as it came"],
)
def test_a_size_is_checked_wherever_it_shows(
    file: FileRef, answers: list[HttpResponse | Lost]
) -> None:
    """More than 20,000,000 bytes are refused before, by and after the download, in plain words."""
    with pytest.raises(PostRejected, match="larger than 20 MB"):
        fetched(*answers, file=file)


def test_exactly_the_limit_is_fetched() -> None:
    """A file of 20,000,000 bytes is within the limit at every check."""
    whole = replace(FILE, size=20_000_000)
    assert len(fetched(found(file_size=20_000_000), saved(20_000_000), file=whole)) == 2


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../x",
        "a/../b",
        "a//b",
        "https://evil.example/x",
        "a?b",
        "a b",
        "a%2e",
        7,
    ],
)
def test_an_odd_address_is_not_followed(path: Any) -> None:
    """A file path that could lead elsewhere is refused before any request is made."""
    with pytest.raises(PostRejected):
        fetched(found(file_path=path))


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ([refused(400, "Bad Request: wrong file_id")], PostRejected),
        ([refused(401, "Unauthorized")], CredentialsRejected),
        ([Lost("timeout", sent=True)], PlatformUnavailable),
        ([HttpResponse(200, {}, b"[]")], PlatformUnavailable),
        ([found(), HttpResponse(404)], PostRejected),
        ([found(), HttpResponse(500)], PlatformUnavailable),
        ([found(), HttpResponse(429)], PlatformUnavailable),
        ([found(), Lost("reset", sent=True)], PlatformUnavailable),
        ([found(), HttpResponse(200)], PlatformUnavailable),
    ],
)
def test_a_failed_fetch_says_whether_to_try_again(
    answers: list[HttpResponse | Lost], error: type[PostError]
) -> None:
    """What may pass is tried later, what will not is told; neither shows the token."""
    with pytest.raises(error) as raised:
        fetched(*answers)
    assert TOKEN not in str(raised.value)


def test_what_cannot_be_had_is_not_asked_for() -> None:
    """A file that Telegram already said cannot be had costs no call."""
    with pytest.raises(PostRejected):
        fetched(file=replace(FILE, problem="unsupported"))


def upload(
    mime: str, size: int, *answers: HttpResponse | Lost, name: str = "chart.png", to: Any = TO
) -> list[HttpRequest]:
    """Upload a file and give the requests."""
    script = Script(answers)
    file = FileDraft(name, BlobRef("blob/1", size, mime))
    script.run(PLATFORM.upload(file, to, CREDENTIALS))
    return script.requests


@pytest.mark.parametrize(
    ("mime", "size", "method"),
    [
        ("image/png", 10 * MB, "sendPhoto"),
        ("image/png", 10 * MB + 1, "sendDocument"),
        ("image/svg+xml", 10, "sendDocument"),
        ("application/pdf", 50 * MB, "sendDocument"),
    ],
)
def test_images_are_shown_and_files_attached(mime: str, size: int, method: str) -> None:
    """An image Telegram shows goes as a photo up to 10 MB, anything else as a document."""
    (request,) = upload(mime, size, sent())
    assert request.label == f"telegram {method}"
    assert not request.repeatable


def test_too_large_a_file_is_not_sent() -> None:
    """More than 50 MB is refused without a call."""
    with pytest.raises(PostRejected):
        upload("application/pdf", 50 * MB + 1)


def test_a_photo_of_odd_shape_goes_as_a_document() -> None:
    """What Telegram will not show as a photo is attached instead."""
    requests = upload(
        "image/png", 10, refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"), sent()
    )
    assert [request.label for request in requests] == [
        "telegram sendPhoto",
        "telegram sendDocument",
    ]


def test_a_form_is_whole() -> None:
    """The form holds chat, topic and the stored file; no file name breaks out of its line."""
    name = 'a"; x\r\nevil: 1\\.pdf'
    to = replace(TO, facts={"thread": "17"})
    (request,) = upload("application/pdf", 3, sent(), name=name, to=to)
    assert isinstance(request.body, Joined)
    head, file, tail = request.body.parts
    assert file == BlobRef("blob/1", 3, "application/pdf")
    assert isinstance(head, bytes)
    assert isinstance(tail, bytes)
    boundary = re.search(r"boundary=([0-9a-f]{64})$", request.headers["content-type"])
    assert boundary
    assert tail == f"\r\n--{boundary[1]}--\r\n".encode()
    lines = head.decode().split("\r\n")
    assert 'Content-Disposition: form-data; name="document"; filename="a; xevil: 1.pdf"' in lines
    assert "evil: 1" not in lines
    assert "-1001500600700" in lines
    assert "17" in lines
    assert request.body.size == len(head) + 3 + len(tail)
