import json
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import planted

SECRET = "xoxb-of-nobody-at-all"
SAID = "what do we do about the roof?"

type Writes = Callable[[Path, str], object]


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    """Ids, codes, and what everybody may know, may be written."""
    secrets(tmp_path)
    with planted.watching(tmp_path):
        planted.words(SAID)
        planted.words("/start a-code-to-be-let-in")
        planted.heard("its output", lambda: "delivery 7 of cli_a1b2c3d4 /start a-code-to-be-let-in")


@pytest.mark.parametrize(
    "write",
    [
        lambda folder, text: (folder / "log" / "2026.jsonl").write_text(json.dumps({"why": text})),
        lambda folder, text: (folder / "task.log").write_text(f"refused {text}"),
        lambda _, text: planted.heard("its output", lambda: f"refused: {text}"),
        lambda _, text: logging.getLogger("threadline.x").warning("refused: %s", text),
    ],
    ids=["log folder", "log file", "output", "logging"],
)
@pytest.mark.parametrize("text", [SECRET, SAID])
def test_what_is_planted_is_found(tmp_path: Path, write: Writes, text: str) -> None:
    """A secret or somebody's words are found in whatever an installation writes."""
    secrets(tmp_path)
    with pytest.raises(AssertionError, match=r"a secret in|what somebody wrote in"):
        watched(tmp_path, lambda: write(tmp_path, text))


def test_a_secret_in_a_database_is_found(tmp_path: Path) -> None:
    """People's words rest in a database for a while; a secret may not."""
    secrets(tmp_path)
    for text, found in ((SAID, 0), (SECRET, 1)):
        with sqlite3.connect(tmp_path / "threadline.db") as database:
            database.execute("CREATE TABLE IF NOT EXISTS items (text)")
            database.execute("INSERT INTO items VALUES (?)", (text,))
        database.close()
        watched = planted.Watched(said={SAID})
        assert len(watched.found(tmp_path)) == found


def secrets(folder: Path) -> None:
    """Keep an installation's secrets there."""
    (folder / "log").mkdir()
    entry = {"bot_token": SECRET, "app_id": "cli_a1b2c3d4"}
    (folder / "secrets.json").write_text(json.dumps({"slack/default": entry}))


def watched(folder: Path, act: Callable[[], object]) -> None:
    """Let somebody write, and something happen, while the folder is watched."""
    with planted.watching(folder):
        planted.words(SAID)
        act()
