"""`threadline config`: what the file means or what is wrong with it, and its JSON Schema."""

import argparse
from pathlib import Path
from typing import Any

from threadline.cli import state


def add(subparsers: Any) -> None:
    """Add the commands."""
    group = subparsers.add_parser("config", help="check threadline.yaml")
    words = group.add_subparsers(title="commands", metavar="COMMAND", required=True)
    checking = words.add_parser("check", help="print every fault, or what the file means")
    checking.add_argument(
        "file", nargs="?", type=Path, help=f"the file (default {state.FILE}, if there is one)"
    )
    checking.set_defaults(run=check)
    schema = words.add_parser("schema", help="print the JSON Schema for editors")
    schema.set_defaults(run=print_schema)


def check(args: argparse.Namespace) -> int:
    """Print what the file means. Raises ConfigError with every fault at once."""
    from threadline.app.configure.compile import compile_settings
    from threadline.cli.meaning import lines

    path: Path = args.file or Path(state.FILE)
    absent = args.file is None and not path.exists()
    compiled = compile_settings(
        b"" if absent else state.read(path), state.surroundings(), str(path)
    )  # fmt: skip
    print(f"{path}: {'not there, so everything is at its default' if absent else 'no faults'}")
    for line in lines(compiled):
        print(line)
    return 0


def print_schema(_: argparse.Namespace) -> int:
    """Print the schema as it stands in docs/."""
    from threadline.app.configure.schema import schema_text

    print(schema_text(), end="")
    return 0
