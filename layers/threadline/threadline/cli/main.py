"""The `threadline` command: its words, and what its errors look like to a person."""

import argparse
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from threadline.cli import (
    admit,
    agent,
    config,
    doctor,
    event,
    explain,
    forget,
    image,
    outbox,
    pause,
    redrive,
    replay,
    restore,
    secrets,
    serve,
    setup,
    state,
    version,
    webhook,
)
from threadline.cli.state import FOLDER
from threadline.core.errors import ConfigError, ThreadlineError
from threadline.core.legible import plain
from threadline.local.folder import REPORT

COMMANDS = (
    serve,
    setup,
    config,
    secrets,
    admit,
    webhook,
    doctor,
    pause,
    explain,
    agent,
    forget,
    image,
    outbox,
    redrive,
    replay,
    restore,
    event,
    version,
)
"""Modules that each add their words: `add(subparsers)` sets `run`, which gives the exit code."""

ON_A_STACK = frozenset(
    {
        "admit",
        "agent",
        "config",
        "doctor",
        "forget",
        "outbox",
        "pause",
        "redrive",
        "restore",
        "secrets",
        "setup",
        "webhook",
    }
)
"""Modules whose commands also work on a deployed stack."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Gives 0 when it is done, 1 when it could not be, 2 when the configuration has faults or the
    words are wrong, 70 for a fault of our own.
    """
    stack, words = _stack(argv)
    args = parser().parse_args(words)
    try:
        _work_on(stack, args.run.__module__.rpartition(".")[2])
        return int(args.run(args))
    except ConfigError as faults:
        print(faults, file=sys.stderr)
        return 2
    except ThreadlineError as error:
        print(f"threadline: {plain(str(error))}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; nothing may be flushed to it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # noqa: BLE001 - the one place where anything ends as a line
        name = type(error).__name__
        print(f"threadline: internal error {name} (details in {_report()})", file=sys.stderr)
        return 70


def parser() -> argparse.ArgumentParser:
    """Put the words of all commands together."""
    made = argparse.ArgumentParser(
        prog="threadline",
        description="Connects chats to agents that speak the LangGraph API.",
        epilog="With --stack NAME a command works on that stack on AWS, in place of this folder.",
    )

    def print_help(_: argparse.Namespace) -> int:
        made.print_help()
        return 0

    made.set_defaults(run=print_help)
    subparsers = made.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add(subparsers)
    return made


def _stack(argv: Sequence[str] | None) -> tuple[str, list[str]]:
    """Take `--stack NAME` out of the words, wherever it stands."""
    taking = argparse.ArgumentParser(prog="threadline", add_help=False, allow_abbrev=False)
    taking.add_argument("--stack", default="")
    known, words = taking.parse_known_args(argv)
    return str(known.stack), words


def _work_on(stack: str, command: str) -> None:
    if stack and command not in ON_A_STACK:
        raise ThreadlineError("this command works on this folder only, not on a stack")
    state.stack.set(stack)


def _report() -> str:
    """Write the traceback where only its owner reads it, and say where."""
    details = traceback.format_exc()
    try:
        folder = Path.cwd() / FOLDER
        if not folder.is_dir():
            folder = Path(tempfile.mkdtemp(prefix="threadline-"))
        path = folder / REPORT
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(file, "w", encoding="utf-8", errors="replace") as report:
            report.write(details)
    except OSError as error:
        return f"no file: {error.strerror}"
    return str(path)
