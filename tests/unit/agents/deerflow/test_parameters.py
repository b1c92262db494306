"""What a run is told: the agent's name, the limit, and the keys a Gateway honours."""

from dataclasses import replace

import pytest

from tests.unit.agents.deerflow.asking import ACCESS, OWNER, REQUEST
from threadline.agents.deerflow.caller import on_behalf
from threadline.agents.deerflow.parameters import Parameters, parameters
from threadline.core.errors import AgentRejected
from threadline.core.ids import OwnerId
from threadline.core.json import Json, JsonObject

USUAL = {"thinking_enabled": True, "is_plan_mode": False, "subagent_enabled": False}


def given(
    assistant: str = "lead_agent", config: JsonObject | None = None, **context: Json
) -> Parameters:
    """Give the parameters of a run."""
    request = replace(REQUEST, assistant=assistant, config=config or {}, context=context)
    return parameters(request, on_behalf(OWNER, ACCESS))


@pytest.mark.parametrize(
    ("assistant", "name"),
    [
        ("", None),
        ("lead_agent", None),
        (" lead_agent ", None),
        ("helper-bot", "helper-bot"),
        (" Helper_Bot ", "helper-bot"),
        ("R2D2", "r2d2"),
    ],
)
def test_an_assistant_is_the_lead_agent_under_a_name(assistant: str, name: str | None) -> None:
    """The name is lower case, with hyphens for underscores; the lead agent itself has none."""
    assert given(assistant).context.get("agent_name") == name


@pytest.mark.parametrize("assistant", ["bad/../name", "helper.bot", "帮手", "a b"])
def test_a_name_of_other_characters_is_told(assistant: str) -> None:
    """The Gateway would answer with a crash or a run that fails: it is refused before."""
    with pytest.raises(AgentRejected, match="letters, digits and hyphens"):
        given(assistant)


def test_a_configured_agent_name_wins() -> None:
    """What the context already names is not replaced by the assistant."""
    assert given("helper-bot", agent_name="Other_One").context["agent_name"] == "other-one"


@pytest.mark.parametrize("name", ["", "  ", 5, ["a"]])
def test_a_configured_agent_name_has_to_be_one(name: Json) -> None:
    """A name that is empty or no text is told as what it is."""
    with pytest.raises(AgentRejected, match="agent_name is empty"):
        given(agent_name=name)


def test_the_usual_can_be_changed() -> None:
    """Thinking is on, plans and subagents are off, unless the configuration says otherwise."""
    assert given().context == {**USUAL, "user_id": "alice"}
    assert given(is_plan_mode=True).context["is_plan_mode"] is True


def test_keys_that_nobody_honours_stay_out() -> None:
    """The chat's name, a thread id and colours are not a Gateway's business."""
    context = given(channel_name="slack", thread_id="t", color="red", channel_user_id="U1").context
    assert context == {**USUAL, "user_id": "alice", "channel_user_id": "U1"}


def test_the_owner_of_the_context_is_the_caller() -> None:
    """Whoever the configuration names, the run is for the owner that every call names."""
    request = replace(REQUEST, owner=OwnerId("a:b"), context={"user_id": "forged"})
    context = parameters(request, on_behalf(OwnerId("a:b"), ACCESS)).context
    assert str(context["user_id"]).startswith("a-b-")


def test_a_configurable_becomes_context() -> None:
    """Its keys are taken like those of the context, beneath them; the field itself is not sent."""
    config = {"configurable": {"mode": "fast", "model_name": "a", "checkpoint_id": "x"}}
    found = given(config=config, model_name="b")
    assert found.config == {"recursion_limit": 100}
    assert (found.context["mode"], found.context["model_name"]) == ("fast", "b")
    assert "checkpoint_id" not in found.context


@pytest.mark.parametrize("configurable", [5, "x", [1]])
def test_a_configurable_of_another_shape_is_told(configurable: Json) -> None:
    """The Gateway would crash over it."""
    with pytest.raises(AgentRejected, match="configurable"):
        given(config={"configurable": configurable})


def test_the_limit_is_100_unless_configured() -> None:
    """Steps are limited, and other settings go through."""
    assert given().config == {"recursion_limit": 100}
    assert given(config={"recursion_limit": 250, "tags": ["a"]}).config == {
        "recursion_limit": 250,
        "tags": ["a"],
    }
