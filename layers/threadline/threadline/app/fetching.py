"""Fetch a turn's files into the blob store, two at once, and tell the mailbox."""

import asyncio
from dataclasses import replace
from typing import Final

from threadline.app import agents, posting
from threadline.app.agents import Contact
from threadline.app.forgotten import is_gone
from threadline.app.plan import send
from threadline.app.trips import Blocking
from threadline.app.world import World
from threadline.core.agent import StoredFile
from threadline.core.envelope import FilesReady, FollowRun
from threadline.core.errors import AgentError, PostError
from threadline.core.http import BlobRef, SaveTo
from threadline.core.message import FileRef
from threadline.core.platform import FetchesFiles
from threadline.core.reasons import Reason

AT_ONCE: Final = 2
TIMEOUT: Final = 300.0
LINK_LIFE: Final = 7 * 86_400


async def fetch(world: World, hint: FollowRun, blocking: Blocking) -> None:
    """Store every file or say why not; FilesReady comes back whatever happened.

    Of a turn whose conversation was forgotten nothing is stored.
    """
    if await blocking(lambda: is_gone(world, hint)):
        world.log("step", step=str(Reason.NOT_CURRENT), turn=hint.turn.id)
        return
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(number: int, file: FileRef) -> StoredFile:
        async with slots:
            return await _stored(world, hint, number, file)

    stored = await asyncio.gather(*(one(number, file) for number, file in enumerate(hint.files)))
    ready = FilesReady(
        conversation=hint.conversation, mailbox=hint.mailbox, turn=hint.turn.id,
        files=tuple(stored),
    )  # fmt: skip
    await blocking(lambda: send(world, world.clock.now(), [ready], [], []))


async def _stored(world: World, hint: FollowRun, number: int, file: FileRef) -> StoredFile:
    nothing = StoredFile(file.name, file.mime, BlobRef("", 0), image=file.image)
    if file.problem:
        return replace(nothing, problem=file.problem)
    whose = hint.turns[number] if hint.turns else hint.turn.id
    name = f"files/{whose}/{number:02d}"
    try:
        blob = await asyncio.wait_for(_download(world, hint, file, name), TIMEOUT)
        blob = replace(blob, sha256="")  # a turn's item has little room
        stored = replace(nothing, blob=blob, link=world.blobs.link(name, LINK_LIFE))
        return await _attached(world, hint, stored)
    except TimeoutError:
        return replace(nothing, problem="timeout")
    except (PostError, AgentError) as error:
        world.log("file", turn=hint.turn.id, reason=type(error).__name__)
        return replace(nothing, problem=str(error)[:200])


async def _download(world: World, hint: FollowRun, file: FileRef, name: str) -> BlobRef:
    to = hint.turn.destination
    platform, _ = posting.ready(world, to)
    if not isinstance(platform, FetchesFiles):
        raise PostError("this platform's files cannot be read")
    save_to = SaveTo(name, platform.traits.max_file)
    flow = posting.acting(world, to, lambda _, using: platform.fetch(file, using, save_to))
    return await world.calls.arun(flow)


async def _attached(world: World, hint: FollowRun, stored: StoredFile) -> StoredFile:
    """Hand the file to the agent where it takes uploads."""
    to: Contact = agents.contact(world, world.settings(), hint.turn.agent)
    turn = hint.turn
    flow = to.codec.attach(turn.thread, stored, turn.owner, to.access)
    return await world.calls.arun(to.under_policy(flow))
