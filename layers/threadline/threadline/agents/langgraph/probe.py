"""Which LangGraph Server answers at an address, and whether it can tell a run's text as events.

https://docs.langchain.com/langsmith/agent-server-api/system/server-information
"""

import re
from typing import Final

from threadline.agents.answers import content
from threadline.agents.langgraph import requests
from threadline.agents.shapes import line, mapping, string
from threadline.core.agent import AgentAccess, Met
from threadline.core.errors import AgentError
from threadline.core.http import Flow, ask
from threadline.core.json import JsonObject

LONGEST_VERSION: Final = 40
NEEDED: Final = (("version", (0, 10)), ("langgraph_py_version", (1, 2)))
"""What event streaming wants of the server and of the library in it.

https://docs.langchain.com/langsmith/event-streaming
"""
_NUMBERS: Final = re.compile(r"(\d{1,6})\.(\d{1,6})")


def probe(access: AgentAccess) -> Flow[Met]:
    """Tell which server it is; one that does not say so, whatever it answers, stays nameless."""
    call = requests.read_version(access)
    try:
        told = mapping(content(call.label, (yield from ask(call))))
    except AgentError:
        return Met("")
    version = line(string(told.get("version")), LONGEST_VERSION)
    server = f"a LangGraph Server {version}" if version else ""
    if not access.event_streaming or all(_reaches(told, *wanted) for wanted in NEEDED):
        return Met(server)
    return Met(server, "take event_streaming out of its configuration: it wants a newer server")


def _reaches(told: JsonObject, name: str, least: tuple[int, int]) -> bool:
    """Tell whether a version is new enough; one that is not told or not read may be."""
    found = _NUMBERS.match(string(told.get(name)))
    return found is None or (int(found[1]), int(found[2])) >= least
