"""The AWS emulator as a process of its own: one for all tests, ended with them."""

import atexit
import json
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import boto3

from setup.emulator import told, wait_until_ready
from tests.aws.shifted import SECONDS
from tests.peers import path_of

ROOT: Final = ("AKIAROOTOFTHEACCOUNT", "root")
ACCOUNT: Final = "000000000000"
ANYTHING: Final = {"Effect": "Allow", "Action": "*", "Resource": "*"}
REGION: Final = "eu-central-1"
SERVICES: Final = "dynamodb,sqs,s3,secretsmanager,sts,iam,ecr"
FOR_STACKS: Final = f"{SERVICES},apigatewayv2,cloudformation,cloudwatch,ec2,ecs,events,lambda,logs"


@dataclass(frozen=True)
class Ministack:
    """A running emulator; it checks the signatures of the user whose keys these are."""

    endpoint: str
    access_key: str
    secret_key: str
    clock: Path

    def set_ahead(self, seconds: float) -> None:
        """Let its clock run ahead of the machine's by so much."""
        with self.clock.open("r+b") as file:
            file.write(SECONDS.pack(seconds))


@cache
def running() -> Ministack:
    """Start the emulator where none runs yet."""
    endpoint, clock = start(SERVICES, auth=True)
    # The emulator takes its root's signatures unchecked, and a user's never.
    return Ministack(endpoint, *user(endpoint, "tests", [ANYTHING]), clock)


@cache
def for_stacks() -> Ministack:
    """Start another one that deploys stacks: it checks no rights, as it knows no TLS.

    Buckets that refuse plain HTTP, SAM's own among them, would refuse every call.
    """
    endpoint, clock = start(FOR_STACKS, auth=False)
    return Ministack(endpoint, *ROOT, clock)


def start(services: str, *, auth: bool) -> tuple[str, Path]:
    """Start an emulator and return its address, and the file that moves its clock."""
    folder = Path(tempfile.mkdtemp(prefix="threadline-aws-"))
    clock, said, port = folder / "clock", folder / "said.log", free_port()
    clock.write_bytes(SECONDS.pack(0.0))
    python = path_of("aws").parent / "python"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [python, "-P", Path(__file__).with_name("shifted.py"), clock],
            env={
                **told(port, folder),
                "SERVICES": services,
                "AUTH": "true" if auth else "false",
                # This one account, of which a user can be made.
                "AWS_ACCESS_KEY_ID": ROOT[0],
                "AWS_SECRET_ACCESS_KEY": ROOT[1],
                "MINISTACK_REGION": REGION,
            },
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
    atexit.register(stop, process)
    endpoint = f"http://127.0.0.1:{port}"
    wait_until_ready(endpoint, process, said)
    return endpoint, clock


def user(endpoint: str, name: str, statements: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Make a user who may do what the statements say, and return the keys."""
    policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
    session = boto3.Session(*ROOT, region_name=REGION)
    with closing(session.client("iam", endpoint_url=endpoint)) as iam:
        iam.create_user(UserName=name)
        iam.put_user_policy(UserName=name, PolicyName="only", PolicyDocument=policy)
        keys = iam.create_access_key(UserName=name)["AccessKey"]
    return keys["AccessKeyId"], keys["SecretAccessKey"]


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the emulator."""
    process.terminate()
    process.wait(10)


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
