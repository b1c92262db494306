"""What is said of a file whose name stands in an answer and which was not sent after all."""

from dataclasses import replace
from typing import Final

from threadline.app import answer, ledger
from threadline.app.world import World
from threadline.core import keys
from threadline.core.ports import Change
from threadline.core.posting import Reply, Tone
from threadline.core.records import Part, PartState
from threadline.core.texts import say

NOTICE: Final = 500
"""Added to a file's part number for the number of what is said of it; no answer has as many."""
LOST: Final = frozenset({PartState.FAILED, PartState.UNKNOWN})


def told(world: World, part: Part) -> list[Change]:
    """Plan the sentence for a part that is settled; none where it was sent, or is no file."""
    platform = world.platform(part.destination.platform)
    if not ledger.is_upload(part) or part.state not in LOST or platform is None:
        return []
    name, language = answer.name_of(part.draft.facts["name"]), world.settings().language
    text = say("file_unsure", language, name=name)
    if part.state is PartState.FAILED:
        text = say("file_not_sent", language, name=name, reason=say("file_not_taken", language))
    draft, number = platform.render(Reply(text, Tone.NOTICE))[0], NOTICE + part.number
    notice = replace(
        part, id=keys.part_id(part.turn, number), number=number, action="post", draft=draft,
        state=PartState.PLANNED, order=world.clock.now(), holder="", tries=0, reason="",
        not_before=0.0,
    )  # fmt: skip
    return ledger.planned([notice], world.clock.now())
