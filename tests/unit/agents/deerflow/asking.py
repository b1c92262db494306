"""What the tests of the dialect share: who calls, and answers as the Gateway gives them."""

import json

from threadline.agents.deerflow import DeerFlow
from threadline.core.agent import AgentAccess, Prompt, RunRequest
from threadline.core.http import HttpRequest, HttpResponse
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId
from threadline.core.json import Json

URL = "http://gateway.example:8001"
TOKEN = "internal-secret"
PAT = "dfp_secret"
ACCESS = AgentAccess(URL, {"internal_token": TOKEN})
PERSONAL = AgentAccess(URL, {"token": PAT})
AGENT = DeerFlow()
THREAD = ThreadId("0762017c-9c8e-4667-bda3-57f96752d282")
RUN = RunId("731a3f93-cf09-4c85-93ab-c008c7fa4510")
TURN = TurnId("1750000000000-abc")
OWNER = OwnerId("alice")
REQUEST = RunRequest(
    thread=THREAD,
    turn=TURN,
    owner=OWNER,
    prompt=Prompt("hello"),
    assistant="lead_agent",
    new_thread=False,
    origin={"provider": "slack", "chat_id": "C1", "topic_id": ""},
    labels={"conversation": "slack/c"},
)


def ok(body: Json) -> HttpResponse:
    """A success with this JSON."""
    return HttpResponse(200, {}, json.dumps(body).encode())


def refused(status: int, detail: Json) -> HttpResponse:
    """A refusal in one of the Gateway's shapes."""
    return HttpResponse(status, {}, json.dumps({"detail": detail}).encode())


def body_of(call: HttpRequest) -> dict[str, Json]:
    """Give the JSON that a request carries."""
    assert isinstance(call.body, bytes)
    sent = json.loads(call.body)
    assert isinstance(sent, dict)
    return sent
