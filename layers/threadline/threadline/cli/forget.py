"""`threadline forget`: remove what rests of a person or a conversation."""

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from threadline.cli import state
from threadline.cli.asking import agreed
from threadline.cli.hand import this_hand
from threadline.core.errors import ThreadlineError

if TYPE_CHECKING:
    from threadline.app.forget.removal import Forgetting, Inventory
    from threadline.app.forget.subject import Person, Subject

WHOM: Final = "PLATFORM[/APP]:ID, PLATFORM[/APP]:@NAME, or a conversation as `explain` names it"
ROUNDS: Final = 3
"""Looks for what came in while the rest was removed."""
_PERSON: Final = re.compile(r"([a-z]+)(?:/([A-Za-z0-9_-]+))?:(.+)")


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("forget", help="remove what rests of a person or conversation")
    parser.add_argument("whom", metavar="WHOM", help=WHOM)
    parser.add_argument(
        "--threads", action="store_true", help="delete the conversations' threads at the agent too"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show what would go, ask, remove it. Raises ThreadlineError."""
    from threadline.app.forget.removal import InWork

    with _forgetting() as forgetting:
        subject = _subject(forgetting, args.whom)
        inventory = forgetting.inventory(subject)
        _show(forgetting, subject, inventory, with_threads=args.threads)
        if not inventory.counts:
            return 0
        if busy := inventory.found.busy:
            raise InWork(_to_end_first(busy))
        if not agreed(f"Forget {subject}? This cannot be taken back.", yes=args.yes):
            print("Nothing was removed.")
            return 1
        forgetting.note(inventory, this_hand())
        left = _remove(forgetting, inventory, with_threads=args.threads)
    if left:
        print(f"There is more now, which came in meanwhile: {state.command(f'forget {args.whom}')}")
        return 1
    print("Forgotten. An audit row says who did so and when, not whom.")
    return 0


def _remove(forgetting: "Forgetting", inventory: "Inventory", *, with_threads: bool) -> bool:
    """Remove, look again, remove what came meanwhile; tell whether there is still something."""
    from threadline.app.forget.removal import InWork

    for _ in range(ROUNDS):
        try:
            forgetting.remove(inventory, with_threads=with_threads)
        except InWork as work:
            raise InWork(f"{work}. The rest is removed; the same command goes on") from None
        inventory = forgetting.inventory(inventory.traces.subject)
        if not inventory.counts or inventory.found.busy:
            break
    forgetting.beside.scrub()
    return bool(inventory.counts)


def _to_end_first(busy: list[str]) -> str:
    listed = "\n".join(f"  {one}" for one in busy)
    cancel = state.command("agent cancel RUN")
    return (
        f"something is in work, so nothing was removed:\n{listed}\n"
        f"It ends by itself, by `/stop` in the chat, or a run by: {cancel}"
    )


def _show(
    forgetting: "Forgetting", subject: "Subject", inventory: "Inventory", *, with_threads: bool
) -> None:
    if not inventory.counts:
        print(f"Nothing rests of {subject}.")
    else:
        print(f"Of {subject} there are:")
        width = max(map(len, inventory.counts))
        for kind, count in inventory.counts.items():
            print(f"  {kind:<{width}}  {count}")
        for conversation in inventory.found.standing:
            print(f"  conversation {conversation.key}, which goes as a whole")
    if inventory.found.unreadable:
        print(f"{len(inventory.found.unreadable)} items cannot be read by this version, such as")
        key = inventory.found.unreadable[0]
        print(f"  {key.table}: {key.partition} {key.sort}")
    print("What stays:")
    for line in _stays(forgetting, subject, inventory, with_threads=with_threads):
        print(f"  {line}")


def _stays(
    forgetting: "Forgetting", subject: "Subject", inventory: "Inventory", *, with_threads: bool
) -> Iterator[str]:
    from threadline.app.forget.people import written_in
    from threadline.app.forget.subject import Person

    yield f"what stands on {subject.platform} itself: remove it there"
    if with_threads:
        yield "at the agent: threads of groups, memories, and what it keeps of deleted threads"
    else:
        yield "the agent's own threads and memories (--threads deletes threads of conversations)"
    if isinstance(subject, Person):
        yield "what others wrote or quoted, and answers to them"
        for binding in written_in(forgetting.world.settings(), subject):
            yield f"their id in {state.FILE}, binding {binding}: take it out"
    if inventory.found.claims:
        yield f"{inventory.found.claims} notes whose an agent's thread is: so nobody takes it over"
    if state.stack.get():
        yield "backups of the tables, for 35 days; hints in queues, for 15 minutes"
        yield "hints in the dead-letter queues of runs, timers and outbox: these may be purged"
    if subject.platform == "playground":
        yield f"the page's own list of chats, {state.FOLDER}/playground.db"


def _subject(forgetting: "Forgetting", whom: str) -> "Subject":
    """Read whom the words mean. Raises ThreadlineError."""
    from threadline.app.configure.kinds import KINDS
    from threadline.app.forget.subject import Person, Place
    from threadline.app.inspecting import conversation_of
    from threadline.core import keys
    from threadline.core.ids import ConversationKey

    said = _PERSON.fullmatch(whom)
    if said and said[1] in KINDS:
        platform, app, name = said[1], said[2] or "", said[3]
        return _named(forgetting, platform, app, name) if name[0] == "@" else Person(
            platform, name, app
        )  # fmt: skip
    known = conversation_of(forgetting.world.store, whom)
    if known is not None:
        return Place(known.key)
    with suppress(ValueError):
        parts = keys.split(whom)
        if len(parts) == 5 and parts[0] in KINDS and keys.join(parts) == whom:
            return Place(ConversationKey(whom))
    raise ThreadlineError(f"{whom} is neither a person nor a conversation: write {WHOM}")


def _named(forgetting: "Forgetting", platform: str, app: str, name: str) -> "Person":
    from threadline.app.forget.people import named

    found = named(forgetting.scans, platform, app, name)
    if len(found) == 1:
        return found[0]
    if not found:
        raise ThreadlineError(f"nobody is known as {name}; write the id: {platform}:ID")
    there = ", ".join(map(str, found))
    raise ThreadlineError(f"several people are known as {name}: {there}")


@contextmanager
def _forgetting() -> "Iterator[Forgetting]":
    from threadline.app.forget.removal import Forgetting, Nothing
    from threadline.app.plan import mailbox_message
    from threadline.core.envelope import Forget

    if not state.stack.get():
        with _in_folder() as forgetting:
            yield forgetting
        return
    with state.ports() as opened, state.world_on(opened) as world:

        def ask(mail: Forget) -> None:
            world.queues.mailbox.send([mailbox_message(world, mail)])

        yield Forgetting(world, opened.scans, Nothing(), ask)


@contextmanager
def _in_folder() -> "Iterator[Forgetting]":
    """Forget in the working directory: by the running `serve`, or in its place."""
    from contextlib import ExitStack

    from threadline import wiring
    from threadline.local.folder import StateFolder
    from threadline.local.forgetting import forgetting_in

    folder = StateFolder(Path.cwd() / state.FOLDER)
    folder.must_exist()
    with ExitStack() as stack:
        served = folder.serving() is not None
        if not served:
            stack.enter_context(folder.taken())
        local = wiring.local_ports(folder.path)
        stack.callback(local.close)
        world = stack.enter_context(state.world_on(local.ports))
        yield forgetting_in(folder, local, world, served=served)
