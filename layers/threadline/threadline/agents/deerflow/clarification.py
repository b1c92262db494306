"""Questions of the tool `ask_clarification`: the run that asks ends as a success.

The question is the tool's message; an ordinary new run answers it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from threadline.agents.messages import assistant_message, is_human, kind_of, text_of
from threadline.agents.shapes import items, mapping, string
from threadline.core.json import Json, JsonObject

ASKS: Final = "ask_clarification"


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that is offered: `label` for people, `value` for the agent."""

    id: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question that waits, as the Gateway names it."""

    question: str
    request: str
    options: tuple[Option, ...] = ()

    def answered(self, text: str) -> JsonObject | None:
        """Write the answer as a choice where the text is one of the options, else None."""
        said = text.strip().casefold()
        for option in self.options:
            if said in {option.label.casefold(), option.value.casefold()}:
                return {
                    "version": 1,
                    "kind": "human_input_response",
                    "source": ASKS,
                    "request_id": self.request,
                    "response_kind": "option",
                    "option_id": option.id,
                    "value": option.value,
                }
        return None


def pending(messages: Sequence[Json]) -> Clarification | None:
    """Find the question that nothing came after, None where nothing is asked."""
    for message in reversed(messages):
        kind = kind_of(message)
        if kind.startswith("tool"):
            return _read(mapping(message))
        if is_human(message):
            return None
        said = assistant_message(message)
        if said is not None and (said.text or said.tools):
            return None
    return None


def _read(message: JsonObject) -> Clarification | None:
    if message.get("name") != ASKS:
        return None
    asked = mapping(mapping(message.get("artifact")).get("human_input"))
    question = text_of(message.get("content")) or string(asked.get("question"))
    request = string(asked.get("request_id")) or string(message.get("id"))
    options = (_option(mapping(option)) for option in items(asked.get("options")))
    return Clarification(question, request, tuple(one for one in options if one.label))


def _option(fields: JsonObject) -> Option:
    value = string(fields.get("value"))
    return Option(string(fields.get("id")), string(fields.get("label")) or value, value)
