"""The guide to agents, held against the code."""

import re
from pathlib import Path
from typing import get_args

import pytest

from tests.unit.configure.compiling import compiled
from threadline.agents.deerflow import parameters
from threadline.app.configure.kinds import AGENT_SECRETS, Dialect

GUIDE = (Path(__file__).parents[4] / "docs/agents.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL))
def test_every_example_compiles(text: str) -> None:
    """What the guide shows can be used as it stands."""
    assert compiled(text).settings.agents


def test_the_guide_names_what_may_be_written() -> None:
    """Each dialect, each secret of an agent but the callback's, each key a run may be told."""
    secrets = [one.name for one in AGENT_SECRETS if not one.made]
    told = parameters.HONOURED - {"github_token"} | {"non_interactive"}
    for word in [*get_args(Dialect), *secrets, *told]:
        assert f"`{word}`" in GUIDE
