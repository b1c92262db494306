"""The network as the use cases see it: flows that run, and streams."""

from threadline.agents.answers import lost, refusal
from threadline.backends.driving import adrive, drive
from threadline.backends.http_listening import StreamBroken, StreamRefused
from threadline.backends.outgoing_http import AsyncioTransport, BlockingTransport
from threadline.core.http import Flow, HttpRequest, Take
from threadline.core.ports import Clock


class Network:
    """Runs flows by both drivers. Blocking calls may come from any thread."""

    def __init__(
        self, blocking: BlockingTransport, asyncio: AsyncioTransport, clock: Clock
    ) -> None:
        self._blocking = blocking
        self._asyncio = asyncio
        self._clock = clock

    def run[T](self, flow: Flow[T]) -> T:
        """Drive a flow in a blocking use case."""
        return drive(flow, self._blocking.perform, self._clock)

    async def arun[T](self, flow: Flow[T]) -> T:
        """Drive a flow in an asyncio use case."""
        return await adrive(flow, self._asyncio.perform, self._clock)

    async def listen(self, request: HttpRequest, take: Take) -> None:
        """Listen to an agent's stream; one that breaks off raises AgentUnknown, as lost answers do.

        Raises AgentUnavailable, AgentUnknown, ThreadMissing and AgentRejected.
        """
        try:
            await self._asyncio.listen(request, take)
        except StreamRefused as refused:
            raise refusal(request.label, refused.answer) from None
        except StreamBroken as broken:
            raise lost(request.label, broken.lost) from None

    async def close(self) -> None:
        """Close the connections of the running loop, before it ends."""
        await self._asyncio.close()
