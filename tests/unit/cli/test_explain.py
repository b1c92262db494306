"""What `threadline explain` prints of what others wrote."""

from pathlib import Path

import pytest

from tests.unit.cli.configured import keep
from tests.unit.cli.conftest import Command
from threadline import wiring
from threadline.app import items
from threadline.core.ids import DeliveryId
from threadline.core.ports import Expect, Put
from threadline.core.records import JournalRow


@pytest.mark.parametrize("asked", ["", " ", "x" * 3000, "a\nb"], ids=["", "blank", "long", "lines"])
def test_what_is_no_id_is_refused(threadline: Command, folder: Path, asked: str) -> None:
    """Nothing can bear it, and the store is not asked."""
    keep(folder, "agents: {one: {url: 'http://127.0.0.1:9'}}\n")
    ended = threadline("explain", asked)
    assert ended.code == 2
    assert "wants an id" in ended.err
    assert "internal error" not in ended.out + ended.err


def test_a_reason_of_others_is_no_command_to_the_terminal(
    threadline: Command, folder: Path
) -> None:
    """What an agent's server said of a run is shown without control characters."""
    keep(
        folder,
        "agents: {one: {url: 'http://127.0.0.1:9'}}\nbindings: {chat: {platform: telegram}}\n",
    )
    said = "no such \x1b]0;of the terminal's\x07 model\r"
    row = JournalRow(delivery=DeliveryId("d-1"), at=1.8e9, step="run_failed", detail=said)
    local = wiring.local_ports(folder / ".threadline")
    local.ports.store.write([Put(items.journal_item(row, "1"), Expect.ANY)])
    local.close()
    out = threadline("explain", "d-1").out
    assert "of the terminal's" in out
    assert all(char.isprintable() or char == "\n" for char in out)
