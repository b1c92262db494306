"""What a message carries besides its words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.buzz.relay import ANN, NOW, US, credentials
from threadline.core.message import FileRef, Ignored, Message, Messages, Webhook
from threadline.core.reasons import Reason
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.event import CHAT, Tags

ONE, TWO = "1a" * 32, "2b" * 32
URL = f"https://buzz.example.com/media/{ONE}.pdf"


def imeta(url: str = URL, **more: str) -> tuple[str, ...]:
    """Describe a file as Buzz's clients do."""
    fields = {"url": url, "m": "application/pdf", "x": ONE, "size": "1200", **more}
    return ("imeta", *(f"{name} {value}" for name, value in fields.items() if value))


def outcome(text: str, tags: Tags, url: str = "wss://buzz.example.com") -> Message | Ignored:
    """Parse a message in a direct channel."""
    event = ANN.sign(int(NOW), CHAT, (("h", "ch-1"), *tags), text)
    body = json.dumps({"event": event.payload, "channel": {"direct": True}}).encode()
    parsed = PLATFORM.parse(Webhook("POST", "/", {}, {}, body), credentials(url=url), NOW)
    if isinstance(parsed, Messages):
        return parsed.messages[0]
    assert isinstance(parsed, Ignored)
    return parsed


def message(text: str, *tags: tuple[str, ...], url: str = "wss://buzz.example.com") -> Message:
    """Parse what leads to a message."""
    found = outcome(text, tags, url)
    assert isinstance(found, Message)
    return found


def file(*tags: tuple[str, ...]) -> FileRef:
    """Give the one file of a message."""
    (found,) = message("look", *tags).files
    return found


def test_a_file_is_read_from_its_tag() -> None:
    """Place, name, type and size stand in the tag; nothing of the address is kept but its place."""
    found = file(imeta(filename="Q3 report.pdf"))
    assert found == FileRef(f"{ONE}.pdf", "Q3 report.pdf", "application/pdf", 1200)
    assert file(imeta(f"/media/{ONE}.pdf")).id == f"{ONE}.pdf"
    assert file(imeta(URL.replace("buzz.example.com", "BUZZ.example.com:443"))).id == f"{ONE}.pdf"
    assert file(imeta(m="image/png")).image


@pytest.mark.parametrize(
    "url",
    [
        f"https://evil.example.com/media/{ONE}.pdf",
        f"https://buzz.example.com.evil.net/media/{ONE}.pdf",
        f"https://buzz.example.com@evil.net/media/{ONE}.pdf",
        f"https://user:pass@buzz.example.com/media/{ONE}.pdf",
        f"https://buzz.example.com:8443/media/{ONE}.pdf",
        f"http://buzz.example.com/media/{ONE}.pdf",
        f"ftp://buzz.example.com/media/{ONE}.pdf",
        f"wss://buzz.example.com/media/{ONE}.pdf",
        f"//buzz.example.com/media/{ONE}.pdf",
        f"http://169.254.169.254/media/{ONE}.pdf",
        f"http://127.0.0.1/media/{ONE}.pdf",
        f"file:///media/{ONE}.pdf",
        f"https://buzz.example.com/media-evil/{ONE}.pdf",
        f"https://buzz.example.com/media/../admin/{ONE}.pdf",
        f"https://buzz.example.com/media/{ONE}.pdf?as=admin",
        f"https://buzz.example.com/media/{ONE}.pdf#x",
        f"https://buzz.example.com/media/{ONE}.thumb.jpg",
        f"https://buzz.example.com/media/{ONE.upper()}.pdf",
        f"/media/{ONE}.pdf/../../admin",
        f"/media//evil.net/{ONE}.pdf",
        "/media/",
        "https://[bad/media/x",
        "",
    ],
)
def test_a_file_elsewhere_is_only_named(url: str) -> None:
    """Whatever is not plainly a file of the relay's own is told, and nothing is asked for."""
    found = file(imeta(url))
    assert (found.id, found.problem) == ("", "not_on_the_relay")


def test_a_file_whose_hash_is_not_that_of_its_place_is_not_taken() -> None:
    """The place names the file by its hash; where the tag says another one it is neither."""
    assert (file(imeta(x=TWO)).id, file(imeta(x=TWO)).problem) == ("", "unsupported")
    assert file(imeta(x="")).id == f"{ONE}.pdf"


