"""The composition root: names become objects here and nowhere else.

What a cold start must not pay for is imported where it is made.
"""

import importlib
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from threadline.app.ingest import Ingest
from threadline.core.platform import Platform
from threadline.core.ports import Blobs, Clock, ItemStore, Scans, Secrets

if TYPE_CHECKING:
    from pathlib import Path

    from threadline.app.watch import Watch
    from threadline.app.world import Log, Queues, World
    from threadline.backends.aws.clients import Clients
    from threadline.backends.outgoing import Gate
    from threadline.backends.outgoing_http import AsyncioTransport, BlockingTransport
    from threadline.backends.sqlite.database import Database
    from threadline.backends.threads import Threads
    from threadline.core.agent import Agent
    from threadline.core.settings import Settings

PLATFORMS: Final = MappingProxyType(
    {
        "feishu": "threadline.platforms.feishu",
        "buzz": "threadline.platforms.buzz",
        "discord": "threadline.platforms.discord",
        "github": "threadline.platforms.github",
        "playground": "threadline.platforms.playground",
        "slack": "threadline.platforms.slack",
        "telegram": "threadline.platforms.telegram",
    }
)
DIALECTS: Final = MappingProxyType(
    {
        "deerflow": "threadline.agents.deerflow:DeerFlow",
        "langgraph": "threadline.agents.langgraph:LangGraph",
    }
)
DATABASE: Final = "threadline.db"
MOST_RECEIVES: Final = 8
"""Receives of a mail before the queue itself sets it aside: dispatch gives it up before that."""
BEGINNINGS_AND_ENDS: Final = 64
"""Threads: each posts for up to a second, and of 2,000 runs of a minute 33 end in a second."""
RENEWALS: Final = 4


@cache
def platform(name: str) -> Platform | None:
    """Give a platform's codec, imported when it is first addressed; None where there is none."""
    if name not in PLATFORMS:
        return None
    found: Platform = importlib.import_module(PLATFORMS[name]).PLATFORM
    return found


@cache
def agent(dialect: str) -> "Agent | None":
    """Give a dialect of the agent's API; None where there is none."""
    if dialect not in DIALECTS:
        return None
    module, _, name = DIALECTS[dialect].partition(":")
    made: Agent = getattr(importlib.import_module(module), name)()
    return made


def random_id() -> str:
    """Give 16 random lower-case letters and digits."""
    return os.urandom(8).hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The ports of one process; `scans` are an operator's alone."""

    store: ItemStore
    scans: Scans
    queues: "Queues"
    blobs: Blobs
    secrets: Secrets
    clock: Clock


def aws_ports(environ: Mapping[str, str], clock: Clock) -> Ports:
    """Open the ports in the stack's resources that the environment names.

    Raises KeyError for one it does not name.
    """
    import boto3

    from threadline.backends.aws.clients import Clients

    elsewhere = environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL")
    return _aws_ports(environ, clock, Clients(boto3.Session(), elsewhere=bool(elsewhere)))


def emulator_ports(environ: Mapping[str, str], clock: Clock, region: str) -> Ports:
    """Open the ports in the emulator that the environment names; no account of AWS is asked."""
    import boto3

    from threadline.backends.aws.clients import Clients

    session = boto3.Session("emulator", "emulator", region_name=region)
    return _aws_ports(environ, clock, Clients(session, environ["AWS_ENDPOINT_URL"]))


def _aws_ports(environ: Mapping[str, str], clock: Clock, clients: "Clients") -> Ports:
    from random import Random

    from threadline.app.world import Queues
    from threadline.backends.aws import names
    from threadline.backends.aws.dynamodb import DynamoItems
    from threadline.backends.aws.patience import Patience
    from threadline.backends.aws.s3 import S3Blobs
    from threadline.backends.aws.scanning import DynamoScans
    from threadline.backends.aws.secretsmanager import SecretsManagerSecrets
    from threadline.backends.aws.sqs import SqsQueue

    patience = Patience(clock, Random())  # noqa: S311 - jitter
    sqs, dynamodb = clients.sqs(), clients.dynamodb()
    tables = {table: environ[name] for table, name in names.TABLES.items()}
    queues = {queue: SqsQueue(sqs, environ[name], patience) for queue, name in names.QUEUES.items()}
    return Ports(
        store=DynamoItems(dynamodb, tables, patience),
        scans=DynamoScans(dynamodb, tables, patience), queues=Queues(**queues),
        blobs=S3Blobs(clients.s3(), environ[names.BLOBS], patience), clock=clock,
        secrets=SecretsManagerSecrets(clients.secretsmanager(), environ[names.SECRETS], patience),
    )  # fmt: skip


