"""The tables of the embedded backend."""

import sqlite3
from typing import Final

from threadline.core.errors import StoreError

VERSION: Final = 1

# Long columns stand last, so that reading the others does not follow their overflow pages.
# `message.ready_at` stands on the first message of each group (on every one of a standard queue):
# when the group can give its next message; `turn` orders those of the same moment.
TABLES: Final = (
    """
    CREATE TABLE item (
        table_name TEXT NOT NULL,
        partition TEXT NOT NULL,
        sort TEXT NOT NULL,
        version INTEGER NOT NULL,
        write_id TEXT NOT NULL,
        due_kind TEXT,
        due_at REAL,
        expires_at REAL,
        attributes TEXT NOT NULL,
        PRIMARY KEY (table_name, partition, sort)
    ) STRICT
    """,
    "CREATE INDEX item_due ON item (due_kind, due_at) WHERE due_kind IS NOT NULL",
    "CREATE INDEX item_expiry ON item (expires_at) WHERE expires_at IS NOT NULL",
    """
    CREATE TABLE write_without_put (
        write_id TEXT PRIMARY KEY,
        at REAL NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE message (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        queue TEXT NOT NULL,
        group_id TEXT NOT NULL,
        sent_at REAL NOT NULL,
        visible_at REAL NOT NULL,
        received INTEGER NOT NULL DEFAULT 0,
        ready_at REAL,
        turn INTEGER,
        body TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX message_order ON message (queue, group_id, number)",
    "CREATE INDEX message_ready ON message (queue, ready_at, turn) WHERE ready_at IS NOT NULL",
    "CREATE INDEX message_flight ON message (queue, group_id, visible_at) WHERE received > 0",
    """
    CREATE TABLE dedup (
        queue TEXT NOT NULL,
        group_id TEXT NOT NULL,
        dedup_id TEXT NOT NULL,
        until REAL NOT NULL,
        PRIMARY KEY (queue, group_id, dedup_id)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX dedup_until ON dedup (until)",
    f"PRAGMA user_version = {VERSION}",
)


def lay(connection: sqlite3.Connection) -> None:
    """Make the tables where there are none. Raises StoreError for a file of a later Threadline."""
    connection.execute("BEGIN IMMEDIATE")
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > VERSION:
        connection.execute("ROLLBACK")
        raise StoreError(f"the database has schema {found}, this Threadline knows {VERSION}")
    for statement in TABLES if found == 0 else ():
        connection.execute(statement)
    connection.execute("COMMIT")
