import json
from pathlib import Path
from typing import Any

import pytest

from tests.aws.emulated import Emulated
from tests.aws.functions import running
from tests.events import EVENTS
from threadline.app.settings_items import store_settings
from threadline.core.ids import AgentName
from threadline.core.settings import AgentSettings, Settings

pytestmark = [pytest.mark.sam, pytest.mark.aws]

FUNCTIONS = ("connect", "deliver", "dispatch", "sweep", "watch")
CASES = sorted(path for name in FUNCTIONS for path in (EVENTS / name).glob("*.json"))
DEMO = AgentName("demo")
NAMESPACE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def test_every_function_has_events() -> None:
    """There is an event to try each function with; ingest has those of every platform."""
    assert {path.parent.name for path in CASES} == set(FUNCTIONS)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_built_function_answers_its_events(
    function: str, built: Path, emulated: Emulated, tmp_path: Path
) -> None:
    """From its folder and layers alone, with its own grants, it answers each of its events."""
    agents: dict[str, AgentSettings] = {
        DEMO: AgentSettings(name=DEMO, dialect="langgraph", url="http://127.0.0.1:9")
    }
    settings = Settings(version="1", namespace=NAMESPACE, agents=agents)
    store_settings(emulated.store, settings, emulated.now())
    emulated.secrets.put("agent/demo", {"callback": "the callback secret of agent/demo"})
    name = f"{function.title()}Function"
    with running(built, emulated, name, tmp_path / function) as booted:
        for path in CASES:
            if path.parent.name == function:
                answer = booted.invoke(json.loads(path.read_text(encoding="utf-8")), 60.0)
                assert is_success(answer), booted.output()
                assert "AccessDenied" not in booted.output()


def is_success(answer: Any) -> bool:
    """Tell whether a function did what the event asked for."""
    if "statusCode" in answer:
        return bool(answer["statusCode"] == 200)
    return answer in ({}, {"batchItemFailures": []})
