"""Which agent thread belongs to an issue or pull request.

The namespace is fixed, so that another bridge which derives thread ids the same way meets ours.
"""

import uuid
from typing import Final

from threadline.core.ids import AgentName, ThreadId

_NAMESPACE: Final = uuid.UUID("a3f4b2c1-7e8d-4f6a-b9c0-1234567890ab")


def topic(number: str, agent: AgentName) -> str:
    """Name the conversation of one agent about one issue or pull request."""
    return f"{number}:{agent}"


def thread_id(repository: str, number: str, agent: AgentName) -> ThreadId:
    """Derive the thread from repository, number and agent, letter case as they are written."""
    return ThreadId(str(uuid.uuid5(_NAMESPACE, f"{repository}#{number}:{agent}")))
