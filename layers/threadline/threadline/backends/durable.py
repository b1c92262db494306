"""Files and folders that are there after a power cut, and for their owner only."""

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, body: bytes) -> None:
    """Write a file of mode 600 whole or not at all, durably. Raises OSError."""
    make_folder(path.parent)
    handle, unfinished = tempfile.mkstemp(suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder of mode 700 and those above it, durably. Raises OSError."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
