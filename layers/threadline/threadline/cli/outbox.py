"""`threadline outbox`: posts whose fate is unknown or that were refused."""

import argparse
from datetime import UTC, datetime
from typing import Any

from threadline.cli import state
from threadline.cli.hand import this_hand
from threadline.core.legible import plain


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("outbox", help="posts that need a decision")
    parser.add_argument("part", nargs="?", help="the part to decide; without one all are listed")
    parser.add_argument(
        "decision", nargs="?", choices=["sent", "again", "drop"],
        help="sent: it stands in the chat; again: post it again; drop: leave it",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List what needs a decision, or carry one out. Raises ThreadlineError."""
    from threadline.app import outbox
    from threadline.core.errors import ThreadlineError

    with state.ports() as opened:
        if args.part is None:
            _list(outbox.doubts(opened.store, opened.clock.now()))
            return 0
        if args.decision is None:
            raise ThreadlineError(f"say what to do: {_deciding(args.part)}")
        decided = outbox.resolve(
            opened.store, opened.queues.outbox, opened.clock, args.part,
            outbox.Decision(args.decision), this_hand(),
        )  # fmt: skip
    print(f"{decided.id} is {decided.state} now.")
    return 0


def _list(doubts: Any) -> None:
    if not doubts:
        print("nothing needs a decision")
        return
    for doubt in doubts:
        part = doubt.part
        at = datetime.fromtimestamp(part.moved_at, UTC).isoformat(timespec="seconds")
        to = part.destination
        print(plain(f"{part.id}  {part.state}  {at}  {to.platform} {to.chat}  {part.reason}"))
    print(f"Look into the chat, then: {_deciding(doubts[0].part.id)}")


def _deciding(part: str) -> str:
    return state.command(f"outbox {part} sent|again|drop")
