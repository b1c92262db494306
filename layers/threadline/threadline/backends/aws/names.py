"""What a function's environment calls the resources of its stack."""

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

OUTPUTS: Final = MappingProxyType(
    {
        "ConversationsTable": "THREADLINE_CONVERSATIONS_TABLE",
        "DeliveriesTable": "THREADLINE_DELIVERIES_TABLE",
        "ConnectionsTable": "THREADLINE_CONNECTIONS_TABLE",
        "OutboxTable": "THREADLINE_OUTBOX_TABLE",
        "SettingsTable": "THREADLINE_SETTINGS_TABLE",
        "MailboxUrl": "THREADLINE_MAILBOX_QUEUE_URL",
        "RunsUrl": "THREADLINE_RUNS_QUEUE_URL",
        "TimersUrl": "THREADLINE_TIMERS_QUEUE_URL",
        "OutboxUrl": "THREADLINE_OUTBOX_QUEUE_URL",
        "DeadUrl": "THREADLINE_DEAD_QUEUE_URL",
        "BlobsBucket": "THREADLINE_BLOBS_BUCKET",
        "SecretsPrefix": "THREADLINE_SECRETS_PREFIX",
        "Stage": "THREADLINE_STAGE",
    }
)
"""What the outputs of a stack are called in the environment of its functions."""

PUBLIC_URL: Final = "PublicUrl"
