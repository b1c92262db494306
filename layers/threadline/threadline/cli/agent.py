"""`threadline agent`: the runs and the state of an agent's threads, and cancelling a run."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from threadline.cli import state
from threadline.cli.asking import agreed
from threadline.cli.hand import this_hand
from threadline.core.errors import AgentError, AgentRejected, ThreadlineError, ThreadMissing
from threadline.core.legible import plain
from threadline.core.split import head_of

if TYPE_CHECKING:
    from threadline.app.inspecting import Meant
    from threadline.app.world import World
    from threadline.core.thread import RunSeen, Said

WHICH: Final = "a conversation's key, a delivery, message or run id, or the agent's thread id"
LAST: Final = 6
"""Messages of a thread that are shown unless more are wanted."""
LONGEST: Final = 200
"""Characters of each that are shown."""
_UNITS: Final = ((86_400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


def add(subparsers: Any) -> None:
    """Add the commands."""
    group = subparsers.add_parser("agent", help="look into an agent's threads, cancel a run")
    words = group.add_subparsers(title="commands", metavar="COMMAND", required=True)
    listing = _with_target(words.add_parser("runs", help="list a thread's latest runs"))
    listing.set_defaults(run=list_runs)
    stopping = _with_target(words.add_parser("cancel", help="cancel a run that goes on"))
    stopping.add_argument("--yes", action="store_true", help="do not ask")
    stopping.set_defaults(run=cancel)
    showing = _with_target(words.add_parser("state", help="show what a thread holds"))
    showing.add_argument(
        "--last", type=int, default=LAST, metavar="N", help=f"messages to show (default {LAST})"
    )
    showing.set_defaults(run=show)


def list_runs(args: argparse.Namespace) -> int:
    """Print the thread's runs, newest first. Raises ThreadlineError."""
    from threadline.app import inspecting

    with _looking(args) as (world, of):
        listed = inspecting.runs(world, of)
        now = world.clock.now()
    print(_heading(of))
    for run in listed:
        print(_line(run, now))
    if not listed:
        print("no runs, or a thread that the agent does not know")
    return 0


def cancel(args: argparse.Namespace) -> int:
    """Cancel the run that goes on, once a person agrees. Raises ThreadlineError."""
    from threadline.app import inspecting

    with _looking(args) as (world, of):
        run, now = _active(of, inspecting.runs(world, of), args.which), world.clock.now()
        print(_heading(of))
        print(_line(run, now))
        print(inspecting.after_stopping(world.settings(), of, run.id))
        if not agreed("Cancel this run?", yes=args.yes):
            print("It goes on.")
            return 1
        inspecting.stop(world, of, run.id, this_hand())
    print(f"Run {run.id} is cancelled.")
    return 0


def show(args: argparse.Namespace) -> int:
    """Print what the thread holds. Raises ThreadlineError."""
    from threadline.app import inspecting
    from threadline.core.policy import redact

    with _looking(args) as (world, of):
        thread = inspecting.seen(world, of)
    print(_heading(of))
    last = thread.messages[-args.last :] if args.last > 0 else ()
    shown = f", the last {len(last)} shown" if 0 < len(last) < len(thread.messages) else ""
    print(f"{len(thread.messages)} messages{shown}")
    keys = tuple(of.to.access.secrets.values())
    for message in last:
        print(f"  {redact(_message(message), keys)}")
    if thread.following:
        print(f"next: {plain(', '.join(thread.following))}")
    if thread.question:
        print(f"waits with the question: {redact(_short(thread.question), keys)}")
    return 0


def _with_target(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("which", metavar="WHICH", help=WHICH)
    parser.add_argument("--agent", default="", metavar="NAME", help="where several may be meant")
    parser.add_argument(
        "--owner", default="", help="whose thread it is, where no conversation tells"
    )
    return parser


@contextmanager
def _looking(args: argparse.Namespace) -> "Iterator[tuple[World, Meant]]":
    """Find what is meant; an agent's error says, too, what a person can do about it."""
    from threadline.app import inspecting

    which = args.which
    try:
        with state.ports() as opened, state.world_on(opened) as world:
            scans, more = opened.scans, {"agent": args.agent, "owner": args.owner}
            yield world, inspecting.meant(world, scans, which, **more)
    except ThreadMissing as error:
        raise ThreadlineError(
            f"{error}: the agent does not know a thread of {which}. It may have lost its memory;"
            " the next message begins a new thread"
        ) from None
    except AgentRejected as error:
        raise ThreadlineError(f"{error}. {_about(str(error))}") from None
    except AgentError as error:
        raise ThreadlineError(f"{error}. Is the agent up? {state.command('doctor')}") from None


def _about(refusal: str) -> str:
    if any(code in refusal for code in (": 401", ": 403")):
        return f"Give it its key: {state.command('secrets set agent/NAME')}"
    if "on behalf of nobody" in refusal:
        return "This agent keeps threads by owner: add --owner OWNER"
    if ": 422" in refusal:
        return "This is no id of a thread at that agent"
    return f"{state.command('doctor')} tells more"


def _active(of: "Meant", listed: "Sequence[RunSeen]", which: str) -> "RunSeen":
    """Give the run that is named, or the one that goes on. Raises ThreadlineError for an end."""
    named = [run for run in listed if run.id == which]
    for run in named or listed:
        if not run.status.over:
            return run
    if named:
        raise ThreadlineError(f"run {which} is over: {named[0].status}")
    raise ThreadlineError(f"nothing runs on thread {of.thread} of {of.to.settings.name}")


def _heading(of: "Meant") -> str:
    owner = f" of owner {of.owner}" if of.owner else ""
    thread = f"thread {of.thread}{owner} at agent {of.to.settings.name}"
    if of.conversation is None:
        return thread
    waiting = f", {of.conversation.waiting} waiting" if of.conversation.waiting else ""
    return f"{thread}\nconversation {of.conversation.key}: {of.conversation.state}{waiting}"


def _line(run: "RunSeen", now: float) -> str:
    begun = f"{_age(now - run.made_at)} ago" if run.made_at else "at an unknown time"
    whose = f"turn {run.turn}" if run.turn else "not made by Threadline"
    return plain(f"  {run.id}  {run.status:<11}  {begun:>12}  {whose}")


def _age(seconds: float) -> str:
    for length, unit in _UNITS:
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return "0 s"


def _message(message: "Said") -> str:
    calls = f" [calls {_short(', '.join(message.tools))}]" if message.tools else ""
    kind = _short(message.kind)
    if message.hidden:
        return f"{kind}: hidden from people, {len(message.text)} characters{calls}"
    return f"{kind}: {_short(message.text)}{calls}"


def _short(text: str) -> str:
    """Put text on one line; nothing in it reaches the terminal as a command."""
    return head_of(plain(" ".join(text.split())), LONGEST)
