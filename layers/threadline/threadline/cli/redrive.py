"""`threadline redrive`: messages that could not be handled, and putting them back."""

import argparse
from datetime import UTC, datetime
from typing import Any

from threadline.cli import state
from threadline.cli.hand import this_hand
from threadline.cli.program import as_typed
from threadline.core.legible import plain


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("redrive", help="put messages back that were given up")
    parser.add_argument(
        "which", nargs="?", help="a delivery or letter id; without one all are listed"
    )
    parser.add_argument("--all", action="store_true", help="put every one back")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List dead letters, or put them back. Raises ThreadlineError."""
    from threadline.app.redrive import DeadLetters
    from threadline.core.errors import ThreadlineError

    with state.ports() as opened:
        queues = opened.queues
        letters = DeadLetters(queues.dead, queues.mailbox, opened.store, opened.blobs, opened.clock)
        if args.which is None and not args.all:
            return _list(letters.letters())
        moved = letters.put_back(args.which or "", this_hand())
    if not moved:
        raise ThreadlineError(f"no dead letter is called {args.which or 'anything'}")
    told = "`One conversation` in Logs Insights" if state.stack.get() else f"`{as_typed()} explain`"
    print(f"{moved} put back; {told} tells what becomes of them.")
    return 0


def _list(letters: Any) -> int:
    if not letters:
        print("there are no dead letters")
        return 0
    for letter in letters:
        at = datetime.fromtimestamp(letter.since, UTC).isoformat(timespec="seconds")
        print(plain(f"{letter.delivery or letter.id}  {at}  {letter.reason}"))
    name = letters[0].delivery or letters[0].id
    print(f"Put one back: {state.command(f'redrive {name}')}")
    print(f"Put all back: {state.command('redrive --all')}")
    return 0
