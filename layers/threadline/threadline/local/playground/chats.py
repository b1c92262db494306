"""What was said on the playground: a bounded list of chats in one SQLite file.

Every change of a message bears the next revision, so that a page asks for what is newer than it
knows and never misses or repeats anything, however often it comes back.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from threadline.core.errors import StoreUnavailable
from threadline.core.posting import Tone
from threadline.platforms.playground.limits import BOT, PERSON

MOST_CHATS: Final = 50
MOST_MESSAGES: Final = 400
MOST_FILES: Final = 100
TITLE: Final = 60
VERSION: Final = 2

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS chats (chat TEXT PRIMARY KEY, title TEXT, touched REAL);
CREATE TABLE IF NOT EXISTS said (
  id INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT, who TEXT, text TEXT, tone TEXT, key TEXT UNIQUE,
  reply_to INTEGER, at REAL, state TEXT, settled_at REAL, why TEXT DEFAULT '',
  first_edit_at REAL, last_edit_at REAL, edits INTEGER DEFAULT 0, files TEXT DEFAULT '[]',
  options TEXT DEFAULT '[]',
  revision INTEGER
);
CREATE INDEX IF NOT EXISTS said_by_chat ON said (chat, revision);
CREATE TABLE IF NOT EXISTS files (file TEXT PRIMARY KEY, name TEXT, mime TEXT, body BLOB, at REAL);
CREATE TABLE IF NOT EXISTS counter (one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER);
INSERT OR IGNORE INTO counter VALUES (1, 0);
"""

