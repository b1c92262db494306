"""`threadline serve`: Threadline on this machine, in one process."""

import argparse
import asyncio
import os
from pathlib import Path
from typing import Any

from threadline.cli.program import as_typed
from threadline.cli.state import FOLDER

PORT = 8420
MOST_PORT = 65_535
MOST_RUNS = 2000


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("serve", help="run Threadline on this machine")
    parser.add_argument(
        "--port", type=_port, default=PORT, help=f"first port to try (default {PORT})"
    )
    parser.add_argument(
        "--runs", type=int, default=MOST_RUNS,
        help=f"runs followed at once, {MOST_RUNS} at most and by default",
    )  # fmt: skip
    parser.set_defaults(run=run)


def _port(text: str) -> int:
    """Read a port. Raises ArgumentTypeError, which argparse tells the person."""
    if not (text.isdecimal() and 1 <= int(text) <= MOST_PORT):
        raise argparse.ArgumentTypeError(f"{text} is no port: 1 to {MOST_PORT}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C. Raises ThreadlineError and ConfigError."""
    from threadline.local.serve import Options, serve
    from threadline.local.standing import Told

    told = Told(
        agent_url=os.environ.get("THREADLINE_AGENT_URL", ""),
        public_url=os.environ.get("THREADLINE_PUBLIC_URL", ""),
        program=as_typed(),
    )
    root = Path.cwd()
    options = Options(
        root=root,
        folder=root / FOLDER,
        told=told,
        port=args.port,
        most_runs=max(1, min(args.runs, MOST_RUNS)),
        environ=dict(os.environ),
    )
    return asyncio.run(serve(options, say))


def say(line: str) -> None:
    """Tell the person at the terminal."""
    print(line, flush=True)
