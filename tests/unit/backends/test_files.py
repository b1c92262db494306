import json
import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from threadline.backends.clock import VirtualClock
from threadline.backends.files import FileBlobs, FileSecrets
from threadline.core.errors import StoreError, StoreUnavailable


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    """Give blobs in an empty folder."""
    return FileBlobs(tmp_path / "blobs")


@pytest.fixture
def secrets(tmp_path: Path, clock: VirtualClock) -> FileSecrets:
    """Give secrets whose file does not exist yet."""
    return FileSecrets(tmp_path / "home" / "secrets.json", clock)


def test_blobs_are_for_their_owner_only(blobs: FileBlobs, tmp_path: Path) -> None:
    """Folders and files are made unreadable for others, and nothing half written is left."""
    blobs.put("a/b", b"1")
    blobs.put("a/b", b"2")
    made = {str(path.relative_to(tmp_path)): path.stat() for path in tmp_path.rglob("*")}
    assert {name: found.st_mode & 0o777 for name, found in made.items()} == {
        "blobs": 0o700,
        "blobs/a": 0o700,
        "blobs/a/b~": 0o600,
    }


def test_a_blob_that_cannot_be_written_leaves_nothing(blobs: FileBlobs, tmp_path: Path) -> None:
    """A put that fails raises StoreUnavailable and leaves the former body as it was."""
    blobs.put("a/b", b"1")
    (tmp_path / "blobs" / "c").write_text("in the way of a folder")
    with pytest.raises(StoreUnavailable, match="blob c/d"):
        blobs.put("c/d", b"2")
    (tmp_path / "blobs" / "e~").mkdir()
    with pytest.raises(StoreUnavailable, match="blob e"):
        blobs.put("e", b"2")
    assert blobs.names("") == ("a/b",)
    assert not list(tmp_path.rglob("*.new"))


def test_a_name_too_long_for_a_file_is_refused(blobs: FileBlobs) -> None:
    """A part of a name that no file can have is refused before anything is written."""
    with pytest.raises(ValueError, match="too long"):
        blobs.put("ä" * 100, b"1")
    blobs.put("a" * 200 + "/" + "b" * 200, b"1")


def test_a_link_is_made_where_there_is_a_maker(tmp_path: Path) -> None:
    """Without a maker of links the address is empty; with one it gets name and seconds."""
    assert FileBlobs(tmp_path).link("a/b", 60) == ""
    linked = FileBlobs(tmp_path, lambda name, seconds: f"http://127.0.0.1/{name}?{seconds}")
    assert linked.link("a/b", 60) == "http://127.0.0.1/a/b?60"


def make_old(folder: Path) -> None:
    """Let everything in a folder, and the folder, be last touched long ago."""
    for path in (*folder.rglob("*"), folder):
        with suppress(FileNotFoundError):
            os.utime(path, (1000.0, 1000.0))


def test_old_blobs_expire(blobs: FileBlobs, tmp_path: Path) -> None:
    """What was put before a time goes, unfinished files too, and later the empty folders."""
    for name in ("old/a", "old/deep/b", "new/c"):
        blobs.put(name, b"1")
    old = tmp_path / "blobs" / "old"
    (old / "unfinished.new").write_bytes(b"half")
    for _ in range(3):
        make_old(old)
        blobs.expire(2000.0)
        assert blobs.names("") == ("new/c",)
        if not old.exists():
            break
    assert not old.exists()


def test_puts_and_expiry_do_not_disturb_each_other(blobs: FileBlobs, tmp_path: Path) -> None:
    """A put whose folder is being removed at that moment lands all the same."""
    done = threading.Event()

    def expire() -> None:
        while not done.is_set():
            blobs.expire(2000.0)

    expiring = threading.Thread(target=expire)
    expiring.start()
    try:
        for _ in range(100):
            blobs.put("deep/er/a", b"1")
            assert blobs.get("deep/er/a") == b"1"
            blobs.delete(["deep/er/a"])
            make_old(tmp_path / "blobs" / "deep")
    finally:
        done.set()
        expiring.join()


def test_secrets_are_for_their_owner_only(secrets: FileSecrets, tmp_path: Path) -> None:
    """File and folder are made unreadable for others, and readable as JSON."""
    secrets.put("telegram/default", {"token": "1:A"})
    home = tmp_path / "home"
    assert home.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in home.iterdir()} == {0o600}
    written = json.loads((home / "secrets.json").read_text())
    assert written == {"telegram/default": {"token": "1:A"}}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601, 0o777])
def test_secrets_open_to_others_are_refused(
    secrets: FileSecrets, tmp_path: Path, mode: int
) -> None:
    """A file that others can touch is neither read nor written, and the remedy is said."""
    secrets.put("telegram/default", {"token": "1:A"})
    path = tmp_path / "home" / "secrets.json"
    path.chmod(mode)
    for attempt in (
        lambda: secrets.get("telegram/default"),
        lambda: secrets.put("telegram/default", {}),
        secrets.entries,
    ):
        with pytest.raises(StoreError, match=f"chmod 600 {path}") as raised:
            attempt()
        assert "1:A" not in str(raised.value)
    path.chmod(0o600)
    assert secrets.get("telegram/default") == {"token": "1:A"}


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"1:A"', b'{"a": "1:A"}', b'{"a": {"b": 1}}', b'{"a": {"1:A"', b"\xff1:A"],
)
def test_secrets_that_cannot_be_read_are_said(
    secrets: FileSecrets, tmp_path: Path, body: bytes
) -> None:
    """A broken file raises StoreError, says which, and shows nothing of its contents."""
    secrets.put("a", {})
    path = tmp_path / "home" / "secrets.json"
    path.write_bytes(body)
    with pytest.raises(StoreError, match=str(path)) as raised:
        secrets.get("a")
    shown = f"{raised.value!r} {raised.value.__cause__!r} {raised.value.__context__!r}"
    assert "1:A" not in shown
    with pytest.raises(StoreError):
        secrets.put("a", {})
    assert path.read_bytes() == body


def test_secrets_never_show_themselves(secrets: FileSecrets) -> None:
    """Neither the object nor its cache shows a value in its representation."""
    secrets.put("a", {"token": "1:A"})
    secrets.get("a")
    assert "1:A" not in f"{secrets!r} {secrets._cache!r}"


def test_two_processes_put_different_entries(tmp_path: Path, clock: VirtualClock) -> None:
    """Entries put at the same time by several writers are all there."""
    path = tmp_path / "secrets.json"

    def put(name: str) -> None:
        own = FileSecrets(path, clock)
        for number in range(10):
            own.put(f"{name}/{number}", {"token": name})

    writers = [threading.Thread(target=put, args=(name,)) for name in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(FileSecrets(path, clock).entries()) == 40
