"""Which Gateway answers at an address: an older one, or one with personal access tokens."""

from dataclasses import dataclass

from threadline.agents.answers import content, lost
from threadline.agents.deerflow import requests
from threadline.agents.deerflow.caller import Caller
from threadline.agents.deerflow.parameters import LEAD_AGENT
from threadline.agents.shapes import items, mapping, string
from threadline.core.errors import AgentUnavailable
from threadline.core.http import Flow, Lost, ask


@dataclass(frozen=True, slots=True)
class Server:
    """What a Gateway can do, as far as it shows."""

    personal_tokens: bool

    def __str__(self) -> str:
        if self.personal_tokens:
            return "a DeerFlow Gateway that knows personal access tokens"
        return "an older DeerFlow Gateway, without personal access tokens"


def probe(caller: Caller) -> Flow[Server]:
    """Tell which server it is, once it took our token. Raises AgentError.

    Without a good token every address of it answers 401, whether it is there or not.
    """
    yield from assistants(caller)
    if caller.personal:
        return Server(personal_tokens=True)
    call = requests.personal_tokens(caller)
    answer = yield from ask(call)
    if isinstance(answer, Lost):
        raise lost(call.label, answer)
    if answer.status >= 500:
        raise AgentUnavailable(f"{call.label}: {answer.status}")
    return Server(personal_tokens=answer.status != 404)


def assistants(caller: Caller) -> Flow[tuple[str, ...]]:
    """List what everybody may run: agents people made belong to their owners and are not listed.

    A personal access token may not ask; that it is taken is found out with another question.
    """
    call = requests.search_threads(caller) if caller.personal else requests.list_assistants(caller)
    listed = items(content(call.label, (yield from ask(call))))
    if caller.personal:
        return (LEAD_AGENT,)
    names = (string(mapping(one).get("assistant_id")) for one in listed)
    return tuple(name for name in dict.fromkeys(names) if name == LEAD_AGENT)
