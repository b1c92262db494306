"""Event source mappings: what Lambda does between the emulated queues and the built functions."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from setup.template import load, resolved
from tests.aws.emulated import Emulated
from tests.aws.functions import QUEUES, running
from tests.aws.runtime_api import Function as Booted
from tests.aws.template_rules import sources
from threadline.local.function import Function
from threadline.local.worker import Source, Worker

INVOKED_WITHIN = 120.0


@contextmanager
def deployed(
    built: Path, emulated: Emulated, folder: Path, **conditions: str
) -> Iterator[dict[str, Booted]]:
    """Run every built function, each fed by its queue as the template maps it, one batch a time."""
    mapped = {
        name: (source, queue)
        for name, source, queue in sources(load())
        if resolved(source.get("Enabled", True), conditions)
    }
    functions: dict[str, Booted] = {}
    workers: list[Worker] = []
    with ExitStack() as opened:
        for name in ("IngestFunction", *mapped):
            booted = running(built, emulated, name, folder / name)
            functions[name] = opened.enter_context(booted)
        for name, (source, queue) in mapped.items():
            workers.append(worker(emulated, functions[name], source, queue))
        opened.callback(stopped, workers)
        for one in workers:
            one.start()
        yield functions


def worker(emulated: Emulated, booted: Booted, source: Any, queue: Any) -> Worker:
    """Feed a function from a queue."""
    name = source["Queue"]["Fn::GetAtt"].removesuffix(".Arn")
    one_at_a_time = threading.Lock()
    numbers = itertools.count()

    def handler(event: dict[str, Any], _context: Any) -> Any:
        with one_at_a_time:
            return booted.invoke(event, INVOKED_WITHIN)

    function = Function(name, handler, INVOKED_WITHIN, emulated.clock, lambda: str(next(numbers)))
    return Worker(
        Source(
            name=name, queue=emulated.queue(QUEUES[name]), fifo=bool(queue.get("FifoQueue")),
            function=function, batch=source["BatchSize"], parallel=1,
            visibility=float(queue["VisibilityTimeout"]),
        )
    )  # fmt: skip


def stopped(workers: list[Worker]) -> None:
    """Stop all of them, then wait for what they have in hand."""
    for one in workers:
        one.stop()
    for one in workers:
        one.join()
