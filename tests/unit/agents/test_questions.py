"""What agents ask when they interrupt themselves."""

import pytest

from threadline.agents.questions import Asked, read_interrupts
from threadline.core.json import Json


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