type State = Literal["sending", "accepted", "refused", "posted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a chat, a person's or the agent's.

    `key` is the page's own name of a person's message, so that it can be sent again as the same.
    `state` of a person's is `sending` until the front door answered, `settled_at` when it did, and
    `why` says in words what it refused. `reply_to` is the person's message an answer belongs to,
    `options` the answers it offers; `edits` count how often an answer grew, its final text aside.
    """

    id: int
    chat: str
    who: str
    key: str
    text: str
    tone: str
    reply_to: int
    at: float
    state: State
    settled_at: float | None
    why: str
    options: tuple[str, ...]
    first_edit_at: float | None
    last_edit_at: float | None
    edits: int
    files: tuple[Mapping[str, Any], ...]
    revision: int


@dataclass(frozen=True, slots=True)
class Words:
    """What the agent says: Markdown, its tone, and the answers it offers."""

    text: str
    tone: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Title:
    """A chat in the list of chats."""

    chat: str
    title: str
    touched: float


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that was put on the page."""

    name: str
    mime: str
    body: bytes = field(repr=False)


class Chats:
    """The list; used by one thread only. What is written survives `kill -9` of the process.

    Raises StoreUnavailable where the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.touch(mode=0o600)
            with ExitStack() as undo:
                self._sql = undo.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
                self._sql.row_factory = sqlite3.Row
                self._lay()
                undo.pop_all()
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailable(f"{path} cannot be used: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._sql.close()

    def say(
        self, chat: str, text: str, key: str, at: float, files: tuple[Mapping[str, Any], ...] = ()
    ) -> Said:
        """Add what a person wrote, as `sending`; the same key gives the message that stands."""
        with self._writing() as revision:
            self._sql.execute(
                "INSERT INTO said (chat, who, text, tone, key, at, state, files, revision)"
                " VALUES (?, ?, ?, '', ?, ?, 'sending', ?, ?) ON CONFLICT (key) DO"
                " UPDATE SET state = 'sending', why = '', revision = excluded.revision"
                " WHERE state = 'refused'",
                (chat, PERSON, text, f"{PERSON}:{key}", at, json.dumps(files), revision),
            )
            self._touch(chat, text or str(files[0]["name"] if files else ""), at)
            found = self._sql.execute("SELECT * FROM said WHERE key = ?", (f"{PERSON}:{key}",))
            return _said(found.fetchone())

    def settle(self, message: int, state: State, at: float, why: str = "") -> None:
        """Write down what the front door answered."""
        with self._writing() as revision:
            self._sql.execute(
                "UPDATE said SET state = ?, settled_at = ?, why = ?, revision = ? WHERE id = ?",
                (state, at, why, revision, message),
            )

    def give_up_sending(self, why: str) -> None:
        """Mark what a process that ended had not sent: it may be sent again under its key."""
        with self._writing() as revision:
            self._sql.execute(
                "UPDATE said SET state = 'refused', why = ?, revision = ? WHERE state = 'sending'",
                (why, revision),
            )

    def post(self, chat: str, words: Words, nonce: str, reply_to: int, at: float) -> int:
        """Add what the agent says; the same nonce gives the message that stands."""
        with self._writing() as revision:
            self._sql.execute(
                "INSERT INTO said (chat, who, text, tone, options, key, reply_to, at, state,"
                " revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'posted', ?)"
                " ON CONFLICT (key) DO NOTHING",
                (chat, BOT, *_columns(words), f"{BOT}:{nonce}", reply_to, at, revision),
            )
            self._touch(chat, words.text, at)
            found = self._sql.execute("SELECT id FROM said WHERE key = ?", (f"{BOT}:{nonce}",))
            return int(found.fetchone()[0])

    def edit(self, message: int, words: Words, at: float) -> bool:
        """Replace what the agent said; False where it does not stand (any more)."""
        with self._writing() as revision:
            changed = self._sql.execute(
                "UPDATE said SET text = ?, tone = ?, options = ?, revision = ?"
                " WHERE id = ? AND who = ?",
                (*_columns(words), revision, message, BOT),
            )
            if words.tone == Tone.PROGRESS:
                self._sql.execute(
                    "UPDATE said SET first_edit_at = COALESCE(first_edit_at, ?),"
                    " last_edit_at = ?, edits = edits + 1 WHERE id = ?",
                    (at, at, message),
                )
            return changed.rowcount == 1

    def changed(self, chat: str, after: int = 0) -> tuple[Said, ...]:
        """Give the messages of a chat that changed after a revision, in order of writing."""
        found = self._sql.execute(
            "SELECT * FROM said WHERE chat = ? AND revision > ? ORDER BY id", (chat, after)
        )
        return tuple(_said(row) for row in found)

    def message(self, message: int) -> Said | None:
        """Find a message by id."""
        row = self._sql.execute("SELECT * FROM said WHERE id = ?", (message,)).fetchone()
        return None if row is None else _said(row)

    def latest(self, chat: str, who: str) -> Said | None:
        """Find what somebody said last in a chat."""
        row = self._sql.execute(
            "SELECT * FROM said WHERE chat = ? AND who = ? ORDER BY id DESC LIMIT 1", (chat, who)
        ).fetchone()
        return None if row is None else _said(row)

    def answers(self, message: int) -> tuple[Said, ...]:
        """Give what was said in reply to a message."""
        found = self._sql.execute("SELECT * FROM said WHERE reply_to = ? ORDER BY id", (message,))
        return tuple(_said(row) for row in found)

    def titles(self) -> tuple[Title, ...]:
        """List the chats, the latest first."""
        found = self._sql.execute("SELECT chat, title, touched FROM chats ORDER BY touched DESC")
        return tuple(Title(*row) for row in found)

    def keep(self, file: str, stored: StoredFile, at: float) -> None:
        """Keep a file; the oldest ones go."""
        with self._writing():
            self._sql.execute(
                "INSERT INTO files VALUES (?, ?, ?, ?, ?)",
                (file, stored.name, stored.mime, stored.body, at),
            )
            self._sql.execute(
                "DELETE FROM files WHERE file NOT IN"
                " (SELECT file FROM files ORDER BY at DESC LIMIT ?)",
                (MOST_FILES,),
            )

    def file(self, file: str) -> StoredFile | None:
        """Find a file by id."""
        row = self._sql.execute("SELECT * FROM files WHERE file = ?", (file,)).fetchone()
        return None if row is None else StoredFile(row["name"], row["mime"], row["body"])

    def _lay(self) -> None:
        """Make the tables; a list of another version is dropped: it is only a playground's.

        NORMAL: a write costs microseconds and no wait for the disk, so the loop may do it itself.
        """
        self._sql.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
        (version,) = self._sql.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            for table in ("chats", "said", "files", "counter"):
                self._sql.execute(f"DROP TABLE IF EXISTS {table}")
        self._sql.executescript(f"{_SCHEMA} PRAGMA user_version = {VERSION};")

    @contextmanager
    def _writing(self) -> Iterator[int]:
        """Write all or nothing under the next revision."""
        self._sql.execute("BEGIN IMMEDIATE")
        try:
            self._sql.execute("UPDATE counter SET revision = revision + 1")
            yield int(self._sql.execute("SELECT revision FROM counter").fetchone()[0])
            self._sql.execute("COMMIT")
        except BaseException:
            self._sql.execute("ROLLBACK")
            raise

    def _touch(self, chat: str, title: str, at: float) -> None:
        """Put the chat on top of the list, and drop what goes over the bounds."""
        words = " ".join(title.split())[:TITLE]
        self._sql.execute(
            "INSERT INTO chats VALUES (?, ?, ?) ON CONFLICT (chat) DO"
            " UPDATE SET touched = excluded.touched",
            (chat, words, at),
        )
        self._sql.execute(
            "DELETE FROM chats WHERE chat NOT IN"
            " (SELECT chat FROM chats ORDER BY touched DESC LIMIT ?)",
            (MOST_CHATS,),
        )
        self._sql.execute("DELETE FROM said WHERE chat NOT IN (SELECT chat FROM chats)")
        self._sql.execute(
            "DELETE FROM said WHERE chat = ? AND id NOT IN"
            " (SELECT id FROM said WHERE chat = ? ORDER BY id DESC LIMIT ?)",
            (chat, chat, MOST_MESSAGES),
        )


def _columns(words: Words) -> tuple[str, str, str]:
    return words.text, words.tone, json.dumps(words.options)


def _said(row: sqlite3.Row) -> Said:
    return Said(
        id=row["id"], chat=row["chat"], who=row["who"], key=row["key"].partition(":")[2],
        text=row["text"], tone=row["tone"], reply_to=row["reply_to"] or 0, at=row["at"],
        state=row["state"], settled_at=row["settled_at"], why=row["why"],
        options=tuple(json.loads(row["options"])), first_edit_at=row["first_edit_at"],
        last_edit_at=row["last_edit_at"], edits=row["edits"],
        files=tuple(json.loads(row["files"])), revision=row["revision"],
    )  # fmt: skip
