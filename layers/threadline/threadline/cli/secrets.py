"""`threadline secrets`: put secrets where they are kept, and list their names."""

import argparse
import getpass
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threadline.cli import state
from threadline.core.errors import ThreadlineError

if TYPE_CHECKING:
    from threadline.cli.entries import Entry
    from threadline.cli.secret_values import Outcome

MAX_LINES = 100
ENTRY = "PLATFORM[/APP] or agent[/NAME]"


def add(subparsers: Any) -> None:
    """Add the commands."""
    group = subparsers.add_parser("secrets", help="store tokens and keys, list their names")
    words = group.add_subparsers(title="commands", metavar="COMMAND", required=True)
    setting = words.add_parser(
        "set", help="ask for secrets, or read name=value lines from standard input"
    )
    setting.add_argument("entry", metavar="ENTRY", help=ENTRY)
    turning = setting.add_mutually_exclusive_group()
    turning.add_argument(
        "--rotate", action="store_true", help="make a new webhook secret; the former stays valid"
    )
    turning.add_argument(
        "--end-rotation", action="store_true", help="let the former values end, change no other"
    )
    setting.set_defaults(run=set_secrets)
    listing = words.add_parser("list", help="list what is stored, by name")
    listing.set_defaults(run=list_secrets)


def set_secrets(args: argparse.Namespace) -> int:
    """Store what is given; print where and which, never a value. Raises ThreadlineError."""
    from threadline.cli.entries import AGENT, entry
    from threadline.cli.secret_values import merge, unended, without_previous

    wanted = entry(_only_agent() if args.entry == AGENT else args.entry)
    with state.ports() as opened:
        stored = opened.secrets.get(str(wanted))
        if args.end_rotation:
            opened.secrets.put(str(wanted), without_previous(stored))
            print(f"{wanted}: only the present values are valid now.")
            return 0
        given = {} if args.rotate else _ask(wanted, stored)
        stored = opened.secrets.get(str(wanted), fresh=True)  # others may have while we asked
        if not stored and not any(given.values()) and not _all_made(wanted):
            raise ThreadlineError(f"nothing was given for {wanted}, so nothing was stored")
        outcome = merge(
            stored, given, wanted.secrets, lambda: secrets.token_urlsafe(32), rotate=args.rotate
        )
        _refuse_a_third(wanted, unended(stored, outcome))
        opened.secrets.put(str(wanted), outcome.values)
    _tell(wanted, outcome)
    return 0


def list_secrets(_: argparse.Namespace) -> int:
    """Print the names of every entry's secrets."""
    with state.ports() as opened:
        entries = [(one, sorted(opened.secrets.get(one))) for one in opened.secrets.entries()]
    for one, names in entries:
        print(f"{one}: {', '.join(names)}")
    if not entries:
        print(f"no secrets are stored; for a Telegram bot: {state.command('secrets set telegram')}")
    return 0


def _ask(wanted: "Entry", stored: Mapping[str, str]) -> Mapping[str, str]:
    from threadline.cli.secret_values import parse_lines, read_value

    if not sys.stdin.isatty():
        return parse_lines(sys.stdin.readlines(MAX_LINES * 1000)[:MAX_LINES], wanted.secrets)
    given = {}
    for secret in wanted.secrets:
        empty = "keep" if stored.get(secret.name) else "make one" if secret.made else "leave out"
        path = "path of the file with the " if secret.from_file else ""
        try:
            answer = getpass.getpass(f"{path}{secret.ask} (empty: {empty}): ")
        except EOFError:
            raise ThreadlineError("no more answers, so nothing was stored") from None
        given[secret.name] = read_value(secret, answer)
    return given


def _all_made(wanted: "Entry") -> bool:
    """Tell whether an entry is of use when nothing is given: all it needs can be made here."""
    from threadline.app.configure.kinds import KINDS

    kind = KINDS.get(wanted.group)
    made = {one.name for one in wanted.secrets if one.made}
    return kind is None or any(made.issuperset(names) for names in kind.needs.values())


def _refuse_a_third(wanted: "Entry", names: tuple[str, ...]) -> None:
    """Let no value end unasked: two of a secret are valid at a time, and either may be in use."""
    if names:
        ending = state.command(f"secrets set {wanted} --end-rotation")
        raise ThreadlineError(
            f"the last rotation of {', '.join(names)} has not ended, and a third value would end "
            "the former, which may still be in use, so nothing was stored. Once the present one is "
            f"in place wherever it is wanted: {ending}"
        )


def _tell(wanted: "Entry", outcome: "Outcome") -> None:
    place = state.place_of_secrets(str(wanted))
    print(f"{wanted}: {', '.join(sorted(outcome.values))} stored in {place}")
    for name in outcome.made:
        print(f'{name} was made here; where it is wanted, copy it from "{wanted}" there.')
    for name in outcome.rotated:
        ending = state.command(f"secrets set {wanted} --end-rotation")
        print(f"The former {name} stays valid until: {ending}")


def _only_agent() -> str:
    """Name the entry of the file's only agent, or of `default`, that of THREADLINE_AGENT_URL."""
    from threadline.app.configure import agents
    from threadline.app.configure.compile import compile_settings
    from threadline.cli.entries import AGENT

    path = Path(state.FILE)
    source = state.read(path) if path.exists() else b""
    known = compile_settings(source, state.surroundings(), str(path)).settings.agents
    written = [name for name, agent in known.items() if agent.url != state.DEMO] or [agents.GIVEN]
    if name := agents.fallback(written):
        return f"{AGENT}/{name}"
    names = ", ".join(f"{AGENT}/{one}" for one in written)
    raise ThreadlineError(f"there are several agents; write one of: {names}")
