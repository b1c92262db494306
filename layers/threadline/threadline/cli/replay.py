"""`threadline replay`: a recorded delivery, sent to the running front door and followed."""

import argparse
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from threadline.cli import state
from threadline.cli.program import as_typed

PATIENCE = 120.0


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("replay", help="send a recorded delivery and follow it")
    parser.add_argument("file", type=Path, help="events/<platform>/<case>.json")
    parser.add_argument(
        "--same", action="store_true", help="keep its ids, and expect that it is a duplicate"
    )
    parser.add_argument(
        "--wait", type=float, default=PATIENCE, help=f"seconds to follow it (default {PATIENCE:g})"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the journey; 1 where it ends elsewhere than expected. Raises ThreadlineError."""
    from threadline.local.folder import StateFolder
    from threadline.local.log import LogTail
    from threadline.local.replaying import Replaying

    folder = StateFolder(Path.cwd() / state.FOLDER)
    folder.must_exist()
    with state.ports() as ports, closing(LogTail(folder.logs)) as lines:
        replaying = Replaying(
            folder=folder,
            ports=ports,
            lines=lines,
            program=as_typed(),
            say=lambda line: print(line, flush=True),
            monotonic=time.monotonic,
        )
        return replaying(args.file, same=args.same, patience=args.wait)
