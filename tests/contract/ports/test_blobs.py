from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.contract.ports.backends import Ports
from threadline.core.http import BlobRef
from threadline.core.ports import Blobs

NAMES = [
    "plain",
    "unaccepted/2026-01-02/a.json",
    "a/b",
    "a",
    "a/b/c",
    "a~",
    "a.b..c",
    "ä 漢 🎉",
    "with space/and+plus",
    "per%cent%2F",
    "quote'\"",
    ".hidden",
    "~",
]


def test_blobs_come_back(blobs: Blobs) -> None:
    """Every body is read back under its name, whatever other names there are."""
    for number, name in enumerate(NAMES):
        assert blobs.put(name, b"%d" % number) == BlobRef(name, len(b"%d" % number))
    assert [blobs.get(name) for name in NAMES] == [b"%d" % n for n in range(len(NAMES))]


@pytest.mark.parametrize("body", [b"", bytes(range(256)), b"\x00" * 3_000_000])
def test_any_bytes_are_kept(blobs: Blobs, body: bytes) -> None:
    """A body of any bytes and length is read back, its reference says how long it is."""
    assert blobs.put("a", body, "image/png") == BlobRef("a", len(body), "image/png")
    assert blobs.get("a") == body


def test_a_blob_is_replaced(blobs: Blobs) -> None:
    """The last body under a name counts."""
    blobs.put("a", b"a longer body")
    blobs.put("a", b"short")
    assert blobs.get("a") == b"short"


def test_an_absent_blob_is_none(blobs: Blobs) -> None:
    """What was never put, or only as a folder, is None."""
    blobs.put("a/b", b"1")
    assert blobs.get("a") is None
    assert blobs.get("a/b/c") is None
    assert blobs.get("x") is None


def test_deleted_blobs_are_gone(blobs: Blobs) -> None:
    """Deletion removes those named and no other; absent names are fine."""
    for name in NAMES:
        blobs.put(name, b"1")
    blobs.delete(["a", "x", "a/b/c"])
    assert set(blobs.names("")) == set(NAMES) - {"a", "a/b/c"}
    blobs.delete(NAMES)
    assert blobs.names("") == ()
    blobs.delete([])


def test_names_are_listed_in_order(blobs: Blobs) -> None:
    """Names come sorted by code point, those that start with the prefix, up to the limit."""
    for name in NAMES:
        blobs.put(name, b"1")
    assert blobs.names("") == tuple(sorted(NAMES))
    assert blobs.names("a") == ("a", "a.b..c", "a/b", "a/b/c", "a~")
    assert blobs.names("a/") == ("a/b", "a/b/c")
    assert blobs.names("a/b/") == ("a/b/c",)
    assert blobs.names("unaccepted/2026-01") == ("unaccepted/2026-01-02/a.json",)
    assert blobs.names("x") == blobs.names("../") == blobs.names("/") == ()
    assert blobs.names("", 2) == tuple(sorted(NAMES))[:2]


def test_long_lists_are_whole(blobs: Blobs) -> None:
    """More names than a page holds are listed as far as the limit goes."""
    names = [f"n/{n:04d}" for n in range(1005)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: blobs.put(name, b""), names))
    assert blobs.names("n/", 1003) == tuple(names[:1003])
    assert len(blobs.names("n/")) == 1000


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        "/etc/passwd",
        "..",
        "../a",
        "a/../b",
        "a/..",
        "./a",
        "a//b",
        "a/",
        "a\0b",
        "a" * 1025,
    ],
)
def test_a_name_leads_downwards_only(blobs: Blobs, name: str) -> None:
    """A name that is empty, too long or leads elsewhere is refused by every method."""
    with pytest.raises(ValueError, match="name"):
        blobs.put(name, b"1")
    with pytest.raises(ValueError, match="name"):
        blobs.get(name)
    with pytest.raises(ValueError, match="name"):
        blobs.delete([name])
    with pytest.raises(ValueError, match="name"):
        blobs.link(name, 60)


def test_another_process_sees_blobs(ports: Ports) -> None:
    """What one process put another reads, lists and deletes."""
    other = ports.elsewhere().blobs
    ports.blobs.put("a/b", b"1")
    assert other.get("a/b") == b"1"
    assert other.names("a") == ("a/b",)
    other.delete(["a/b"])
    assert ports.blobs.get("a/b") is None