@pytest.mark.parametrize(
    ("told", "size", "problem"),
    [
        ("20000000", 20_000_000, ""),
        ("20000001", 20_000_001, "too_large"),
        ("", -1, ""),
        ("-5", -1, ""),
        ("many", -1, ""),
        ("²", -1, ""),
        ("1" * 16 + "x", -1, ""),
        ("9" * 5_000, -1, ""),
    ],
)
def test_a_file_that_is_too_large_is_only_named(told: str, size: int, problem: str) -> None:
    """What the tag says of its size counts until the file itself does."""
    found = file(imeta(size=told))
    assert (found.size, found.problem) == (size, problem)


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.pdf", "a.pdf"),
        ("..", f"buzz-{ONE[:8]}.pdf"),
        ("a\tb.pdf", f"buzz-{ONE[:8]}.pdf"),
        ("", f"buzz-{ONE[:8]}.pdf"),
        ("ä" * 200, f"buzz-{ONE[:8]}.pdf"),
    ],
)
def test_a_name_is_the_name_of_a_file(filename: str, name: str) -> None:
    """It has no path and no signs that obey; without one the file is named by its hash."""
    assert file(imeta(filename=filename)).name == name


def test_a_message_holds_ten_files() -> None:
    """Of more it is told how many they were, and one that is named twice is one."""
    every = [f"{n:064x}" for n in range(13)]
    tags = [imeta(f"/media/{one}.pdf", x=one) for one in every]
    files = message("look", *tags, tags[0]).files
    assert [one.id for one in files[:10]] == [f"{one}.pdf" for one in every[:10]]
    assert (len(files), files[10].name, files[10].problem) == (11, "3 more", "too_many")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"look\n![image]({URL})", "look"),
        (f"look ![image]({URL})", "look"),
        (f"[a\\]b.pdf]({URL})", ""),
        (f"{URL}", ""),
        (f"before\n[a.pdf]({URL})\nafter", "before\nafter"),
        (f"compare [a.pdf]({URL}) with the other", "compare a.pdf with the other"),
        ("see [this](https://example.com/a)", "see [this](https://example.com/a)"),
        ("[" * 3000, "[" * 3000),
    ],
)
def test_the_text_is_what_was_written(text: str, left: str) -> None:
    """Links that a client put in for a file are none of its sender's words; all others stay."""
    assert message(text, imeta()).text == left


def test_links_stay_to_what_is_not_fetched() -> None:
    """Of a file elsewhere the agent has no more than its address."""
    away = f"https://evil.example.com/media/{ONE}.pdf"
    assert message(f"look\n[a]({away})", imeta(away)).text == f"look\n[a]({away})"


def test_a_message_of_files_only_is_a_message() -> None:
    """Without a word it comes with its files, also where they cannot be had; blank it does not."""
    alone = message("", imeta())
    assert (alone.text, len(alone.files), alone.addressed) == ("", 1, True)
    named = message(f"@bot ![image]({URL})", imeta(), ("p", US.pubkey))
    assert (named.text, len(named.files)) == ("", 1)
    assert message("", imeta("https://evil.example.com/a")).files[0].problem
    blank = outcome("  ", ())
    assert isinstance(blank, Ignored)
    assert blank.reason == Reason.NO_CONTENT


def test_a_relay_without_tls_has_its_files_there_too() -> None:
    """`ws://` means `http://`, at the same port."""
    found = message("", imeta(f"http://127.0.0.1:7777/media/{ONE}.pdf"), url="ws://127.0.0.1:7777")
    assert found.files[0].id == f"{ONE}.pdf"


@given(st.lists(st.lists(st.text(max_size=40), max_size=6), max_size=6), st.text(max_size=200))
def test_no_tag_is_too_strange(tags: list[list[str]], text: str) -> None:
    """Whatever stands in tags and text, it is a message or none, and never an error."""
    strange = [["imeta", *tag] for tag in tags] + [["imeta", "url", f"url {text}", "size ٣"]]
    event = {
        "id": ONE, "pubkey": ANN.pubkey, "created_at": int(NOW), "kind": CHAT,
        "tags": [["h", "ch-1"], *strange], "content": text,
    }  # fmt: skip
    body = json.dumps({"event": event, "channel": {"direct": True}}).encode()
    parsed = PLATFORM.parse(Webhook("POST", "/", {}, {}, body), credentials(), NOW)
    assert isinstance(parsed, Messages)
