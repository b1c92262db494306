"""`threadline config`: what the file means or what is wrong with it; a stack gets it pushed."""

import argparse
from pathlib import Path
from typing import Any

from threadline.cli import state
from threadline.core.errors import ThreadlineError


def add(subparsers: Any) -> None:
    """Add the commands."""
    group = subparsers.add_parser("config", help="check threadline.yaml")
    words = group.add_subparsers(title="commands", metavar="COMMAND", required=True)
    checking = words.add_parser("check", help="print every fault, or what the file means")
    checking.add_argument(
        "file", nargs="?", type=Path, help=f"the file (default {state.FILE}, if there is one)"
    )
    checking.set_defaults(run=check)
    pushing = words.add_parser("push", help="make the file what a stack (--stack) works by")
    pushing.add_argument("file", nargs="?", type=Path, help=f"the file (default {state.FILE})")
    pushing.set_defaults(run=push)
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


def push(args: argparse.Namespace) -> int:
    """Store what the file means as the stack's settings; its functions follow within a minute.

    Raises ConfigError with every fault at once, and then stores nothing.
    """
    from uuid import uuid4

    from threadline.app.configure.compile import compile_settings
    from threadline.app.settings_items import installation, store_settings
    from threadline.cli.meaning import lines

    if not state.stack.get():
        raise ThreadlineError("which stack? threadline config push --stack NAME")
    path: Path = args.file or Path(state.FILE)
    source = state.read(path)
    with state.ports() as opened:
        around = state.surroundings(installation(opened.store, str(uuid4())))
        compiled = compile_settings(source, around, str(path))
        changed = store_settings(opened.store, compiled.settings, opened.clock.now())
    print(f"{path}: {'pushed to' if changed else 'is what is in force in'} {state.stack.get()}")
    for line in lines(compiled):
        print(line)
    return 0


def print_schema(_: argparse.Namespace) -> int:
    """Print the schema as it stands in docs/."""
    from threadline.app.configure.schema import schema_text

    print(schema_text(), end="")
    return 0
