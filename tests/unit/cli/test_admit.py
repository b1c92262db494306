import re
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Command
from threadline import wiring
from threadline.app.admission import admitted_key, redeem
from threadline.core.records import Admitted


def redeemed(folder: Path, app: str, line: str) -> bool:
    """Send the line to an app's bot as a person would; tell whether it let them in."""
    local = wiring.local_ports(folder / ".threadline")
    try:
        store = local.ports.store
        code = line.removeprefix("/start ")
        by = Admitted("telegram", app, "42", "Ada", local.ports.clock.now())
        changes = redeem(store, code, by)
        store.write(changes)
        return store.get([admitted_key("telegram", app, "42")])[0] is not None
    finally:
        local.close()


@pytest.mark.parametrize(("word", "app"), [("telegram", "default"), ("telegram/work", "work")])
def test_the_printed_line_lets_its_sender_in(
    threadline: Command, folder: Path, word: str, app: str
) -> None:
    """Whoever sends the line to that bot is in; it stands alone on its line, to be copied."""
    ended = threadline("admit", word)
    assert ended.code == 0
    (line,) = [line for line in ended.out.splitlines() if line.startswith("/start ")]
    assert re.fullmatch(r"/start [A-Za-z0-9_-]{22}", line)
    assert redeemed(folder, app, line)


def test_each_line_is_another(threadline: Command, folder: Path) -> None:
    """Codes are random, and one of them tells nothing of the next."""
    lines = {threadline("admit", "telegram").out.splitlines()[-1] for _ in range(3)}
    assert len(lines) == 3
    assert not redeemed(folder, "default", "/start " + "A" * 22)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("github", "on github nobody is let in by a code"),
        ("telegarm", "no platform is called telegarm; did you mean `telegram`?"),
        ("telegram/a b", "a b is no name"),
    ],
)
def test_where_no_code_could_work_none_is_made(threadline: Command, word: str, said: str) -> None:
    """A code that could never let anybody in is not printed."""
    ended = threadline("admit", word)
    assert (ended.code, ended.out) == (1, "")
    assert said in ended.err
