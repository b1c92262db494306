"""`threadline explain`: every step of a delivery, message or conversation, and every reason."""

import argparse
from pathlib import Path
from typing import Any

from threadline.cli import state
from threadline.core.legible import plain


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("explain", help="tell why the bot did, or did not, answer")
    parser.add_argument(
        "asked", metavar="ID", help="delivery, request or message id, or a conversation's key"
    )
    parser.set_defaults(run=run)


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
