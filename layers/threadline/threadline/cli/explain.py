"""`threadline explain`: every step of a delivery, message or conversation, and every reason."""

import argparse
from pathlib import Path
from typing import Any, Final

from threadline.cli import state
from threadline.core.legible import plain

LONGEST_ID: Final = 1024
"""Bytes; the store takes no longer key with what goes before it."""


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("explain", help="tell why the bot did, or did not, answer")
    parser.add_argument(
        "asked", metavar="ID", type=_id,
        help="delivery, request or message id, or a conversation's key",
    )  # fmt: skip
    parser.set_defaults(run=run)


def _id(written: str) -> str:
    """Read an id that something may have. Raises ArgumentTypeError."""
    if not written.strip() or not written.isprintable() or len(written.encode()) > LONGEST_ID:
        raise argparse.ArgumentTypeError("wants an id as the log or the platform shows it")
    return written


def run(args: argparse.Namespace) -> int:
    """Print what is known; 1 where nothing is. Raises ThreadlineError."""
    from threadline.app.explain import Explain
    from threadline.local.folder import StateFolder
    from threadline.local.log import logged_lines
    from threadline.local.telling import explanation_lines

    folder = StateFolder(Path.cwd() / state.FOLDER)
    folder.must_exist()
    with state.ports() as ports:
        explanation = Explain(ports.store, lambda: logged_lines(folder.logs))(args.asked)
    for line in explanation_lines(explanation):
        print(plain(line))
    return 0 if explanation.known else 1
