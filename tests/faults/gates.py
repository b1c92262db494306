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


def harmful(point: str, passage: Passage) -> bool:
    """Tell whether no client of ours does this: repeat a post by itself, unasked."""
    return passage.times > 1 and point.startswith("http.telegram send")


class FaultGate(PlannedGate):
    """Lets the call of one number go wrong; `met` tells whether it was reached, and where."""

    def __init__(self, number: int, kind: str) -> None:
        super().__init__(self._plan_for)
        self.met = ""
        self._number = number
        self._kind = kind

    def _plan_for(self, point: str) -> Passage:
        if len(self.points) == self._number + 1:
            self.met = point
            passage = KINDS[self._kind]()
            return Passage() if harmful(point, passage) else passage
        return Passage()
