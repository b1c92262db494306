"""Drivers of flows: what a flow yields is done, and what came of it is sent back."""

from collections.abc import Awaitable, Callable

from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost, Pause
from threadline.core.ports import Clock


def drive[T](
    flow: Flow[T], perform: Callable[[HttpRequest], HttpResponse | Lost], clock: Clock
) -> T:
    """Run a flow to its end in a blocking use case."""
    answer: HttpResponse | Lost | None = None
    while True:
        try:
            step = flow.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result
        answer = None
        if isinstance(step, Pause):
            clock.sleep(step.seconds)
        else:
            answer = perform(step)


async def adrive[T](
    flow: Flow[T], perform: Callable[[HttpRequest], Awaitable[HttpResponse | Lost]], clock: Clock
) -> T:
    """Run a flow to its end in an asyncio use case."""
    answer: HttpResponse | Lost | None = None
    while True:
        try:
            step = flow.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result
        answer = None
        if isinstance(step, Pause):
            await clock.pause(step.seconds)
        else:
            answer = await perform(step)
