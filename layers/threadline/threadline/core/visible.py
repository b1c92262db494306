"""The text a stream has shown so far, as a value that events are folded into."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Self

from threadline.core.agent import AgentEvent, StreamGap, TextDelta

MOST_MESSAGES: Final = 8
"""Messages whose text is kept, so that parallel model calls may take turns in one stream."""


RECENT: Final = 4_000
"""Characters that are added to one by one; what is longer is put to the rest in one go."""


@dataclass(frozen=True, slots=True)
class Grown:
    """A text that grows by many small additions, each of which costs as if it were short."""

    settled: str = ""
    recent: str = ""

    @property
    def text(self) -> str:
        """The whole text."""
        return self.settled + self.recent

    def with_(self, delta: TextDelta) -> "Grown":
        """Replace it by what is whole or repeats all there is and goes on; append anything else."""
        if delta.whole or self._goes_on_in(delta.text):
            return Grown(delta.text)
        recent = self.recent + delta.text
        return Grown(self.settled, recent) if len(recent) < RECENT else Grown(self.settled + recent)

    def _goes_on_in(self, text: str) -> bool:
        before = len(self.settled)
        return (
            len(text) > before + len(self.recent)
            and text.startswith(self.recent, before)
            and text.startswith(self.settled)
        )


@dataclass(frozen=True, slots=True)
class VisibleText:
    """What is shown of a run: the text of the message that was written to last.

    Without a `message` (no stream told one) the next addition goes on with `text`, whatever its id.
    After a gap only whole texts change anything.
    """

    grown: Grown = Grown()
    message: str = ""
    broken: bool = False
    others: Mapping[str, Grown] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What is shown."""
        return self.grown.text

    def after(self, events: Iterable[AgentEvent]) -> Self:
        """Give what is shown after these events."""
        shown = self
        for event in events:
            if isinstance(event, TextDelta):
                shown = shown._with(event)
            elif isinstance(event, StreamGap):
                shown = replace(shown, broken=True)
        return shown

    def _with(self, delta: TextDelta) -> Self:
        if not delta.text or (self.broken and not delta.whole):
            return self
        if self.message in {"", delta.message}:
            grown = self.grown.with_(delta)
            return type(self)(grown, delta.message, self.broken, self.others)
        others = {**self.others, self.message: self.grown}
        before = others.pop(delta.message, Grown())
        while len(others) >= MOST_MESSAGES:
            others.pop(next(iter(others)))
        return replace(self, grown=before.with_(delta), message=delta.message, others=others)
