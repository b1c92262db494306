"""Commands that a command tells a person to type."""

import pytest

from tests.architecture.source import PACKAGE
from threadline.cli.main import ON_A_STACK


@pytest.mark.parametrize("name", sorted(ON_A_STACK - {"setup"}))
def test_commands_of_a_stack_leave_no_stack_out(name: str) -> None:
    """What such a command tells to type is put together in one place; `explain` and `serve` aside.

    `setup` prints what is for this folder, and for a stack to be, beside each other.
    """
    text = (PACKAGE / "cli" / f"{name}.py").read_text(encoding="utf-8")
    told = text.replace("{as_typed()} explain", "").replace("{as_typed()} serve", "")
    assert "{as_typed()}" not in told