def aws_scans(tables: Mapping[str, str], clock: Clock) -> Scans:
    """Read tables of the account from end to end, by their names in it."""
    from random import Random

    import boto3

    from threadline.backends.aws.clients import Clients
    from threadline.backends.aws.patience import Patience
    from threadline.backends.aws.scanning import DynamoScans

    patience = Patience(clock, Random())  # noqa: S311 - jitter
    return DynamoScans(Clients(boto3.Session()).dynamodb(), tables, patience)


@dataclass(frozen=True, slots=True)
class LocalPorts:
    """The embedded ports and what closes them."""

    ports: Ports
    database: "Database"

    def close(self) -> None:
        """Finish what is being written."""
        self.database.close()


def local_ports(
    root: "Path",
    clock: Clock | None = None,
    *,
    synchronous: Any = "FULL",
    link: Callable[[str, int], str] | None = None,
    opens: "type[Database] | None" = None,
) -> LocalPorts:
    """Open the embedded store, queues, blobs and secrets of a state folder."""
    from threadline.app.world import Queues
    from threadline.backends.clock import SystemClock
    from threadline.backends.files import FileBlobs, FileSecrets
    from threadline.backends.sqlite.database import Database
    from threadline.backends.sqlite.queue import SqliteQueue
    from threadline.backends.sqlite.scanning import SqliteScans
    from threadline.backends.sqlite.store import SqliteStore

    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    clock = clock or SystemClock()
    database = (opens or Database)(root / DATABASE, clock, synchronous=synchronous)
    dead = SqliteQueue(database, "mailbox-dead", fifo=True)
    hints = {name: SqliteQueue(database, name, fifo=False) for name in ("runs", "timers", "outbox")}
    mailbox = SqliteQueue(database, "mailbox", fifo=True, dead=dead, most=MOST_RECEIVES)
    queues = Queues(mailbox=mailbox, dead=dead, **hints)
    ports = Ports(
        store=SqliteStore(database), scans=SqliteScans(database), queues=queues,
        blobs=FileBlobs(root / "blobs", link),
        secrets=FileSecrets(root / "secrets.json", clock), clock=clock,
    )  # fmt: skip
    return LocalPorts(ports, database)


