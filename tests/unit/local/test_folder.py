import stat
import subprocess
import sys
from pathlib import Path

import pytest

from threadline.local.folder import FolderTaken, Serving, StateFolder

HOLD = """
import sys
from pathlib import Path
from threadline.local.folder import StateFolder
folder = StateFolder(Path(sys.argv[1]))
folder.prepare()
with folder.taken():
    print("taken", flush=True)
    sys.stdin.read()
"""


def test_the_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Nobody else can look into the state folder, even where it was open before."""
    folder = StateFolder(tmp_path / ".threadline")
    folder.path.mkdir(mode=0o755)
    folder.prepare()
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700


def test_a_folder_has_one_serve(tmp_path: Path) -> None:
    """A second process is refused in one line that names the first; a killed one holds nothing."""
    folder = StateFolder(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as other:  # fmt: skip
        assert other.stdout is not None
        assert other.stdout.readline() == "taken\n"
        folder.announce(Serving(other.pid, "http://127.0.0.1:1", 5.0))
        with pytest.raises(
            FolderTaken, match=rf"process {other.pid}, http://127.0.0.1:1"
        ) as raised:
            folder.taken().__enter__()
        assert "\n" not in str(raised.value)
        assert folder.serving() == Serving(other.pid, "http://127.0.0.1:1", 5.0)
        other.kill()
    assert folder.serving() is None
    with folder.taken():
        pass


def test_no_serve_is_announced_where_none_runs(tmp_path: Path) -> None:
    """Neither an empty folder nor an announcement left by a killed process counts as running."""
    folder = StateFolder(tmp_path / "none")
    assert folder.serving() is None
    folder.prepare()
    folder.announce(Serving(1, "http://127.0.0.1:1", 5.0))
    assert folder.serving() is None
