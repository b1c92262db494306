"""Making a thread, and other calls that lead to no run whatever becomes of them."""

import re
from typing import Final

from threadline.agents.answers import content
from threadline.agents.deerflow import requests
from threadline.agents.deerflow.caller import Caller
from threadline.core.agent import RunRequest
from threadline.core.errors import AgentRejected, AgentUnavailable, AgentUnknown, ThreadMissing
from threadline.core.http import Flow, HttpRequest, ask
from threadline.core.ids import ThreadId
from threadline.core.json import Json

_THREAD: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_id(thread: ThreadId) -> None:
    """Refuse what the Gateway takes for no thread. Raises AgentRejected."""
    if not _THREAD.fullmatch(thread):
        raise AgentRejected("a thread id of other characters than the Gateway takes")


def create_thread(request: RunRequest, caller: Caller) -> Flow[None]:
    """Create the thread of a request, or find it there. Raises AgentError."""
    try:
        yield from without_run(requests.create_thread(request, caller))
    except ThreadMissing as missing:
        raise AgentRejected(f"{missing}: is there a Gateway at this address?") from None


def without_run(call: HttpRequest) -> Flow[Json]:
    """Make a call that creates no run: where its answer is lost it may simply be made again.

    Raises AgentError, never AgentUnknown.
    """
    answer = yield from ask(call)
    try:
        return content(call.label, answer)
    except AgentUnknown as unknown:
        raise AgentUnavailable(str(unknown)) from None
