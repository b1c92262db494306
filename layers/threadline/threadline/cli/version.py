"""`threadline version`."""

import argparse
from importlib.metadata import version
from typing import Any


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("version", help="print the version")
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Print it."""
    print(f"threadline {version('threadline')}")
    return 0
