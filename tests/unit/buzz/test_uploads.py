"""Files onto the relay's media server and into a channel, both as strict as Buzz."""

from dataclasses import replace
from typing import Any

import pytest

from tests.stubs.serving import Answer
from tests.unit.buzz.bots import ASKED, PDF, PNG, TO, Bot, digest, held
from tests.unit.buzz.relay import ANN, NOW, credentials
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import BlobRef, Lost
from threadline.core.posting import FileDraft
from threadline.platforms.buzz import PLATFORM

OTHER = "0f" * 32


@pytest.mark.parametrize(
    ("name", "body", "mime", "link"),
    [
        ("chart.png", PNG, "image/png", "![image]({})"),
        ("Q3 [a].pdf", PDF, "application/pdf", "[Q3 \\[a\\].pdf]({})"),
        ("notes.md", b"# notes", "application/octet-stream", "[notes.md]({})"),
    ],
)
def test_a_file_is_stored_and_posted(
    bot: Bot, name: str, body: bytes, mime: str, link: str
) -> None:
    """It stands in the thread of its question, described as the relay keeps it, calling nobody."""
    receipt = bot.upload(name, body)
    (event,) = bot.events
    place = f"{digest(body)}.{ {'image/png': 'png', 'application/pdf': 'pdf'}.get(mime, 'bin') }"
    url = f"{bot.media.url}/media/{place}"
    dim = ["dim 1x1"] if mime == "image/png" else []
    described = [f"url {url}", f"m {mime}", f"x {digest(body)}", f"size {len(body)}", *dim]
    assert event["tags"] == [
        ["h", "ch-1"],
        ["e", ASKED, "", "reply"],
        ["imeta", *described, f"filename {name}"],
    ]
    assert (event["content"], event["kind"]) == (link.format(url), 9)
    assert (event["id"], event["created_at"]) == (receipt.id, int(NOW) + 2)


def test_a_file_sent_twice_stands_once(bot: Bot) -> None:
    """A repeat, its first answer being lost, is the same file and the very same event."""
    bot.verdicts = [Lost("timeout", sent=True)] * 3
    with pytest.raises(PostUnknown):
        bot.upload("a.pdf", PDF)
    first = bot.requests[-1].body
    receipt = bot.upload("a.pdf", PDF)
    assert bot.requests[-1].body == first
    assert [event["id"] for event in bot.events] == [receipt.id]
    assert len(bot.media.kept) == 1


@pytest.mark.parametrize(
    ("answer", "means", "says"),
    [
        (Answer(401, {"error": "authentication failed"}), CredentialsRejected, "authentication"),
        (Answer(403, {"error": "relay membership required"}), CredentialsRejected, "membership"),
        (Answer(404, {"error": "not found"}), PostRejected, "404"),
        (Answer(405, b""), PostRejected, "405"),
        (Answer(408, {"error": "request body timed out"}), PlatformUnavailable, "timed out"),
        (Answer(413, {"error": "image dimensions too large"}), PostRejected, "too large"),
        (Answer(415, {"error": "disallowed content type: audio/mpeg"}), PostRejected, "audio"),
        (Answer(422, {"error": "media contains metadata"}), PostRejected, "metadata"),
        (Answer(429, {"error": "upload rate limit exceeded"}), PlatformUnavailable, "rate limit"),
        (Answer(500, {"error": "internal error"}), PlatformUnavailable, "500"),
        (Answer(503, b"authorization unavailable\n"), PlatformUnavailable, "503"),
        (Answer(0), PlatformUnavailable, "did not answer"),
        (Answer(200, b"<html>"), PlatformUnavailable, "where it keeps"),
        (
            Answer(200, {"url": "https://x/y", "sha256": "", "size": 1}),
            PlatformUnavailable,
            "where",
        ),
    ],
)
def test_a_file_that_is_not_stored_is_not_posted(
    bot: Bot, answer: Answer, means: type[PostError], says: str
) -> None:
    """Refused for good or for now, it is asked for once, and of none of it a post is in doubt."""
    bot.media.next = [answer]
    with pytest.raises(means, match=says):
        bot.upload("a.pdf", PDF)
    assert bot.events == []
    assert len(bot.media.asked) == 1
    assert not [one for one in bot.requests if one.url.startswith("ws")]


