"""docs/costs.md as numbers: its tables, and what follows from its prices.

`.venv/bin/python -m tests.costs` prints what the page should say.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from long_running.following import LONG_POLL
from long_running.peers import BEAT_EVERY
from setup.template import Template, load, resources
from tests.peers import ROOT
from threadline.app.invocation import LOOK, LOOK_EVERY
from threadline.backends.aws import rows
from threadline.backends.aws.dynamodb import DUE_TABLES
from threadline.backends.metrics import METRICS

PAGE: Final = ROOT / "docs" / "costs.md"
HOURS: Final = 730
SECONDS: Final = HOURS * 3600
MINUTES: Final = HOURS * 60
MILLION: Final = 1_000_000
ALARM: Final = "AWS::CloudWatch::Alarm"
CALLS_A_MESSAGE: Final = 3
"""Requests that a message in a queue costs: sent, received, deleted."""

type Table = Mapping[str, str]


@dataclass(frozen=True)
class Page:
    """The numbers of the page's first two tables, which the others follow from."""

    prices: Mapping[str, float]
    turn: Mapping[str, float]

    def price(self, name: str) -> float:
        """Give a price."""
        return self.prices[name]

    def functions(self, seconds: float, times: float, memory: float) -> float:
        """Price function invocations: how long together, how often, with how many GB."""
        used = seconds * memory * self.price("Lambda, a GB-second on arm64")
        return used + times / MILLION * self.price("Lambda, a million requests")


def tables(text: str) -> Iterator[Table]:
    """Yield each table of a page as its rows' first cells and second cells."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        lines = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in block.split("\n")
        ]
        yield {line[0]: line[1] for line in lines[2:] if len(line) > 1}


def page(text: str) -> Page:
    """Read the prices, and what a turn takes."""
    prices, turn, *_ = tables(text)
    return Page(
        {name: float(value) for name, value in prices.items()},
        {name: float(value) for name, value in turn.items()},
    )


def results(read: Page, stack: Template) -> dict[str, float]:
    """Compute every number of the other tables."""
    return {**idle(read, stack), **turns(read, stack), **following(read, stack)}


def idle(read: Page, stack: Template) -> dict[str, float]:
    """Compute what a month without a message costs."""
    empty = read.turn["requests a second of pollers at an empty queue"] * SECONDS / MILLION
    fifo, standard = (
        read.price(f"SQS {kind}, a million requests") for kind in ("FIFO", "standard")
    )
    queues = len([name for name, _ in resources(stack, "AWS::SQS::Queue") if "Dead" not in name])
    watched = read.price("CloudWatch, a metric in an alarm a month")
    found = {
        "polling of empty queues": empty * (fifo + (queues - 1) * standard),
        "alarms": alarmed(stack) * watched,
        "the sweep, every minute": sweep(read, stack),
    }
    secret = read.price("Secrets Manager, a secret a month")
    return {
        **found,
        "each secret": secret,
        "**idle, with one app and one agent**": sum(found.values()) + 2 * secret,
    }


def sweep(read: Page, stack: Template) -> float:
    """Price a month of sweeping: its function, the index, the bucket's list, its log."""
    looks = MINUTES * len(DUE_TABLES) * rows.SHARDS * 0.5
    return (
        read.functions(
            MINUTES * read.turn["milliseconds of a sweep"] / 1000, MINUTES, memory(stack)
        )
        + looks / MILLION * read.price("DynamoDB, a million read units")
        + MINUTES / 1000 * read.price("S3, a thousand listings")
        + MINUTES / MILLION * read.price("CloudWatch Logs, a GB taken in")
    )


def turns(read: Page, stack: Template) -> dict[str, float]:
    """Compute what a million messages cost beside the following of their runs."""
    turn = read.turn
    seconds = (turn["milliseconds of ingest"] + turn["milliseconds of dispatch, together"]) * 1000
    found = {
        "the API": turn["requests to the API"] * read.price("HTTP API, a million requests"),
        "queues": CALLS_A_MESSAGE
        * (
            turn["messages through FIFO queues"] * read.price("SQS FIFO, a million requests")
            + turn["messages through standard queues"]
            * read.price("SQS standard, a million requests")
        )
        + turn["looks of watch for further runs"] * read.price("SQS standard, a million requests"),
        "tables": turn["write units"] * read.price("DynamoDB, a million write units")
        + turn["read units"] * read.price("DynamoDB, a million read units"),
        "functions": read.functions(seconds, turn["functions started"] * MILLION, memory(stack)),
        "logs": turn["KB of logs"] * read.price("CloudWatch Logs, a GB taken in"),
    }
    plain = len([metric for metric in METRICS if not metric.by_platform])
    metric = read.price("CloudWatch, a metric a month")
    return {
        **found,
        "**a million messages**": sum(found.values()),
        "metrics, a month": plain * metric,
        "metrics of each platform, a month": (len(METRICS) - plain) * metric,
    }


def following(read: Page, stack: Template) -> dict[str, float]:
    """Compute what following runs costs, by the function and by the task."""
    alone = read.functions(1000 * 60, 0, memory(stack))
    task = HOURS * (
        size(stack, "LongRunningCpu") / 1024 * read.price("Fargate, a vCPU-hour on arm64")
        + size(stack, "LongRunningMemory") / 1024 * read.price("Fargate, a GB-hour on arm64")
        + read.price("Public IPv4 address, an hour")
    )
    polling = SECONDS / LONG_POLL / MILLION * read.price("SQS standard, a million requests")
    looks = SECONDS / (LOOK_EVERY + LOOK) / MILLION
    beats = SECONDS / BEAT_EVERY / MILLION
    lives = beats * sum(
        read.price(f"DynamoDB, a million {unit} units") for unit in ("write", "read")
    )
    whole = task + polling + lives
    return {
        "function: a thousand minutes of runs, each followed alone": alone,
        "function: one invocation that always follows something, a month": read.functions(
            SECONDS, 0, memory(stack)
        ),
        "function: the looks for further runs of that one, a month": looks
        * read.price("SQS standard, a million requests"),
        "task: a month, with its address": task,
        "task: its polling, a month": polling,
        "task: its signs of life, a month": lives,
        "**the task is cheaper from so many thousand minutes a month on**": whole / alone,
        "which are so many minutes in each hour": whole / alone * 1000 / HOURS,
    }


def alarmed(stack: Template) -> int:
    """Count the metrics in alarms of a stack without the task: each is billed."""
    return sum(
        len([one for one in alarm.get("Metrics", [{"MetricStat": {}}]) if "MetricStat" in one])
        for name, alarm in resources(stack, ALARM)
        if "Condition" not in stack["Resources"][name]
    )


def memory(stack: Template) -> float:
    """Return the gigabytes of every function."""
    return float(stack["Globals"]["Function"]["MemorySize"]) / 1024


def size(stack: Template, parameter: str) -> int:
    """Return the default of a parameter that is a number."""
    return int(stack["Parameters"][parameter]["Default"])


def main(path: Path = PAGE) -> None:
    """Print what follows from the page's own prices."""
    for name, value in results(page(path.read_text(encoding="utf-8")), load()).items():
        print(f"| {name} | {value:.2f} |")  # noqa: T201 - what the command is for


if __name__ == "__main__":
    main()
