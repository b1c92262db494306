"""`threadline doctor`: asks everything that an answer depends on, and says what to do about it."""

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from threadline.cli import state
from threadline.cli.findings import told
from threadline.core.errors import ThreadlineError
from threadline.core.setup import Finding

if TYPE_CHECKING:
    from threadline.app.world import World


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("doctor", help="ask all that an answer depends on")
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Print every finding as it is made; 1 where there is something to do.

    Raises ThreadlineError.
    """
    wrong = False
    for lines, to_do in _everything():
        print(lines, flush=True)
        wrong = wrong or to_do
    return int(wrong)


def _everything() -> Iterator[tuple[str, bool]]:
    from threadline.cli.checkups import account

    if state.stack.get():
        yield from _plain(account.look())
    with state.world() as world:
        yield from _installation(world)


def _installation(world: "World") -> Iterator[tuple[str, bool]]:
    from threadline.cli.checkups import account, agents, apps

    stack = state.stack.get()
    try:
        settings = world.settings()
    except ThreadlineError as error:
        yield from _plain([Finding("settings", str(error), state.storing())])
        return
    yield from _plain([Finding("settings", f"version {settings.version}")])
    if stack:
        yield from _plain(account.address(settings))
    yield from apps.look(world, settings)
    yield from _plain(apps.off())
    yield from _plain(agents.look(world, settings))


def _plain(findings: Iterable[Finding]) -> Iterator[tuple[str, bool]]:
    for finding in findings:
        yield told(finding), bool(finding.remedy)
