"""The same installation on AWS's backends: moto in this process, in virtual time.

Every call to AWS passes the gate as a client makes it, so that repeating it is up to the backends.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from types import MappingProxyType
from typing import Any, Final

import moto
import moto.core.responses
import moto.dynamodb
import moto.sqs
import moto.sqs.models
import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from tests.aws import ministack, tables
from tests.aws.emulated import clients_of_moto
from tests.simulation.network import AsyncioStubs, BlockingStubs, Stubs
from tests.simulation.roles import RoleStore
from tests.simulation.world import Simulation
from threadline import wiring
from threadline.app.world import Queues, World
from threadline.backends.aws.dynamodb import DynamoItems
from threadline.backends.aws.patience import Patience
from threadline.backends.aws.s3 import S3Blobs
from threadline.backends.aws.scanning import DynamoScans
from threadline.backends.aws.secretsmanager import SecretsManagerSecrets
from threadline.backends.aws.sqs import SqsQueue
from threadline.backends.clock import VirtualClock
from threadline.backends.outgoing import Gate
from threadline.backends.outgoing_http import GatedAsyncioHttp, GatedHttp
from threadline.core.ports import Item, Received

QUEUES: Final = MappingProxyType(
    {
        "mailbox": "mailbox.fifo", "runs": "runs", "timers": "timers", "outbox": "outbox",
        "dead": "mailbox-dead.fifo",
    }
)  # fmt: skip
BUCKET: Final = "bodies"
PREFIX: Final = "threadline/simulated/"
ACCOUNT: Final = "123456789012"
REMEMBERED: Final = MappingProxyType(
    {
        name: cache(getattr(moto.core.responses, name))
        for name in ("camelcase_to_underscores", "method_names_from_class")
    }
)
"""What moto works out anew at each call, though it is always the same."""
DUE: Final = ("conversation#", "outbox#")


@dataclass(slots=True)
class GatedClient:
    """A client of boto3 whose calls pass a gate; what is lost there is lost as botocore tells it.

    moto forgets the token by which DynamoDB knows a transaction again; here it is kept.
    """

    client: Any
    name: str
    gate: Gate
    transactions: set[str] = field(default_factory=set)

    def __getattr__(self, method: str) -> Any:
        real = getattr(self.client, method)
        if method in self.client.meta.method_to_api_mapping:
            return lambda **asked: self._call(method, real, asked)
        return real

    def _call(self, method: str, real: Callable[..., Any], asked: Mapping[str, Any]) -> Any:
        point = f"aws.{self.name}.{method}"
        times = 0

        def work() -> Any:
            nonlocal times
            times += 1
            try:
                return self._once(real, asked)
            except ClientError as error:
                error.response["ResponseMetadata"]["RetryAttempts"] = times - 1
                raise

        try:
            return self.gate.call(point, work)
        except ConnectionRefusedError as error:
            raise EndpointConnectionError(endpoint_url=point) from error
        except ConnectionResetError as error:
            raise ConnectionClosedError(endpoint_url=point) from error
        except TimeoutError as error:
            raise ReadTimeoutError(endpoint_url=point) from error

    def _once(self, real: Callable[..., Any], asked: Mapping[str, Any]) -> Any:
        token = asked.get("ClientRequestToken")
        if token is None:
            return real(**asked)
        if token not in self.transactions:
            real(**asked)
            self.transactions.add(token)
        return {}


class StaleIndex(DynamoItems):
    """The store with an index that is behind: what was due once is still listed the next time."""

    listed: Mapping[str, tuple[Item, ...]] = MappingProxyType({})

    def due(self, kind: str, before: float, limit: int) -> tuple[Item, ...]:
        current = super().due(kind, before, limit)
        known = {item.key for item in current}
        stale = [item for item in self.listed.get(kind, ()) if item.key not in known]
        self.listed = {**self.listed, kind: current}
        return (*stale, *current)[:limit]


@dataclass(frozen=True, slots=True)
class OnMoto:
    """An account with tables, queues, bucket and secrets; `wired` are its ports behind the gate."""

    ports: wiring.Ports
    wired: wiring.Ports
    stack: ExitStack
    given: set[str] = field(default_factory=set)

    @classmethod
    def open(cls, clock: VirtualClock, gate: Gate) -> "OnMoto":
        """Make the account, empty."""
        with ExitStack() as stack:
            stack.enter_context(patched(clock))
            clients = clients_of_moto()
            raw = {
                "dynamodb": clients.dynamodb, "sqs": clients.sqs, "s3": clients.s3,
                "secretsmanager": clients.secretsmanager,
            }  # fmt: skip
            for table in tables.TABLES:
                tables.create_table(clients.dynamodb, table, table)
            urls = {name: tables.create_queue(clients.sqs, one) for name, one in QUEUES.items()}
            clients.s3.create_bucket(
                Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
            )
            wired = {name: GatedClient(client, name, gate) for name, client in raw.items()}
            return cls(_ports(raw, urls, clock), _ports(wired, urls, clock), stack.pop_all())

    def depth(self, queue: str) -> int:
        return len(_queue(queue)._messages)

    def ready_in(self, queue: str) -> float:
        ready = [max(one.visible_at, one.delayed_until) for one in _queue(queue)._messages]
        return float(min(ready)) / 1000 - self.ports.clock.now()

    def may_give(self, queue: str) -> bool:
        return bool(self.depth(queue)) and self.ready_in(queue) <= 0

    def is_new(self, message: Received) -> bool:
        """Tell whether no message before said the same."""
        known = message.body in self.given
        self.given.add(message.body)
        return not known

    def is_due(self) -> bool:
        found = moto.dynamodb.models.dynamodb_backends[ACCOUNT][ministack.REGION]
        return any(
            "due" in row.attrs and row.attrs["due"].value.startswith(DUE)
            for name in ("conversations", "outbox")
            for rows in found.tables[name].items.values()
            for row in rows.values()
        )

    def close(self) -> None:
        self.stack.close()


@contextmanager
def patched(clock: VirtualClock) -> Iterator[None]:
    """Let moto answer in this process, in virtual time."""
    with moto.mock_aws(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(moto.sqs.models, "unix_time", clock.now)
        patch.setattr(moto.sqs.models, "unix_time_millis", lambda: clock.now() * 1000)
        for name, remembered in REMEMBERED.items():
            patch.setattr(moto.core.responses, name, remembered)
        yield


class AwsSimulation(Simulation):
    """One installation on AWS's backends; what SQS and DynamoDB only nearly promise is not kept.

    A standard queue gives a message twice where none said the same before, and the index of due
    items is behind.
    """

    __slots__ = ()

    def installed(self) -> OnMoto:
        return OnMoto.open(self.clock, self.gate)

    def _received(self, name: str, limit: int) -> tuple[Received, ...]:
        messages = super()._received(name, limit)
        assert isinstance(self.ports, OnMoto)
        again = [] if name == "mailbox" else [one for one in messages if self.ports.is_new(one)]
        return (*messages, *again)

    def _world(self, stubs: Stubs, ports: wiring.Ports) -> World:  # noqa: ARG002 - those unwired
        """Compose the world of a process: its calls to AWS pass the gate one by one."""
        assert isinstance(self.ports, OnMoto)
        wired = self.ports.wired
        store = RoleStore(wired.store, self.store.offences)
        transports = wiring.Transports(
            GatedHttp(BlockingStubs(stubs), self.gate),
            GatedAsyncioHttp(AsyncioStubs(stubs), self.gate),
        )
        return wiring.world_of(
            replace(wired, store=store), self._log, settings=lambda: self.settings,
            transports=transports, random=lambda: f"{next(self._ids):08x}",
        )  # fmt: skip


def _ports(
    clients: Mapping[str, Any], urls: Mapping[str, str], clock: VirtualClock
) -> wiring.Ports:
    patience = Patience(clock, Random(7))
    named = {table: table for table in tables.TABLES}
    return wiring.Ports(
        store=StaleIndex(clients["dynamodb"], named, patience),
        scans=DynamoScans(clients["dynamodb"], named, patience),
        queues=Queues(
            **{name: SqsQueue(clients["sqs"], url, patience) for name, url in urls.items()}
        ),
        blobs=S3Blobs(clients["s3"], BUCKET, patience),
        secrets=SecretsManagerSecrets(clients["secretsmanager"], PREFIX, patience),
        clock=clock,
    )


def _queue(name: str) -> Any:
    return moto.sqs.models.sqs_backends[ACCOUNT][ministack.REGION].queues[QUEUES[name]]
