"""What can go wrong with one call: the kinds of fault, and the gate that plans one."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tests.simulation.world import Killed
from threadline.backends.outgoing import Passage, PlannedGate

KINDS: Mapping[str, Callable[[], Passage]] = MappingProxyType(
    {
        "refused": lambda: Passage(before=ConnectionRefusedError()),
        "answer lost": lambda: Passage(after=ConnectionResetError()),
        "timed out": lambda: Passage(after=TimeoutError()),
        "repeated": lambda: Passage(times=2),
        "killed before": lambda: Passage(before=Killed()),
        "killed after": lambda: Passage(after=Killed()),
    }
)


TRIES = 8
"""How often the AWS backends make a call before they give it up."""

AT_LENGTH: Mapping[str, Callable[[], tuple[Passage, ...]]] = MappingProxyType(
    {
        "given up": lambda: (KINDS["refused"](),) * TRIES,
        "lost for good": lambda: (KINDS["answer lost"](), *(KINDS["refused"](),) * (TRIES - 1)),
    }
)
"""What goes wrong so long that repeating does not help; each passage is of one more try."""

IN_A_ROW: Mapping[str, Callable[[], tuple[Passage, ...]]] = MappingProxyType(
    {"8 refusals": lambda: (KINDS["refused"](),) * TRIES}
)
"""What goes wrong longer than mail is tried (`dispatch.LAST_TRY`), where nothing below repeats."""


def passages(kind: str) -> tuple[Passage, ...]:
    """Give what becomes of a call, and of its repetitions, in a fault of a kind."""
    longer = {**AT_LENGTH, **IN_A_ROW}
    return longer[kind]() if kind in longer else (KINDS[kind](),)


def harmful(point: str, passage: Passage) -> bool:
    """Tell whether no client of ours does this: repeat a post by itself, unasked."""
    return passage.times > 1 and point.startswith("http.telegram send")


class FaultGate(PlannedGate):
    """Lets the call of one number go wrong; `met` tells whether it was reached, and where."""

    def __init__(self, number: int, kind: str) -> None:
        super().__init__(self._plan_for)
        self.met = ""
        self.kind = kind
        self._number = number
        self._left = list(passages(kind))

    def _plan_for(self, point: str) -> Passage:
        at = len(self.points) - 1 - self._number
        if at == 0:
            self.met = point
        if at < 0 or not self._left or point != self.met:
            return Passage()
        passage = self._left.pop(0)
        return Passage() if harmful(point, passage) else passage
