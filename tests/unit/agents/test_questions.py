"""What agents ask when they interrupt themselves."""

import json

import pytest

from threadline.agents.questions import LONGEST, Asked, read_interrupts
from threadline.core.json import Json

BLOCKS: Json = [
    {"type": "reasoning", "reasoning": "unsaid", "index": 0},
    {"type": "text", "text": "Which ", "index": 1},
    {"type": "text", "text": "colour?", "index": 2},
]
"""What a model said, as its message keeps it."""


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("Which colour?", Asked("Which colour?")),
        (
            {"question": "Which?", "options": ["red", {"label": "Blue", "value": "b"}, {}, 3]},
            Asked("Which?", ("red", "Blue")),
        ),
        ({"message": "Go on?"}, Asked("Go on?")),
        (
            [{"action_request": {"action": "mail"}, "description": "Send this mail?"}],
            Asked("Send this mail?"),
        ),
        (
            {
                "action_requests": [{"name": "rm", "description": "Delete it?"}],
                "review_configs": [],
            },
            Asked("Delete it?"),
        ),
        ({"text_to_revise": "Grüße"}, Asked('{"text_to_revise": "Grüße"}')),
        (BLOCKS, Asked("Which colour?")),
        ({"question": BLOCKS, "options": ["red"]}, Asked("Which colour?", ("red",))),
        ({"description": [], "text": "Go on?"}, Asked("Go on?")),
        ({"type": "ai", "content": BLOCKS, "id": "m1"}, Asked("Which colour?")),
        (["A?", "B?"], Asked("A?\n\nB?")),
        ([{"type": "text", "question": "A?"}, "B?"], Asked("A?\n\nB?")),
        ("", Asked("")),
        (7, Asked("7")),
        (None, Asked("null")),
    ],
)
def test_an_interrupt_becomes_words(value: Json, asked: Asked) -> None:
    """Strings, objects with a question, reviews of tool calls and any other JSON can be shown."""
    assert read_interrupts([{"id": "i", "value": value}]) == asked


def test_several_interrupts_become_one_question() -> None:
    """Parallel questions stand one below the other, each once, without options."""
    interrupts: Json = [
        {"value": {"question": "A?", "options": ["x"]}},
        {"value": "B?"},
        {"value": "A?"},
    ]
    assert read_interrupts(interrupts) == Asked("A?\n\nB?")


@pytest.mark.parametrize("interrupts", [None, [], {}, "odd"])
def test_no_interrupt_is_no_question(interrupts: Json) -> None:
    """A thread that does not wait asks nothing."""
    assert read_interrupts(interrupts) is None


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"action_requests":[', "]}")])
@pytest.mark.parametrize("depth", [2, 5, 500, 2000])
def test_a_question_may_lie_however_deep(opened: str, closed: str, depth: int) -> None:
    """What lies deeper than any graph puts it is shown as it is, cut short."""
    value = json.loads(opened * depth + '"Go on?"' + closed * depth)
    asked = read_interrupts([{"value": value}])
    assert asked is not None
    assert "Go on?" in asked.question or len(asked.question) == LONGEST
