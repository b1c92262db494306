"""What must hold of the stack and cfn-lint does not see: each rule yields what breaks it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from setup.template import FUNCTION, QUEUE, Template, named, resources, several, statements
from tests.peers import ROOT

DEFAULT_TIMEOUT: Final = 3
DEFAULT_VISIBILITY: Final = 30
FIFO_BATCH: Final = 10
LEAST_CONCURRENCY: Final = 2

type Rule = Callable[[Template], Iterator[str]]


def batches_fit(template: Template) -> Iterator[str]:
    """A FIFO source takes ten messages at most and no batching window.

    https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
    """
    for function, source, queue in sources(template):
        if queue.get("FifoQueue"):
            if source.get("BatchSize", FIFO_BATCH) > FIFO_BATCH:
                yield f"{function}: a batch of more than {FIFO_BATCH}"
            if "MaximumBatchingWindowInSeconds" in source:
                yield f"{function}: a batching window on a FIFO queue"


def partial_failures_are_reported(template: Template) -> Iterator[str]:
    """One failed message does not bring back its whole batch."""
    for function, source, _ in sources(template):
        if "ReportBatchItemFailures" not in source.get("FunctionResponseTypes", []):
            yield f"{function}: no partial failures"


def concurrency_is_possible(template: Template) -> Iterator[str]:
    """The concurrency of each source has a bound, and one that Lambda takes."""
    for function, source, _ in sources(template):
        most = source.get("ScalingConfig", {}).get("MaximumConcurrency", 0)
        if isinstance(most, int) and most < LEAST_CONCURRENCY:
            yield f"{function}: no bound, or a concurrency below {LEAST_CONCURRENCY}"


def messages_stay_hidden(template: Template) -> Iterator[str]:
    """A message is hidden for at least as long as the function that has it may run."""
    for function, _, queue in sources(template):
        timeout = dict(resources(template, FUNCTION))[function].get("Timeout", DEFAULT_TIMEOUT)
        if queue.get("VisibilityTimeout", DEFAULT_VISIBILITY) < timeout:
            yield f"{function}: messages come again while it still runs"


def loops_are_allowed(template: Template) -> Iterator[str]:
    """A function that takes from a queue and sends to one is not stopped after sixteen hops.

    https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
    """
    for function, properties in resources(template, FUNCTION):
        sends = "sqs:SendMessage" in granted(properties)
        takes = any(name == function for name, _, _ in sources(template))
        if sends and takes and properties.get("RecursiveLoop") != "Allow":
            yield f"{function}: stopped as a loop"


def fifo_queues_are_fast(template: Template) -> Iterator[str]:
    """A FIFO queue knows messages by group, and dead letters of one go to another."""
    queues = dict(resources(template, QUEUE))
    for name, queue in queues.items():
        if queue.get("FifoQueue"):
            if queue.get("DeduplicationScope") != "messageGroup":
                yield f"{name}: one group's ids hide another's"
            if queue.get("FifoThroughputLimit") != "perMessageGroupId":
                yield f"{name}: 300 calls a second for all groups together"
            if queue.get("ContentBasedDeduplication"):
                yield f"{name}: equal messages would be lost"
        redrive = queue.get("RedrivePolicy", {}).get("deadLetterTargetArn")
        dead = queues.get(named(redrive))
        if dead is not None and bool(dead.get("FifoQueue")) != bool(queue.get("FifoQueue")):
            yield f"{name}: its dead letters want a queue of its own kind"


def handlers_are_there(template: Template) -> Iterator[str]:
    """Every function is built by a recipe of functions/Makefile from a handler that exists."""
    recipes = (ROOT / "functions" / "Makefile").read_text(encoding="utf-8")
    for name, _ in resources(template, FUNCTION):
        folder = name.removesuffix("Function").lower()
        if f"\nbuild-{name}:\n\t$(call HANDLER,{folder})" not in recipes:
            yield f"{name}: no recipe"
        if not (ROOT / "functions" / folder / "handler.py").exists():
            yield f"{name}: no handler"


def logs_end(template: Template) -> Iterator[str]:
    """Every function writes JSON to a log group of the stack, which forgets after a while."""
    groups = dict(resources(template, "AWS::Logs::LogGroup"))
    for name, properties in resources(template, FUNCTION):
        config = properties.get("LoggingConfig", {})
        if config.get("LogFormat") != "JSON":
            yield f"{name}: logs that are not JSON"
        if "RetentionInDays" not in groups.get(named(config.get("LogGroup")), {}):
            yield f"{name}: logs that are kept for ever"


def grants_are_narrow(template: Template) -> Iterator[str]:
    """No function may do everything, or anything to everything."""
    for name, properties in resources(template, FUNCTION):
        for statement in statements(properties):
            wide = [one for one in several(statement["Action"]) if "*" in one]
            if wide or "*" in several(statement["Resource"]):
                yield f"{name}: a grant without bounds"


RULES: Final[tuple[Rule, ...]] = (
    batches_fit,
    partial_failures_are_reported,
    concurrency_is_possible,
    messages_stay_hidden,
    loops_are_allowed,
    fifo_queues_are_fast,
    handlers_are_there,
    logs_end,
    grants_are_narrow,
)


def sources(template: Template) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Yield each function that a queue feeds, how, and the queue."""
    queues = dict(resources(template, QUEUE))
    for function, properties in resources(template, FUNCTION):
        for event in properties.get("Events", {}).values():
            if event["Type"] == "SQS":
                queue = named(event["Properties"]["Queue"])
                yield function, event["Properties"], queues[queue]


def granted(function: Mapping[str, Any]) -> set[str]:
    """Return the actions that a function is allowed."""
    return {
        action
        for statement in statements(function)
        if statement["Effect"] == "Allow"
        for action in several(statement["Action"])
    }