@pytest.mark.parametrize("told", [{"size": 5}, {"sha256": OTHER, "url": f"/media/{OTHER}.pdf"}])
def test_what_the_relay_keeps_otherwise_is_not_posted(bot: Bot, told: dict[str, Any]) -> None:
    """Where it says that it keeps another file than was sent, nobody is shown that one."""
    url = f"{bot.media.url}/media/{digest(PDF)}.pdf"
    usual = {"url": url, "sha256": digest(PDF), "size": len(PDF), "type": "application/pdf"}
    bot.media.next = [Answer(200, usual | told)]
    with pytest.raises(PostRejected, match="something else"):
        bot.upload("a.pdf", PDF)
    assert bot.events == []


def test_a_stranger_to_the_relay_stores_nothing(bot: Bot) -> None:
    """Who is no member is refused by what stands in the proof itself."""
    bot.media.members.clear()
    with pytest.raises(CredentialsRejected):
        bot.upload("a.pdf", PDF)
    with pytest.raises(CredentialsRejected):
        bot.fetch(held(bot.media, PDF))


def test_what_the_relay_takes_no_files_of_is_told(bot: Bot) -> None:
    """A program is refused by its first bytes, whatever it is called."""
    with pytest.raises(PostRejected, match="disallowed content type"):
        bot.upload("holiday.png", b"MZ and a program")


@pytest.mark.parametrize(
    ("body", "sha256"),
    [(PDF, "0" * 64), (b"", ""), (b"x" * (50 * 1024 * 1024 + 1), "")],
    ids=["another hash", "empty", "too large"],
)
def test_what_is_not_as_it_says_is_not_posted(bot: Bot, body: bytes, sha256: str) -> None:
    """Another hash than signed, nothing at all, or more than Buzz takes."""
    with pytest.raises(PostError):
        bot.upload("a.pdf", body, sha256=sha256)
    assert bot.events == []
    assert bot.media.kept == {}


def test_a_file_without_a_known_hash_is_not_signed_for() -> None:
    """Where nobody hashed it there is nothing to ask leave for."""
    flow = PLATFORM.upload(FileDraft("a", BlobRef("made", 5), NOW), TO, credentials())
    with pytest.raises(PostRejected):
        next(flow)


@pytest.mark.parametrize("name", ["<memory>.txt", "a<SYSTEM-REMINDER>b.png"])
def test_a_name_that_shows_hidden_context_is_not_signed(bot: Bot, name: str) -> None:
    """Nothing leaves, not even the file."""
    with pytest.raises(PostRejected, match="hidden context"):
        bot.upload(name, PNG)
    assert bot.requests == []


@pytest.mark.parametrize(
    ("reason", "means"),
    [
        ("invalid: imeta references nonexistent blob: 00", PostRejected),
        ("restricted: attachment is not accessible", PostRejected),
        ("restricted: not a channel member", ConversationGone),
        ("rate-limited: quota exceeded; retry in 9s", RateLimited),
    ],
)
def test_a_post_of_a_file_is_refused_as_any_other(
    bot: Bot, reason: str, means: type[PostError]
) -> None:
    """The relay's verdict on the event counts, whatever it keeps."""
    bot.verdicts = [(False, reason)]
    with pytest.raises(means):
        bot.upload("a.pdf", PDF)
    assert bot.events == []


def test_a_file_that_had_to_wait_is_dated_anew(bot: Bot) -> None:
    """A quarter of an hour later the relay wants another date, and takes the same file."""
    bot.verdicts = [(False, "invalid: event timestamp too far from server time")]
    bot.upload("a.pdf", PDF)
    assert [event["created_at"] for event in bot.events] == [int(NOW)]


def test_a_file_in_a_direct_channel_stands_in_no_thread(bot: Bot) -> None:
    """It names the question, as the answer does."""
    bot.upload("a.pdf", PDF, replace(TO, private=True, facts={"author": ANN.pubkey}))
    assert [tag for tag in bot.events[0]["tags"] if tag[0] == "e"] == [["e", ASKED]]


@pytest.mark.parametrize("name", ["a/b\\c\n.pdf", "/", "ä" * 255, " ", "\ud800.pdf"])
def test_every_name_is_one_that_buzz_takes(bot: Bot, name: str) -> None:
    """No path, one line, at most 255 bytes."""
    bot.upload(name, PDF)
    assert len(bot.events) == 1
