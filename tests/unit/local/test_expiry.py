from pathlib import Path

from threadline.backends.files import FileBlobs
from threadline.local.clockwork import KEEP_BLOBS, expire_blobs


def test_old_bodies_go_and_young_ones_stay(tmp_path: Path) -> None:
    """Bodies rest for two weeks, then they are removed."""
    blobs = FileBlobs(tmp_path)
    blobs.put("files/old", b"1")
    now = tmp_path.stat().st_mtime
    expire_blobs(blobs, now + 60.0)
    assert blobs.get("files/old") == b"1"
    expire_blobs(blobs, now + KEEP_BLOBS + 60.0)
    assert blobs.get("files/old") is None
