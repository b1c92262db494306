"""What a function's environment calls the resources of its stack."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

STAGE: Final = "THREADLINE_STAGE"
BLOBS: Final = "THREADLINE_BLOBS_BUCKET"
SECRETS: Final = "THREADLINE_SECRETS_PREFIX"
TABLES: Final = MappingProxyType(
    {
        "conversations": "THREADLINE_CONVERSATIONS_TABLE",
        "deliveries": "THREADLINE_DELIVERIES_TABLE",
        "connections": "THREADLINE_CONNECTIONS_TABLE",
        "outbox": "THREADLINE_OUTBOX_TABLE",
        "settings": "THREADLINE_SETTINGS_TABLE",
    }
)
QUEUES: Final = MappingProxyType(
    {
        "mailbox": "THREADLINE_MAILBOX_QUEUE_URL",
        "runs": "THREADLINE_RUNS_QUEUE_URL",
        "timers": "THREADLINE_TIMERS_QUEUE_URL",
        "outbox": "THREADLINE_OUTBOX_QUEUE_URL",
        "dead": "THREADLINE_DEAD_QUEUE_URL",
    }
)


def missing(environ: Mapping[str, str]) -> tuple[str, ...]:
    """List what an environment does not name, in order."""
    wanted = (STAGE, BLOBS, SECRETS, *TABLES.values(), *QUEUES.values())
    return tuple(name for name in wanted if not environ.get(name))
