"""Posts that wait for a chat, stored in any number."""

from collections.abc import Iterable

from tests.simulation.world import CHAT, Simulation
from threadline.app import items
from threadline.core.ids import AppName, ConversationKey, PlatformName, TurnId
from threadline.core.ports import Change, Expect, Put
from threadline.core.posting import Destination, Draft
from threadline.core.records import Part

PLACE = Destination(
    platform=PlatformName("telegram"), app=AppName("default"), workspace="", chat=str(CHAT),
    private=True,
)  # fmt: skip
AT_ONCE = 100


def store(world: Simulation, changes: Iterable[Change]) -> None:
    """Store any number of changes, so many in a write as a store takes."""
    every = list(changes)
    for start in range(0, len(every), AT_ONCE):
        world.ports.ports.store.write(every[start : start + AT_ONCE])


def waiting_post(number: int, planned_at: float) -> Put:
    """Give a post, the number-th of those planned since then, that waits for the chat."""
    part = Part(
        id=f"t{number}#001", turn=TurnId(f"t{number}"), number=1,
        conversation=ConversationKey("c"), destination=PLACE, action="post",
        draft=Draft(f"part {number}"), order=planned_at + number / 1000, moved_at=planned_at,
    )  # fmt: skip
    return Put(items.part_item(part, planned_at), Expect.ABSENT)
