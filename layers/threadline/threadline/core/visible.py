"""The text a stream has shown so far, as a value that events are folded into."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Self

from threadline.core.agent import AgentEvent, StreamGap, TextDelta

MOST_MESSAGES: Final = 8
"""Messages whose text is kept, so that parallel model calls may take turns in one stream."""


@dataclass(frozen=True, slots=True)
class VisibleText:
    """What is shown of a run: the text of the message that was written to last.

    Without a `message` (a follower that took over knows only the text) the next addition goes on
    with `text`, whatever its id. After a gap only whole texts change anything.
    """

    text: str = ""
    message: str = ""
    broken: bool = False
    others: Mapping[str, str] = field(default_factory=dict)

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
            text = _merged(self.text, delta)
            return type(self)(text, delta.message, self.broken, self.others)
        others = {**self.others, self.message: self.text}
        before = others.pop(delta.message, "")
        while len(others) >= MOST_MESSAGES:
            others.pop(next(iter(others)))
        return replace(self, text=_merged(before, delta), message=delta.message, others=others)


def _merged(before: str, delta: TextDelta) -> str:
    """Replace by what is whole or repeats all there is and goes on; append anything else."""
    grown = len(delta.text) > len(before) and delta.text.startswith(before)
    return delta.text if delta.whole or grown else before + delta.text
