from collections.abc import Iterator
from pathlib import Path

import pytest

from long_running.cursors import Cursors
from tests.unit.discord.sessions import APP
from threadline import wiring
from threadline.platforms.discord.known import MOST_DIRECT, MOST_THREADS, Known, Thread

SERVERS = 2500
"""As many as one connection to Discord may serve."""


@pytest.fixture
def cursors(tmp_path: Path) -> Iterator[Cursors]:
    """The cursor of an app."""
    local = wiring.local_ports(tmp_path, synchronous="OFF")
    yield Cursors(local.ports.store, APP)
    local.close()


def test_what_is_kept_is_loaded(cursors: Cursors) -> None:
    """The last value of a name counts, "" forgets it, and names may hold anything."""
    cursors.save({"a": "1", "b#/ ä": "2", "c": "3"})
    cursors.save({"a": "4", "c": "", "never": ""})
    assert cursors.load() == {"a": "4", "b#/ ä": "2"}


def test_the_largest_bot_is_loaded_whole(cursors: Cursors) -> None:
    """Of very many servers, threads and direct chats nothing hides where the session stands."""
    known = Known(
        {str(10**17 + number): () for number in range(SERVERS)},
        {str(10**18 + number): Thread("1", "2") for number in range(MOST_THREADS)},
        tuple(str(10**16 + number) for number in range(MOST_DIRECT)),
    )
    kept = {**known.entries(), "session": "s", "seq": "5", "url": "wss://x", "heard": "1"}
    cursors.save(kept)
    assert cursors.load() == kept
