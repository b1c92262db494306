"""The whole path in virtual time with a Gateway of DeerFlow's as the agent."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from typing import Any, ClassVar, cast
from urllib.parse import urlsplit

from tests.simulation.network import Stubs
from tests.simulation.world import Simulation
from tests.stubs.deerflow import DeerFlowStub
from tests.stubs.deerflow_http import written
from tests.stubs.deerflow_rules import PERSONAL, TOKEN, Refused
from threadline import wiring
from threadline.app.world import World
from threadline.backends.http_exchange import outgoing
from threadline.backends.http_listening import StreamRefused
from threadline.core.http import HttpRequest, HttpResponse, Lost
from threadline.core.ports import Blobs
from threadline.core.settings import Settings


class GatewayAgent(DeerFlowStub):
    """The stub behind the simulation's network, in place of the other server's stand-in."""

    __slots__ = ()

    def respond(self, request: HttpRequest, blobs: Blobs) -> HttpResponse | Lost:
        """Answer a request as the network brings it."""
        if self.down:
            return Lost("refused", sent=False)
        body = b"".join(outgoing(request, blobs))
        answer = self.answer(request.method, _target(request), request.headers, body)
        told, kind = written(answer)
        if request.save_to is not None and len(told) > request.save_to.limit:
            return Lost("too_large", sent=True)
        if request.save_to is not None and answer.status == 200:
            return HttpResponse(200, {}, saved=blobs.put(request.save_to.name, told))
        return HttpResponse(answer.status, {"content-type": kind, **answer.headers}, told)

    async def follow(
        self, request: HttpRequest, pause: Callable[[float], Any]
    ) -> AsyncGenerator[bytes]:
        """Open a stream as the network does; a reader that leaves is noticed."""
        try:
            chunks = self.replay(_target(request), request.headers).chunks()
        except Refused as refused:
            told, _ = written(refused.answer)
            raise StreamRefused(HttpResponse(refused.answer.status, {}, told)) from None
        try:
            for step in chunks:
                if isinstance(step, bytes):
                    yield step
                else:
                    await pause(min(max(step - self.clock(), 0.01), 0.5))
        finally:
            chunks.close()


class GatewaySimulation(Simulation):
    """One installation whose agent is a Gateway; `newer` and the token that is used are fixed."""

    __slots__ = ()
    newer: ClassVar[bool] = False
    personal: ClassVar[bool] = False

    @property
    def gateway(self) -> GatewayAgent:
        """The Gateway itself."""
        stub: Any = self.agent
        assert isinstance(stub, GatewayAgent)
        return stub

    def stubs(self) -> Stubs:
        """Give what stands outside: the Gateway in place of the other server's stand-in."""
        stub: Any = self.agent
        if not isinstance(stub, GatewayAgent):
            self.agent = cast("Any", GatewayAgent(self.clock.now, newer=self.newer))
            key = {"token": PERSONAL} if self.personal else {"internal_token": TOKEN}
            for name in ("demo", "new"):
                self.ports.ports.secrets.put(f"agent/{name}", key)
        return super().stubs()

    def _world(self, stubs: Stubs, ports: wiring.Ports) -> World:
        """Let every process speak with a Gateway, whatever its settings say."""
        world = super()._world(stubs, ports)
        return replace(world, settings=lambda: speaking_deerflow(self.settings))


class NewerSimulation(GatewaySimulation):
    """The same with what the newer document tells."""

    __slots__ = ()
    newer = True


class PersonalSimulation(NewerSimulation):
    """The same with a personal access token."""

    __slots__ = ()
    personal = True


def speaking_deerflow(settings: Settings) -> Settings:
    """Turn every agent of the settings into the lead agent of a Gateway."""
    agents = {
        name: replace(agent, dialect="deerflow", assistant="lead_agent")
        for name, agent in settings.agents.items()
    }
    return replace(settings, agents=agents)


def _target(request: HttpRequest) -> str:
    parts = urlsplit(request.url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
