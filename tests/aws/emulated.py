"""The AWS backends as the contract suite wants them: on moto in this process, and on ministack."""

import asyncio
import atexit
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

import boto3
import moto
import moto.sqs.models
import pytest
from mypy_boto3_dynamodb.client import DynamoDBClient
from mypy_boto3_s3.client import S3Client
from mypy_boto3_secretsmanager.client import SecretsManagerClient
from mypy_boto3_sqs.client import SQSClient

from tests.aws import ministack, tables
from threadline.backends.aws.clients import Clients
from threadline.backends.aws.dynamodb import DynamoItems
from threadline.backends.aws.patience import Patience
from threadline.backends.aws.s3 import S3Blobs
from threadline.backends.aws.scanning import DynamoScans
from threadline.backends.aws.secretsmanager import SecretsManagerSecrets
from threadline.backends.aws.sqs import SqsQueue
from threadline.core.errors import StoreUnavailable

_OPENED: Final = count()


class ShiftedClock:
    """The machine's time plus what was advanced, which the emulator is told as well."""

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._ahead = 0.0
        self._tell = tell
        tell(0.0)

    def now(self) -> float:
        return time.time() + self._ahead

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def advance(self, seconds: float) -> None:
        """Let time pass here and in the emulator."""
        self._ahead += seconds
        self._tell(self._ahead)


class Opened:
    """The clients of one session, each made once, and closed together."""

    def __init__(self, session: boto3.Session, endpoint: str | None = None) -> None:
        self.session = session
        self.endpoint = endpoint
        self._makes = Clients(session, endpoint)

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        return self._makes.dynamodb()

    @cached_property
    def sqs(self) -> SQSClient:
        return self._makes.sqs()

    @cached_property
    def s3(self) -> S3Client:
        return self._makes.s3()

    @cached_property
    def secretsmanager(self) -> SecretsManagerClient:
        return self._makes.secretsmanager()

    def close(self) -> None:
        """Close those that were made."""
        for name in ("dynamodb", "sqs", "s3", "secretsmanager"):
            if name in self.__dict__:
                getattr(self, name).close()


@dataclass(frozen=True)
class Emulated:
    """The ports on an emulator, each made when first asked for under names of its own."""

    clients: Opened
    clock: ShiftedClock
    name: str
    made: set[str] = field(default_factory=set)
    rng: Random | None = None

    @cached_property
    def patience(self) -> Patience:
        return Patience(self.clock, self.rng or Random(self.name))

    @cached_property
    def store(self) -> DynamoItems:
        return DynamoItems(self.clients.dynamodb, self.tables, self.patience)

    @cached_property
    def scans(self) -> DynamoScans:
        return DynamoScans(self.clients.dynamodb, self.tables, self.patience)

    @cached_property
    def tables(self) -> Mapping[str, str]:
        names = {table: f"{self.name}-{table}" for table in tables.TABLES}
        if self.is_new("tables"):
            for table, physical in names.items():
                tables.create_table(self.clients.dynamodb, table, physical)
        return names

    @cached_property
    def fifo(self) -> SqsQueue:
        return self.queue("mailbox.fifo")

    @cached_property
    def standard(self) -> SqsQueue:
        return self.queue("timers")

    @cached_property
    def blobs(self) -> S3Blobs:
        client = self.clients.s3
        if self.is_new("bucket"):
            client.create_bucket(
                Bucket=self.name,
                CreateBucketConfiguration={"LocationConstraint": "eu-central-1"},
            )
        return S3Blobs(client, self.name, self.patience)

    @cached_property
    def secrets(self) -> SecretsManagerSecrets:
        client = self.clients.secretsmanager
        return SecretsManagerSecrets(client, f"threadline/{self.name}/", self.patience)

    def queue(self, short: str) -> SqsQueue:
        """Open a queue, making it where it is not there."""
        return SqsQueue(self.clients.sqs, self.url_of(short), self.patience)

    def url_of(self, short: str) -> str:
        """Return a queue's address, making it where it is not there."""
        name = f"{self.name}-{short}"
        if self.is_new(name):
            return tables.create_queue(self.clients.sqs, name)
        return self.clients.sqs.get_queue_url(QueueName=name)["QueueUrl"]

    def is_new(self, thing: str) -> bool:
        """Tell whether a thing is asked for the first time, in this process or elsewhere."""
        if thing in self.made:
            return False
        self.made.add(thing)
        return True

    def secret_values(self) -> list[str]:
        """List the values of all secrets that can be read."""
        found: list[str] = []
        for entry in self.secrets.entries():
            with suppress(StoreUnavailable):
                found += self.secrets.get(entry).values()
        return found

    def now(self) -> float:
        return self.clock.now()

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)

    def elsewhere(self) -> "Emulated":
        others = Random(f"{self.name} elsewhere")  # no two processes make the same write ids
        return Emulated(self.clients, self.clock, self.name, self.made, others)


@cache
def clients_of_moto() -> Opened:
    """Make the clients that moto answers while it is patched in, once: making them is slow."""
    return Opened(boto3.Session("testing", "testing", region_name=ministack.REGION))


@cache
def clients_of_ministack() -> Opened:
    """Make the clients of the running ministack, closed at the end."""
    emulator = ministack.running()
    keys = emulator.access_key, emulator.secret_key
    clients = Opened(boto3.Session(*keys, region_name=ministack.REGION), emulator.endpoint)
    atexit.register(clients.close)
    return clients


@contextmanager
def on_moto(_folder: Path) -> Iterator[Emulated]:
    """Open the ports on moto, patched into this process, empty and with a clock of its own."""
    ahead = 0.0

    def tell(seconds: float) -> None:
        nonlocal ahead
        ahead = seconds

    with moto.mock_aws(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(moto.sqs.models, "unix_time", lambda: time.time() + ahead)
        patch.setattr(moto.sqs.models, "unix_time_millis", lambda: (time.time() + ahead) * 1000)
        yield Emulated(clients_of_moto(), ShiftedClock(tell), f"moto-{next(_OPENED)}")


@contextmanager
def on_ministack(_folder: Path) -> Iterator[Emulated]:
    """Open the ports on the one running ministack, under names that were not used before."""
    clock = ShiftedClock(ministack.running().set_ahead)
    yield Emulated(clients_of_ministack(), clock, f"threadline-{next(_OPENED)}")
