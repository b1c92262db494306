"""A Gateway of DeerFlow's behind platforms other than the usual one."""

from tests.simulation.deerflow import GatewaySimulation
from tests.simulation.feishu import FeishuSimulation, FeishuStubs
from tests.simulation.slack import SlackSimulation, SlackStubs


class SlackOfDeerFlow(GatewaySimulation, SlackSimulation):
    """A workspace whose app has a Gateway for its agent."""

    __slots__ = ()

    def stubs(self) -> SlackStubs:
        """Give what stands outside."""
        made = GatewaySimulation.stubs(self)
        assert isinstance(made, SlackStubs)
        return made


class FeishuOfDeerFlow(GatewaySimulation, FeishuSimulation):
    """An organisation whose app has a Gateway for its agent."""

    __slots__ = ()

    def stubs(self) -> FeishuStubs:
        """Give what stands outside."""
        made = GatewaySimulation.stubs(self)
        assert isinstance(made, FeishuStubs)
        return made
