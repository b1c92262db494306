"""Which Gateway answers, and what it lets everybody run."""

import pytest

from tests.flows import Script
from tests.unit.agents.deerflow.asking import ACCESS, AGENT, PERSONAL, ok, refused
from threadline.core.agent import AgentAccess, Probes
from threadline.core.errors import AgentError, AgentRejected, AgentUnavailable
from threadline.core.http import HttpResponse, Lost
from threadline.core.json import Json

LEAD: Json = {"assistant_id": "lead_agent", "graph_id": "lead_agent"}
THEIRS: Json = {"assistant_id": "helper-bot", "graph_id": "lead_agent", "metadata": {}}
UNKNOWN = refused(401, {"code": "not_authenticated", "message": "Authentication required"})


def probed(*answers: HttpResponse | Lost, access: AgentAccess = ACCESS) -> str:
    """Ask which server it is; every answer must be asked for."""
    assert isinstance(AGENT, Probes)
    script = Script(answers)
    said = script.run(AGENT.probe(access))
    assert len(script.requests) == len(answers)
    assert not any("x-deerflow-owner-user-id" in call.headers for call in script.requests)
    assert not said.remedy
    return said.server


def test_an_older_server_has_no_personal_tokens() -> None:
    """The route that manages them is missing there."""
    assert "older" in probed(ok([LEAD]), refused(404, "Not Found"))


@pytest.mark.parametrize("status", [200, 401, 403, 405])
def test_a_newer_server_knows_the_route(status: int) -> None:
    """Whatever it answers to us, it is there."""
    assert "personal access tokens" in probed(ok([LEAD]), HttpResponse(status))
    assert "older" not in probed(ok([LEAD]), HttpResponse(status))


def test_a_personal_token_that_is_taken_says_it_all() -> None:
    """Only a newer server takes one."""
    assert "older" not in probed(ok([{"thread_id": "t"}]), access=PERSONAL)


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ((UNKNOWN,), AgentRejected),
        ((Lost("refused", sent=False),), AgentUnavailable),
        ((ok([LEAD]), Lost("refused", sent=False)), AgentUnavailable),
        ((ok([LEAD]), HttpResponse(502)), AgentUnavailable),
    ],
)
def test_without_a_good_token_nothing_is_known(
    answers: tuple[HttpResponse | Lost, ...], error: type[AgentError]
) -> None:
    """Every address answers 401 to a wrong token, so that is what is told."""
    with pytest.raises(error):
        probed(*answers)


def test_agents_that_people_made_are_not_everybodys() -> None:
    """They belong to their owners: another owner's run under such a name fails."""
    listed = Script([ok([LEAD, THEIRS])])
    assert listed.run(AGENT.assistants(ACCESS)) == ("lead_agent",)
    asked = Script([ok([])])
    assert asked.run(AGENT.assistants(PERSONAL)) == ("lead_agent",)
    assert asked.requests[0].url.endswith("/api/threads/search")


def test_an_address_without_the_lead_agent_offers_nothing() -> None:
    """Another server that answers the same question is not taken for a Gateway."""
    assert Script([ok([{"assistant_id": "u1"}])]).run(AGENT.assistants(ACCESS)) == ()
