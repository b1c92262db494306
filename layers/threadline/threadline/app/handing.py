"""Files that the agent made: stored while their run is closed, posted behind its words.

Whatever cannot be had or sent is named with its reason: a name in an answer is no file.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from threadline.app.following import Following
from threadline.core import keys
from threadline.core.agent import Artifact, Outcome, RunStatus, StoredFile
from threadline.core.http import BlobRef, HttpRequest, HttpResponse, Lost, SaveTo, ask
from threadline.core.platform import Platform, UploadsFiles
from threadline.core.posting import Draft
from threadline.core.records import Part
from threadline.core.texts import say

AT_ONCE: Final = 2
MOST: Final = 10
LARGEST: Final = 30_000_000
"""Bytes of one file at most: it is posted within the time that a delivering function has."""
LONGEST_NAME: Final = 80
LONGEST_ENDING: Final = 12
PATIENCE: Final = 60.0
"""Seconds that all files of an answer have together, while its words wait."""
LOOK_EVERY: Final = 1.0


async def brought(run: Following, outcome: Outcome) -> tuple[StoredFile, ...] | None:
    """Store what a run presented; None where the run must be handed over. Raises LeaseLost."""
    wanted = _wanted(run, outcome)
    if not wanted:
        return ()
    job = asyncio.create_task(_all(run, wanted))
    try:
        while not job.done():
            if not await run.goes_on():
                return None
            await asyncio.wait((job,), timeout=LOOK_EVERY)
        return job.result()
    finally:
        job.cancel()


def parts(first: Part, files: Sequence[StoredFile]) -> list[Part]:
    """Make a part for each file that was stored, behind the parts of the words."""
    stored = [file for file in files if not file.problem]
    return [
        replace(
            first, id=keys.part_id(first.turn, first.number + at), number=first.number + at,
            order=first.order + at / 1000, action="upload", draft=_draft(file),
        )
        for at, file in enumerate(stored)
    ]  # fmt: skip


def _wanted(run: Following, outcome: Outcome) -> list[tuple[Artifact, HttpRequest]]:
    """Give the files that can be had of this agent and sent to this platform."""
    turn, to = run.hint.turn, run.contact
    if not _takes_files(run.screen.platform) or outcome.status is not RunStatus.SUCCESS:
        return []
    found = []
    for artifact in outcome.artifacts[:MOST]:
        request = to.codec.download(turn.thread, artifact, turn.owner, to.access)
        if request is not None:
            found.append((artifact, request))
    return found


def _takes_files(platform: Platform) -> bool:
    return isinstance(platform, UploadsFiles) and platform.traits.max_upload > 0


async def _all(
    run: Following, wanted: Sequence[tuple[Artifact, HttpRequest]]
) -> tuple[StoredFile, ...]:
    slots, ends = asyncio.Semaphore(AT_ONCE), run.now() + PATIENCE

    async def one(number: int, artifact: Artifact, request: HttpRequest) -> StoredFile:
        async with slots:
            nothing = StoredFile(artifact.name, artifact.mime, BlobRef("", 0))
            try:
                async with asyncio.timeout(max(ends - run.now(), 0.0)):
                    return await _stored(run, number, nothing, request)
            except TimeoutError:
                return replace(nothing, problem=_said(run, "file_slow"))

    every = [one(number, artifact, request) for number, (artifact, request) in enumerate(wanted)]
    return tuple(await asyncio.gather(*every))


async def _stored(
    run: Following, number: int, nothing: StoredFile, request: HttpRequest
) -> StoredFile:
    limit = min(run.screen.platform.traits.max_upload, LARGEST)
    save_to = SaveTo(f"artifacts/{run.hint.turn.id}/{number:02d}", limit)
    flow = run.contact.under_policy(ask(replace(request, save_to=save_to)))
    answer = await run.world.calls.arun(flow)
    saved = answer.saved if isinstance(answer, HttpResponse) else None
    if saved is not None and saved.size > 0:
        return replace(nothing, blob=saved)
    key = _problem(answer)
    run.world.log("file", turn=run.hint.turn.id, reason=key)
    return replace(nothing, problem=_said(run, key, limit=limit // 1_000_000))


def _problem(answer: HttpResponse | Lost) -> str:
    match answer:
        case Lost(why="too_large"):
            return "file_large"
        case HttpResponse(status=404):
            return "file_gone"
        case HttpResponse(saved=BlobRef()):
            return "file_empty"
    return "file_withheld"


def _said(run: Following, key: str, **values: int) -> str:
    return say(key, run.world.settings().language, **values)


def _draft(file: StoredFile) -> Draft:
    name, blob = sent_as(file.name), file.blob
    facts = {"name": name, "mime": file.mime, "blob": blob.name, "size": str(blob.size)}
    return Draft("", {**facts, "sha256": blob.sha256})


def sent_as(name: str) -> str:
    """Give a name that every platform takes: one line, not too long, its ending kept."""
    shown = "".join(char if char.isprintable() else " " for char in name)
    whole = shown.encode("utf-8", "replace").decode().strip(" .") or "file"
    stem, dot, ending = whole.rpartition(".")
    if not dot or len(ending) > LONGEST_ENDING:
        return whole[:LONGEST_NAME]
    return f"{stem[: LONGEST_NAME - len(ending) - 1]}.{ending}"
