"""`threadline forget` in a folder where nobody serves."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.simulation.forgetting import ADA, BEN, PLANTED, Busy, both_platforms, traces_of
from tests.unit.cli.conftest import Command
from threadline import wiring
from threadline.app import audit
from threadline.app.settings_items import store_settings
from threadline.backends.clock import VirtualClock
from threadline.core.settings import Allow, Settings

KEY = f"telegram/default//{ADA}/"
WHOM = f"telegram:{ADA}"

type Happens = Callable[..., None]


@pytest.fixture
def happens(folder: Path) -> Happens:
    """Let both people write these texts in the folder's installation, for so many seconds."""

    def happen(*texts: str, seconds: float = 7200.0, settings: Settings | None = None) -> None:
        state = folder / ".threadline"
        world = Busy(state, clock=VirtualClock(time.time()))
        try:
            for text in texts:
                for person in (ADA, BEN):
                    world.says(person, text)
                world.run(seconds)
            store_settings(world.ports.ports.store, settings or both_platforms(), 0.0)
            (state / "log").mkdir(exist_ok=True)
            lines = "".join(f"{json.dumps(line)}\n" for line in world.lines)
            (state / "log/threadline.jsonl").write_text(lines)
        finally:
            world.close()

    return happen


def rests(folder: Path) -> list[str]:
    """Name the files of the folder in which the person's words or id stand."""
    return traces_of(folder / ".threadline", PLANTED, str(ADA))


def test_what_would_go_is_shown_and_asked(
    threadline: Command, folder: Path, happens: Happens
) -> None:
    """Counts by kind and what stays are told; without a yes nothing is touched."""
    happens("hello", "sleep 5")
    before = rests(folder)
    asked = threadline("forget", WHOM)
    assert asked.code == 1
    assert "Nobody is here to say so: add --yes" in asked.err
    assert f"conversation {KEY}, which goes as a whole" in asked.out
    lines = [line.rsplit(maxsplit=1) for line in asked.out.splitlines()]
    counts = {line[0].strip(): line[1] for line in lines if len(line) == 2}
    assert counts["conversations"] == "1"
    assert int(counts["posts, made or planned"]) >= 4
    assert int(counts["log lines"]) > 10
    assert "what stands on telegram itself: remove it there" in asked.out
    declined = threadline("forget", WHOM, terminal=True)
    assert (declined.code, declined.out.splitlines()[-1][-20:]) == (1, "Nothing was removed.")
    assert rests(folder) == before


def test_a_person_is_forgotten(threadline: Command, folder: Path, happens: Happens) -> None:
    """Nothing of theirs is in any file; an audit row says that it was done and not to whom."""
    happens("hello", "sleep 5")
    report = folder / ".threadline/internal-error.txt"
    report.write_text(f"KeyError: 'telegram/default/{ADA}'\n")
    ended = threadline("forget", WHOM, "--yes")
    assert ended.code == 0, ended.err
    assert rests(folder) == []
    assert not report.exists()
    assert str(BEN) in (folder / ".threadline/log/threadline.jsonl").read_text()
    local = wiring.local_ports(folder / ".threadline")
    (row,) = audit.rows(local.ports.store)
    local.close()
    assert (row.action, row.values["what"], row.values["platform"]) == (
        "forget", "person", "telegram",
    )  # fmt: skip
    assert str(ADA) not in str(row)
    again = threadline("forget", WHOM)
    assert again.code == 0
    assert again.out.startswith(f"Nothing rests of {WHOM}.")


def test_a_conversation_is_forgotten_by_its_key(
    threadline: Command, folder: Path, happens: Happens
) -> None:
    """A conversation goes by the key that `explain` prints, or by a message's delivery."""
    happens("hello")
    delivery = "telegram-default-900"
    assert f"Delivery {delivery} in conversation {KEY}\n" in threadline("explain", delivery).out
    assert f"Forget {KEY}?" in threadline("forget", delivery).err
    assert threadline("forget", KEY, "--yes").code == 0
    assert rests(folder) == []


def test_what_is_in_work_ends_first(threadline: Command, folder: Path, happens: Happens) -> None:
    """A turn under way is named, with the ways to end it, and nothing is removed."""
    happens("hello", "sleep 600", seconds=10)
    before = rests(folder)
    ended = threadline("forget", WHOM, "--yes")
    assert ended.code == 1
    assert "nothing was removed" in ended.err
    assert f"{KEY}: run " in ended.err
    assert "threadline agent cancel RUN" in ended.err
    assert rests(folder) == before


def test_a_name_is_looked_up(threadline: Command, folder: Path, happens: Happens) -> None:
    """A name that waits here, or was let in, leads to its id; one of two people does not."""
    happens("sleep 600", "one more", seconds=10)
    several = threadline("forget", "telegram:@Ada")
    assert f"several people are known as @Ada: telegram/default:{ADA}" in several.err
    nobody = threadline("forget", "telegram:@nobody")
    assert "nobody is known as @nobody; write the id: telegram:ID" in nobody.err
    assert folder.is_dir()


def test_the_configuration_is_not_changed(
    threadline: Command, folder: Path, happens: Happens
) -> None:
    """Where the file names the person, the binding is told: it is the operator's to change."""
    known = both_platforms(allow=Allow(everyone=True, senders=frozenset({str(ADA)})))
    happens("hello", settings=replace(known, version="2"))
    assert "their id in threadline.yaml, binding chat: take it out" in threadline(
        "forget", WHOM
    ).out  # fmt: skip
    assert folder.is_dir()


@pytest.mark.parametrize("whom", ["nonsense", "a/b", "telegarm:1", "x" * 5000, "%FF/a/b/c/d", ""])
def test_words_that_mean_nobody(
    threadline: Command, folder: Path, happens: Happens, whom: str
) -> None:
    """What is neither a person nor a conversation is refused with what to write."""
    happens("hello")
    ended = threadline("forget", whom)
    assert ended.code == 1
    assert "neither a person nor a conversation: write PLATFORM[/APP]:ID" in ended.err
    assert folder.is_dir()


def test_a_folder_of_nobody(threadline: Command, folder: Path) -> None:
    """Where Threadline never ran there is nothing to look into, and none is made."""
    ended = threadline("forget", WHOM)
    assert ended.code == 1
    assert "never started in this folder" in ended.err
    assert list(folder.iterdir()) == []
