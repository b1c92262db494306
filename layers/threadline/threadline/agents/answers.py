"""What an agent's HTTP answer means, the same in every dialect."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from threadline.agents.shapes import Unreadable, decode, items, line, mapping, string
from threadline.core.errors import (
    AgentBusy,
    AgentError,
    AgentRejected,
    AgentUnavailable,
    AgentUnknown,
    ThreadMissing,
)
from threadline.core.http import HttpResponse, Lost
from threadline.core.json import Json

LONGEST_REASON: Final = 200

_MEANING: Final[Mapping[int, type[AgentError]]] = MappingProxyType(
    {
        404: ThreadMissing,
        408: AgentUnknown,
        409: AgentBusy,
        429: AgentUnavailable,
        503: AgentUnavailable,
    }
)
"""Any other 5xx is AgentUnknown: a gateway says 502 too when the agent died over the request."""


def content(label: str, answer: HttpResponse | Lost) -> Json:
    """Give the JSON of a success, None for an empty one. Raises AgentError for everything else."""
    if isinstance(answer, Lost):
        raise lost(label, answer)
    if not 200 <= answer.status < 300:
        raise refusal(label, answer)
    try:
        return decode(answer.body) if answer.body.strip() else None
    except Unreadable as error:
        raise AgentUnknown(f"{label}: answer {answer.status} is unreadable ({error})") from None


def lost(label: str, answer: Lost) -> AgentError:
    """Give the error for an answer that did not come."""
    if answer.why == "forbidden":
        return AgentRejected(f"{label}: the address is not admitted")
    if answer.sent:
        return AgentUnknown(f"{label}: {answer.why}")
    return AgentUnavailable(f"{label}: {answer.why}")


def refusal(label: str, answer: HttpResponse) -> AgentError:
    """Give the error for an answer that is no success, with the agent's own reason, cut short."""
    meaning = _MEANING.get(answer.status)
    if meaning is None:
        meaning = AgentUnknown if answer.status >= 500 else AgentRejected
    reason = _reason(answer.body)
    return meaning(f"{label}: {answer.status}" + (f" {reason}" if reason else ""))


def _reason(body: bytes) -> str:
    """`detail` is a sentence, an object with one, or a list of faults in the request."""
    try:
        detail = mapping(decode(body)).get("detail")
    except Unreadable:
        return ""
    for fault in items(detail):
        kind, place = mapping(fault).get("type"), items(mapping(fault).get("loc"))
        return line(f"{string(kind)} at {'.'.join(map(str, place))}", LONGEST_REASON)
    return line(string(detail) or string(mapping(detail).get("message")), LONGEST_REASON)
