"""What the operator looks at: dashboard, alarms and queries name only what the code writes."""

import json
import re
from typing import Any

import pytest

from setup.template import Template, load, named, resources
from tests.aws.test_metrics import calls
from tests.peers import ROOT
from threadline.backends.metrics import METRICS, NAMESPACE
from threadline.core.reasons import Reason
from threadline.core.records import PartState

NAMES = {metric.name for metric in METRICS}
BY_PLATFORM = {metric.name for metric in METRICS if metric.by_platform}
RINGS = {
    "DeadLetters", "OldestMessage", "OldRunHints", "WebhooksFail", "WebhooksRefused",
    "SignatureFailures", "TurnsOverdue", "PostsFailed", "CredentialsRejected", "SocketsDeaf",
    "TaskGone",
}  # fmt: skip
TITLES = ("Why no answer", "One conversation", "Slowest turns")
QUERY = "AWS::Logs::QueryDefinition"


@pytest.fixture(scope="module")
def stack() -> Template:
    """Give the stack's template."""
    return load()


def test_the_dashboard_shows_what_is_counted(stack: Template) -> None:
    """Each metric of ours on the dashboard is one that is written, with those dimensions."""
    ((_, dashboard),) = resources(stack, "AWS::CloudWatch::Dashboard")
    shown = json.loads(dashboard["DashboardBody"]["Fn::Sub"])
    plain, searched = set(), set()
    for line in (line for one in shown["widgets"] for line in one["properties"]["metrics"]):
        if line[0] == NAMESPACE:
            assert line[2:] == ["stage", "${Stage}"]
            plain.add(line[1])
        elif isinstance(line[0], dict):
            found = re.search(
                r"\{Threadline,platform,stage\} MetricName=(\w+) stage=", line[0]["expression"]
            )
            assert found is not None
            searched.add(found[1])
    assert searched == BY_PLATFORM
    assert plain == NAMES - BY_PLATFORM


def test_runs_that_are_followed_ring_nothing(stack: Template) -> None:
    """A hint stays in its queue, hidden, while its run is followed, and then is no reason to ring.

    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
    """
    (alarm,) = (
        one
        for _, one in resources(stack, "AWS::CloudWatch::Alarm")
        if {"Name": "QueueName", "Value": {"Fn::GetAtt": "Runs.QueueName"}}
        in one.get("Dimensions", ())
    )
    assert alarm["MetricName"] == "ApproximateNumberOfMessagesVisible"
    assert alarm["Statistic"] == "Minimum"


def test_alarms_watch_what_is_counted(stack: Template) -> None:
    """Each alarm on a metric of ours is on one that is written, with its one dimension."""
    watched = {
        one["MetricName"]: one
        for _, one in resources(stack, "AWS::CloudWatch::Alarm")
        if one.get("Namespace") == NAMESPACE
    }
    assert watched.keys() <= NAMES - BY_PLATFORM
    assert len(watched) >= 4
    for alarm in watched.values():
        assert [one["Name"] for one in alarm["Dimensions"]] == ["stage"]


def test_every_alarm_may_have_a_topic(stack: Template) -> None:
    """All alarms go to the topic where there is one; only a task that is gone rings by silence."""
    for name, alarm in resources(stack, "AWS::CloudWatch::Alarm"):
        assert alarm["AlarmActions"]["Fn::If"][0] == "HasTopic", name
        silent = "breaching" if name == "TaskGoneAlarm" else "notBreaching"
        assert alarm["TreatMissingData"] == silent, name


def test_what_can_go_wrong_rings(stack: Template) -> None:
    """There is an alarm for each thing that an operator has to know, and the page tells of each."""
    there = {name.removesuffix("Alarm") for name, _ in resources(stack, "AWS::CloudWatch::Alarm")}
    page = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    table = page.split("| Alarm |")[1].split("\n\n")[0]
    assert there == RINGS == set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE))


def test_every_queue_that_is_worked_on_has_its_dead_letters_watched(stack: Template) -> None:
    """One alarm counts the dead letters of all queues."""
    alarm = dict(resources(stack, "AWS::CloudWatch::Alarm"))["DeadLettersAlarm"]
    watched = {
        str(one["MetricStat"]["Metric"]["Dimensions"][0]["Value"]["Fn::GetAtt"]).split(".")[0]
        for one in alarm["Metrics"]
        if "MetricStat" in one
    }
    dead = {name for name, _ in resources(stack, "AWS::SQS::Queue") if name.endswith("Dead")}
    assert watched == dead


def test_queries_name_what_is_logged(stack: Template) -> None:
    """Each field and event of a saved query is one that some log line has."""
    written = dict(calls())
    fields = {name for names in written.values() for name in names} | {
        "@timestamp", "event", "platform",
    }  # fmt: skip
    codes = {str(code) for code in (*Reason, *PartState)} | written.keys()
    for name, query in resources(stack, QUERY):
        text: Any = query["QueryString"]
        (shown,) = re.findall(r"^fields (.*)$", text, re.MULTILINE)
        named = set(re.findall(r"(\w+) (?:=|like|in|not in) ", text))
        assert {*re.split(r", ", shown), *named} <= fields, name
        quoted = {one for one in re.findall(r'"([^"]*)"', text) if "/" not in one}
        assert quoted <= codes, name
    titles = {query["Name"]["Fn::Sub"] for _, query in resources(stack, QUERY)}
    assert titles == {f"${{AWS::StackName}}/{title}" for title in TITLES}


def test_queries_read_every_log(stack: Template) -> None:
    """A saved query looks into the logs of all functions and of the task, where it is wanted."""
    logs = {name for name, _ in resources(stack, "AWS::Logs::LogGroup") if name != "ApiLogs"}
    for name, resource in stack["Resources"].items():
        if resource["Type"] == QUERY:
            groups = resource["Properties"]["LogGroupNames"]
            read = {named(one.get("Fn::If", [None, one])[1]) for one in groups}
            assert read == logs, name
            assert resource["Condition"] == "HasQueries", name
