"""Which log lines count, and as what: a line in CloudWatch's embedded metric format is both.

One table for every function, ingest included, so that nothing is imported to count.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

NAMESPACE: Final = "Threadline"
STAGE: Final = "stage"
PLATFORM: Final = "platform"

type Fields = Mapping[str, str | float | bool]


@dataclass(frozen=True, slots=True)
class Metric:
    """Counts the lines of an event whose `field` has one of these values, or adds up a number.

    `values` empty takes every value but those of `but`. `amount` names the field whose number is
    taken; "" counts one. `by_platform`: a metric for each platform, which is billed as one each.
    """

    name: str
    event: str
    field: str = ""
    values: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    amount: str = ""
    unit: Literal["Count", "Seconds"] = "Count"
    by_platform: bool = False

    def takes(self, event: str, fields: Fields) -> bool:
        """Tell whether a line counts."""
        if event != self.event or (self.amount and self.amount not in fields):
            return False
        value = str(fields.get(self.field, ""))
        return value in self.values if self.values else value not in self.but


FAILED: Final = (
    "error", "timeout", "missing", "run_failed", "run_silent", "run_vanished", "time_limit",
)  # fmt: skip
"""Ends of a run that leave a person without an answer, or with half of one."""

NOT_OF_SOCKETS: Final = ("credentials_rejected", "unknown", "unreadable")
"""Alarms of what posts and sweeps; all others are what a socket wants somebody to be told."""

METRICS: Final = (
    Metric("Accepted", "delivery", "reason", ("accepted", "kept_aside"), by_platform=True),
    Metric(
        "Ignored", "delivery", "reason",
        but=("accepted", "handshake", "kept_aside", "not_kept", "signature_invalid"),
    ),
    Metric("SignatureFailures", "delivery", "reason", ("signature_invalid",)),
    Metric("NotKept", "delivery", "reason", ("not_kept",)),
    Metric("Duplicates", "step", "step", ("duplicate",)),
    Metric("QueueTime", "mail", amount="waited", unit="Seconds"),
    Metric("Retries", "mail", amount="again"),
    Metric("RunsStarted", "step", "step", ("run_created", "run_adopted"), by_platform=True),
    Metric("Busy", "step", "step", ("queued", "backlog_full", "busy_rejected")),
    Metric("TimeToFirstText", "step", "step", ("first_text",), amount="seconds", unit="Seconds"),
    Metric("TurnTime", "turn", amount="seconds", unit="Seconds", by_platform=True),
    Metric("TurnsFailed", "turn", "outcome", FAILED),
    Metric("TurnsGivenUp", "step", "step", ("agent_rejected", "gave_up")),
    Metric("Posts", "part", "state", ("sent",), by_platform=True),
    Metric("PostsFailed", "part", "state", ("failed", "unknown")),
    Metric("CredentialsRejected", "alarm", "reason", ("credentials_rejected",)),
    Metric("SocketsDeaf", "alarm", "reason", but=NOT_OF_SOCKETS),
    Metric("TurnsOverdue", "sweep", amount="wakes"),
    Metric("Poisoned", "dead_letter", "reason", ("poison",)),
)  # fmt: skip


def counted(event: str, fields: Fields, stage: str, now: float) -> Mapping[str, object]:
    """Give what makes a line count: its metrics' values, and `_aws` which says what they are.

    The stage is a dimension, so that two installations in one account do not mix.
    """
    metrics = [metric for metric in METRICS if metric.takes(event, fields)]
    if not metrics:
        return {}
    platform = _platform(fields)
    directives = [
        {
            "Namespace": NAMESPACE,
            "Dimensions": [[STAGE, PLATFORM] if metric.by_platform and platform else [STAGE]],
            "Metrics": [{"Name": metric.name, "Unit": metric.unit}],
        }
        for metric in metrics
    ]
    values = {metric.name: fields[metric.amount] if metric.amount else 1 for metric in metrics}
    named = {STAGE: stage, PLATFORM: platform} if platform else {STAGE: stage}
    return {
        **named, **values, "_aws": {"Timestamp": int(now * 1000), "CloudWatchMetrics": directives},
    }  # fmt: skip


def _platform(fields: Fields) -> str:
    """Name the platform of a line: its own field, or what one of its keys begins with."""
    keys = (fields.get(name) for name in (PLATFORM, "conversation", "mailbox"))
    return str(next((key for key in keys if key), "")).partition("/")[0]
