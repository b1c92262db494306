import ast
import json
import logging
from collections.abc import Iterator

import pytest
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import (
    AmazonCloudWatchEMFProvider,
)

from tests.architecture.source import PACKAGE
from threadline.backends.aws import log
from threadline.backends.light.composing import log_lines
from threadline.backends.log_lines import JsonLines
from threadline.backends.metrics import METRICS, NAMESPACE, Fields, Metric, counted
from threadline.core.agent import RunStatus
from threadline.core.reasons import Reason
from threadline.core.records import PartState

NOW = 1_750_000_000.0


def counting(metric: Metric) -> Fields:
    """Return the fields of a line that a metric takes."""
    value = metric.values[0] if metric.values else "unknown_event"
    amount = {metric.amount: 2.5} if metric.amount else {}
    return {metric.field: value, "platform": "telegram", **amount}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_line_counts_as_powertools_would_write_it(metric: Metric) -> None:
    """The line has the metric, unit, dimension and value that powertools' own serializer writes."""
    line = counted(metric.event, counting(metric), "dev", NOW)
    provider = AmazonCloudWatchEMFProvider(namespace=NAMESPACE, dimension_set={}, metric_set={})
    provider.add_metric(metric.name, MetricUnit[metric.unit], 2.5 if metric.amount else 1)
    provider.add_dimension("stage", "dev")
    if metric.by_platform:
        provider.add_dimension("platform", "telegram")
    judged = provider.serialize_metric_set()
    (ours,) = line["_aws"]["CloudWatchMetrics"]  # type: ignore[index]
    (theirs,) = judged["_aws"]["CloudWatchMetrics"]
    assert ours["Dimensions"] == [[name for name in theirs["Dimensions"][0] if name != "service"]]
    assert {**ours, "Dimensions": None} == {**theirs, "Dimensions": None}
    assert [line[metric.name]] == judged[metric.name]  # type: ignore[literal-required]


def test_what_is_counted_is_logged() -> None:
    """Every event, field and value that a metric waits for is one that the code writes."""
    reasons = {*Reason, *PartState, *RunStatus}
    written = dict(calls())
    for metric in METRICS:
        fields = written[metric.event]
        assert {metric.field, metric.amount} - {""} <= fields, metric
        assert {*metric.values, *metric.but} <= reasons, metric


def test_a_conversation_tells_the_platform() -> None:
    """A line without a platform of its own counts for that of its conversation, or for none."""
    of = {"step": "run_created", "conversation": "github/default//1/2"}
    assert counted("step", of, "dev", NOW)["platform"] == "github"
    (directive,) = counted("step", {"step": "run_created"}, "dev", NOW)["_aws"]["CloudWatchMetrics"]  # type: ignore[index]
    assert directive["Dimensions"] == [["stage"]]


def test_ingest_and_the_others_count_alike(capsys: pytest.CaptureFixture[str]) -> None:
    """A line of ingest's own log and one of the other functions' differ in nothing but the time."""
    log_lines("dev")("delivery", reason="accepted", platform="telegram")
    light = json.loads(capsys.readouterr().out)
    record = logging.LogRecord("threadline", logging.INFO, "", 0, "delivery", None, None)
    record.values = {
        "reason": "accepted", "platform": "telegram",
        **counted("delivery", {"reason": "accepted", "platform": "telegram"}, "dev", NOW),
    }  # fmt: skip
    full = json.loads(JsonLines().format(record))
    assert light.keys() | {"time"} == full.keys()
    assert {light["_aws"].pop("Timestamp"), full["_aws"].pop("Timestamp")} >= {int(NOW * 1000)}
    assert light["_aws"] == full["_aws"]


def test_an_error_is_written_without_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    """What an exception says stays out of the log: it may quote a message."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    try:
        log.start_logging()
        try:
            int("the text of a message")
        except ValueError:
            logging.getLogger("threadline").exception("dispatch failed")
    finally:
        root.handlers[:], root.level = before
    line = json.loads(capsys.readouterr().out)
    assert (line["event"], line["error"]) == ("dispatch failed", "ValueError")
    assert "the text" not in json.dumps(line)


def calls() -> Iterator[tuple[str, set[str]]]:
    """Yield each event that is logged, with the union of the fields it is logged with."""
    found: dict[str, set[str]] = {}
    for path in (PACKAGE / "app").rglob("*.py"):
        module = ast.parse(path.read_bytes())
        keys = {
            node.slice.value
            for node in ast.walk(module)
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
            if isinstance(node.slice.value, str)
        }
        for node in ast.walk(module):
            match node:
                case ast.Call(ast.Attribute(attr="log"), [ast.Constant(str(event)), *_], words):
                    names = {word.arg for word in words if word.arg}
                    spread = any(word.arg is None for word in words)
                    found.setdefault(event, set()).update(names, keys if spread else ())
    yield from found.items()
