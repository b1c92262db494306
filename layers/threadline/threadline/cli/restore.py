"""`threadline restore`: put back what a table of the stack lost, from a copy restored beside it."""

import argparse
from typing import TYPE_CHECKING, Any

from threadline.cli import state
from threadline.cli.asking import agreed
from threadline.cli.hand import this_hand
from threadline.core.errors import ThreadlineError

if TYPE_CHECKING:
    from threadline.app.restoring import Restoring
    from threadline.core.ports import Put
    from threadline.wiring import Ports

TABLES = ("conversations", "deliveries", "connections", "outbox", "settings")


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("restore", help="put back what a stack's table lost")
    parser.add_argument("table", choices=TABLES, help="which table of the stack")
    parser.add_argument(
        "--from", dest="copy", required=True, metavar="NAME",
        help="the table that AWS restored, by its name in the account",
    )  # fmt: skip
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="items whose pk begins so, as the console shows"
    )
    parser.add_argument(
        "--replace", action="store_true", help="also what is there and is another than the copy's"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Count, ask, put back behind an audit row; 1 where something changed meanwhile."""
    if not state.stack.get():
        raise ThreadlineError("restore is for a stack: --stack NAME; a folder is copied back whole")
    with state.ports() as opened:
        restoring = _restoring(opened, args)
        wanted = _show(restoring, args)
        if not wanted:
            print("Nothing is to be put back.")
            return 0
        if not agreed(f"Put {wanted} items back into {args.table}?", yes=args.yes):
            print("Nothing was changed.")
            return 1
        done, left = restoring.put_back(_row(opened, args, wanted), replace=args.replace)
    print(f"{done} items are back. What is due goes on within a minute, by the sweep.")
    if left:
        print(f"{left} changed meanwhile and were left as they are.")
    again = state.command("forget WHOM")
    print(f"Whoever was forgotten since the copy's time may be back; again: {again}")
    return int(bool(left))


def _restoring(opened: "Ports", args: argparse.Namespace) -> "Restoring":
    from threadline import wiring
    from threadline.app.restoring import Restoring

    copy = wiring.aws_scans({args.table: args.copy}, opened.clock)
    return Restoring(copy, opened.store, args.table, opened.clock.now(), args.only)


def _show(restoring: "Restoring", args: argparse.Namespace) -> int:
    """Print how the copy stands to the table; give how many items would be put back."""
    from threadline.app.restoring import Found

    counts = restoring.count()
    means = {
        Found.MISSING: "missing in the table",
        Found.OTHER: "there, and another than the copy's",
        Found.SAME: "there as in the copy",
        Found.OVER: "expired since, and not wanted any more",
    }
    print(f"Of {sum(counts.values())} items in {args.copy}:")
    for found, meaning in means.items():
        print(f"  {counts[found]:>7}  {meaning}")
    return counts[Found.MISSING] + (counts[Found.OTHER] if args.replace else 0)


def _row(opened: "Ports", args: argparse.Namespace, wanted: int) -> "Put":
    """Give the audit row that says who puts how much back."""
    from threadline.app import audit

    return audit.row(
        "restore", opened.clock.now(), this_hand(), table=args.table, copy=args.copy,
        items=str(wanted),
    )  # fmt: skip
