"""`threadline event`: a recorded event, made fresh, for `sam local invoke`."""

import argparse
import json
import sys
import time
import uuid
from pathlib import Path
from typing import Any

from threadline.cli.program import as_typed


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("event", help="print a recorded event, fresh, for one function")
    parser.add_argument(
        "name", nargs="?", help="such as slack/app_mention or dispatch/arrived (default: list them)"
    )
    parser.add_argument(
        "--events",
        type=Path,
        metavar="FOLDER",
        help="where they are (default: events/ here, else those that came with Threadline)",
    )
    parser.add_argument(
        "--same", action="store_true", help="keep the ids a delivery was recorded with"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the event, or what there is. Raises ThreadlineError."""
    from threadline.local.fresh_event import FreshEvents
    from threadline.local.recordings import find, places

    recordings = find(args.events, places(Path.cwd()))
    if args.name is None:
        print("\n".join(recordings.names()))
        return 0
    fresh = FreshEvents(
        recordings, program=as_typed(), now=time.time, new_id=lambda: str(uuid.uuid4())
    )
    json.dump(fresh.event(args.name, same=args.same), sys.stdout, indent=2)
    print()
    return 0