def gated_ports(ports: Ports, gate: "Gate") -> Ports:
    """Let every call of the ports pass through a gate."""
    from threadline.app.world import Queues
    from threadline.backends.outgoing import GatedBlobs, GatedQueue, GatedSecrets, GatedStore

    queues = Queues(
        **{
            name: GatedQueue(getattr(ports.queues, name), name, gate)
            for name in ("mailbox", "runs", "timers", "outbox", "dead")
        }
    )
    return Ports(
        store=GatedStore(ports.store, gate, random_id), scans=ports.scans, queues=queues,
        blobs=GatedBlobs(ports.blobs, gate),
        secrets=GatedSecrets(ports.secrets, gate), clock=ports.clock,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Transports:
    """What performs HTTP requests, blocking and in asyncio."""

    blocking: "BlockingTransport"
    asyncio: "AsyncioTransport"


def world_of(
    ports: Ports,
    log: "Log",
    *,
    settings: "Callable[[], Settings] | None" = None,
    gate: "Gate | None" = None,
    transports: Transports | None = None,
    random: Callable[[], str] = random_id,
) -> "World":
    """Compose the world of the use cases; with a gate every outgoing call passes through it."""
    from threadline.app.settings_items import SettingsCache
    from threadline.app.world import World
    from threadline.backends.calls import Network

    ports = gated_ports(ports, gate) if gate else ports
    http = transports or _transports(ports)
    http = _gated_transports(http, gate) if gate else http
    return World(
        store=ports.store, queues=ports.queues, blobs=ports.blobs, secrets=ports.secrets,
        clock=ports.clock, settings=settings or SettingsCache(ports.store, ports.clock),
        platform=platform, agent=agent, calls=Network(http.blocking, http.asyncio, ports.clock),
        random=random, log=log, holder=random(),
    )  # fmt: skip


def _transports(ports: Ports) -> Transports:
    from threadline.backends.by_scheme import AsyncioWithFrames, Frames, WithFrames
    from threadline.backends.http_asyncio import AsyncioHttp
    from threadline.backends.http_blocking import BlockingHttp

    frames = Frames(ports.clock.now)
    return Transports(
        WithFrames(BlockingHttp(ports.blobs), frames),
        AsyncioWithFrames(AsyncioHttp(ports.blobs), frames),
    )


def _gated_transports(http: Transports, gate: "Gate") -> Transports:
    from threadline.backends.outgoing_http import GatedAsyncioHttp, GatedHttp

    return Transports(GatedHttp(http.blocking, gate), GatedAsyncioHttp(http.asyncio, gate))


def ingest_of(world: "World") -> Ingest:
    """Compose ingest on the ports of a whole world, as `serve` has them."""
    return Ingest(
        mailbox=world.queues.mailbox, blobs=world.blobs, secrets=world.secrets, clock=world.clock,
        apps=lambda: world.settings().apps, platform=world.platform, random=world.random,
        log=world.log,
    )  # fmt: skip


def light_ingest(environ: Mapping[str, str]) -> Ingest:
    """Compose ingest for a cold start on AWS: its own client, no table, one call before the 200.

    Raises StoreUnavailable where there are no credentials.
    """
    from threadline.backends.light.account import Account
    from threadline.backends.light.composing import AppsCache, LightClock, log_lines
    from threadline.backends.light.ports import LightBlobs, LightItems, LightQueue, LightSecrets
    from threadline.backends.light.starting import prepare

    clock = LightClock()
    account = Account(environ, clock)
    items = LightItems(account, {"settings": environ["THREADLINE_SETTINGS_TABLE"]}, clock)
    apps = AppsCache(items, clock)
    mailbox = LightQueue(account, environ["THREADLINE_MAILBOX_QUEUE_URL"])
    secrets = LightSecrets(account, environ["THREADLINE_SECRETS_PREFIX"], clock)
    prepare(environ, account.trust, mailbox, apps, secrets)
    return Ingest(
        mailbox=mailbox, blobs=LightBlobs(account, environ["THREADLINE_BLOBS_BUCKET"]),
        secrets=secrets, clock=clock, apps=apps, platform=platform, random=random_id,
        log=log_lines(environ["THREADLINE_STAGE"]),
    )  # fmt: skip


def aws_world(environ: Mapping[str, str]) -> "World":
    """Compose the world of a function of the stack; its lines are JSON on standard output."""
    from threadline.backends.aws import log, names
    from threadline.backends.clock import SystemClock

    log.start_logging()
    return world_of(aws_ports(environ, SystemClock()), log.event_lines(environ[names.STAGE]))


@dataclass(slots=True)
class _Installed:
    ingest: Ingest | None = None
    world: "World | None" = None


_installed: Final = _Installed()


def watch(world: "World", leave_at: float = math.inf) -> "Watch":
    """Compose what follows runs, all of one process in the same threads."""
    from threadline.app.watch import Watch

    blocking, renewing = _threads()
    return Watch(world, blocking, renewing, leave_at)


@cache
def _threads() -> "tuple[Threads, Threads]":
    """Make the threads in which runs begin and end, and those that hold their leases."""
    from threadline.backends.threads import Threads

    return Threads(BEGINNINGS_AND_ENDS, "runs"), Threads(RENEWALS, "leases")


def install(world: "World") -> None:
    """Let the functions of this process work in this world (`serve` and tests)."""
    _installed.world = world
    _installed.ingest = ingest_of(world)


def start_ingest() -> None:
    """Compose ingest ahead of the first delivery, where Lambda started this process."""
    from threadline.backends.light.starting import in_lambda
    from threadline.core.errors import StoreError

    if in_lambda(os.environ):
        try:
            ingest()
        except StoreError:
            return  # told at the first delivery


def ingest() -> Ingest:
    """Give what ingest works with: what was installed, else what the environment names."""
    if _installed.ingest is None:
        _installed.ingest = light_ingest(os.environ)
    return _installed.ingest


def world() -> "World":
    """Give the world of this process: what was installed, else what the environment names."""
    if _installed.world is None:
        _installed.world = aws_world(os.environ)
    return _installed.world
