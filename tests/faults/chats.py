"""Plays on platforms with posts of their own kinds: buttons, signs of waiting, files that are made.

The harness at large plays on one platform; here is what the others have beside it.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.gates import KINDS
from tests.faults.single import LONGEST, fast_folder
from tests.simulation.deerflow_chats import FeishuOfDeerFlow, SlackOfDeerFlow
from tests.simulation.slack import ADA_IM
from threadline.backends.outgoing import Passage, PlannedGate
from threadline.core.texts import say

DELIVERIES, AGAIN_AFTER = 20, 5.0
FILE = b"content of /mnt/user-data/outputs/a.txt"

type World = SlackOfDeerFlow | FeishuOfDeerFlow


class InsistingSlack(SlackOfDeerFlow):
    """A Slack that delivers until it is answered 200, as it does."""

    __slots__ = ()

    def deliver(self, *what: Any, **how: Any) -> dict[str, Any]:
        """Deliver again and again."""
        return insisted(self, lambda: SlackOfDeerFlow.deliver(self, *what, **how))


class InsistingFeishu(FeishuOfDeerFlow):
    """A Feishu that delivers until it is answered 200, as it does."""

    __slots__ = ()

    def deliver(self, *what: Any, **how: Any) -> dict[str, Any]:
        """Deliver again and again."""
        return insisted(self, lambda: FeishuOfDeerFlow.deliver(self, *what, **how))


def insisted(world: World, deliver: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Deliver until the answer is 200."""
    for _ in range(DELIVERIES):
        answer = deliver()
        if answer["statusCode"] == 200:
            return answer
        world.clock.advance(AGAIN_AFTER)
    raise AssertionError("the delivery was never accepted")


@dataclass(frozen=True, slots=True)
class Play:
    """What people do on a platform, and what is wrong afterwards."""

    name: str
    make: Callable[..., World]
    play: Callable[[Any], None]
    wrong: Callable[[Any], Iterator[str]]


class OneFault(PlannedGate):
    """Lets the call of one number go wrong in one way; a post is not repeated by its client."""

    def __init__(self, number: int, kind: str) -> None:
        super().__init__(self._planned)
        self.met = ""
        self._number, self._kind = number, kind

    def _planned(self, point: str) -> Passage:
        if len(self.points) != self._number + 1:
            return Passage()
        self.met = point
        passage = KINDS[self._kind]()
        repeats = passage.times > 1 and ("chat.post" in point or "files.complete" in point)
        return Passage() if repeats else passage


def played(one: Play, gate: OneFault) -> list[str]:
    """Play with a fault and list what is wrong."""
    folder = Path(tempfile.mkdtemp(prefix="chats-", dir=fast_folder()))
    world = one.make(folder, gate=gate)
    try:
        one.play(world)
        world.run(LONGEST)
        found = [*one.wrong(world)]
        return found if world.quiet() else [*found, "something is left to do"]
    finally:
        world.close()
        shutil.rmtree(folder)


def _pressed(world: SlackOfDeerFlow) -> None:
    def asking() -> bool:
        return any(post.buttons for post in world.slack.shown(ADA_IM))

    world.hear("choose")
    world.run(until=asking)
    post = next(post for post in world.slack.shown(ADA_IM) if post.buttons)
    world.press(post, "blue", channel=ADA_IM)


def _press_wrong(world: SlackOfDeerFlow) -> Iterator[str]:
    if world.asked() != ["choose", "blue"]:
        yield f"runs: {world.asked()}"
    if world.said().count("echo: blue") != 1:
        yield f"answers: {world.said()}"


def _waiting(world: World) -> None:
    world.hear("sleep 60")
    world.run(5)
    world.hear("one")
    world.run(2)
    world.hear("/goal")


def _waiting_wrong(world: World) -> Iterator[str]:
    said = world.said()
    if say("queued", "en") in said:
        yield "a post says for ever that its message waits"
    for text in ("slept 60", "echo: one", "No goal is set here."):
        if said.count(text) != 1:
            yield f"{text!r} stands {said.count(text)} times"


def _made(world: World) -> None:
    world.hear("present a.txt")


def _made_wrong(world: World) -> Iterator[str]:
    told, files = world.said(), list(_files(world))
    if sum("Made a.txt." in text for text in told) != 1:
        yield f"words: {told}"
    if len(files) > 1 or any(file != FILE for file in files):
        yield f"files: {len(files)}"
    if not files and say("file_unsure", "en", name="a.txt") not in told:
        yield "the file is not there, and nobody said so"


def _files(world: World) -> Iterator[bytes]:
    if isinstance(world, SlackOfDeerFlow):
        yield from (world.slack.contents[one.file] for one in world.slack.shown(ADA_IM) if one.file)
    else:
        yield from (
            world.feishu.uploads[key][1] for key in world.said() if key in world.feishu.uploads
        )


PLAYS = (
    Play("press on Slack", InsistingSlack, _pressed, _press_wrong),
    Play("signs on Slack", InsistingSlack, _waiting, _waiting_wrong),
    Play("signs on Feishu", InsistingFeishu, _waiting, _waiting_wrong),
    Play("file on Slack", InsistingSlack, _made, _made_wrong),
    Play("file on Feishu", InsistingFeishu, _made, _made_wrong),
)
