"""The stack on the emulator by `sam deploy`, and what the emulator lacks, worked round by name."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import boto3

from setup.template import load
from tests.aws import ministack
from tests.aws.artifact import ARCHITECTURE
from tests.peers import ROOT, path_of

STACK: Final = "threadline-dev"

UNKNOWN: Final = ("DeadLettersAlarm", "WebhooksFailAlarm", "WebhooksRefusedAlarm")
"""Alarms on several metrics at once, which the emulator refuses."""

PARAMETERS: Final = {
    "Stage": "dev",
    "Architecture": ARCHITECTURE,
    "Telegram": "yes",
    "Agent": "default",
    # The emulator knows no saved queries.
    "SavedQueries": "no",
}


@dataclass(frozen=True)
class Emulator:
    """The emulator as an account of AWS."""

    endpoint: str

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a program that should work in this account and in no other."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": ministack.ROOT[0],
            "AWS_SECRET_ACCESS_KEY": ministack.ROOT[1],
            "AWS_DEFAULT_REGION": ministack.REGION,
            "AWS_REGION": ministack.REGION,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        }

    def client(self, service: str) -> Any:
        """Make a client."""
        session = boto3.Session(*ministack.ROOT, region_name=ministack.REGION)
        return session.client(service, endpoint_url=self.endpoint)


def deploy(emulator: Emulator, built: Path, **more: str) -> str:
    """Deploy what was built, as `sam deploy` does by samconfig.toml, and return what it said.

    `more` are parameters beside those of every deployment; "" is written as SAM wants it.
    """
    template = built / "adapted.json"
    template.write_text(json.dumps(adapted(built / "template.yaml")))
    done = subprocess.run(
        [
            path_of("sam"), "deploy", f"--config-file={ROOT / 'samconfig.toml'}",
            f"--template-file={template}", "--no-progressbar", "--parameter-overrides",
            *(f'{name}={value or '""'}' for name, value in {**PARAMETERS, **more}.items()),
        ],
        cwd=built,
        env={**os.environ, **emulator.environ, "SAM_CLI_TELEMETRY": "0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"sam deploy failed:\n{done.stdout}")
    return done.stdout


def adapted(built: Path) -> Mapping[str, Any]:
    """Return a built template without what the emulator does not know.

    A number that is a parameter stays text there, and its queues are then not read: it is put in.
    """
    template = dict(load(built))
    numbers = {
        name: one["Default"]
        for name, one in template["Parameters"].items()
        if one["Type"] == "Number"
    }
    known = {name: one for name, one in template["Resources"].items() if name not in UNKNOWN}
    return {**template, "Resources": _filled(known, numbers)}


def _filled(value: Any, numbers: Mapping[str, int]) -> Any:
    match value:
        case {"Ref": str(name)} if name in numbers:
            return numbers[name]
        case Mapping():
            return {name: _filled(one, numbers) for name, one in value.items()}
        case list():
            return [_filled(one, numbers) for one in value]
        case _:
            return value


def route(emulator: Emulator, url: str) -> tuple[str, str]:
    """Make the API's routes, which the emulator does not read; return its host and address."""
    api = url.removeprefix("https://").partition(".")[0]
    gateway, functions = emulator.client("apigatewayv2"), emulator.client("lambda")
    (name,) = (
        one["FunctionName"]
        for one in functions.list_functions()["Functions"]
        if "IngestFunction" in one["FunctionName"]
    )
    arn = functions.get_function(FunctionName=name)["Configuration"]["FunctionArn"]
    integration = gateway.create_integration(
        ApiId=api, IntegrationType="AWS_PROXY", IntegrationUri=arn, PayloadFormatVersion="2.0"
    )
    target = f"integrations/{integration['IntegrationId']}"
    for path in ("/webhooks/{platform}", "/webhooks/{platform}/{app}"):
        gateway.create_route(ApiId=api, RouteKey=f"POST {path}", Target=target)
    port = emulator.endpoint.rpartition(":")[2]
    return f"{api}.execute-api.localhost:{port}", emulator.endpoint


def sweep(emulator: Emulator) -> None:
    """Invoke the sweep, as a schedule would every minute: the emulator runs none."""
    functions = emulator.client("lambda")
    (name,) = (
        one["FunctionName"]
        for one in functions.list_functions()["Functions"]
        if "SweepFunction" in one["FunctionName"]
    )
    functions.invoke(FunctionName=name, Payload=b"{}")


def written(emulator: Emulator) -> str:
    """Give everything that the functions wrote, by log group."""
    logs = emulator.client("logs")
    groups = [one["logGroupName"] for one in logs.describe_log_groups()["logGroups"]]
    return "\n".join(
        f"{group}: {event['message']}"
        for group in groups
        for event in logs.filter_log_events(logGroupName=group)["events"]
    )
