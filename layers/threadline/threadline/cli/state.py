"""The installation a command works on: the working directory's, or a stack's on AWS."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from threadline.cli.program import as_typed
from threadline.core.errors import ConfigError, Fault

if TYPE_CHECKING:
    from threadline.app.configure.surroundings import Compiled, Surroundings
    from threadline.app.world import World
    from threadline.wiring import Ports

FOLDER = ".threadline"
FILE = "threadline.yaml"
SECRETS = f"{FOLDER}/secrets.json"
NO_NAMESPACE = "00000000-0000-0000-0000-000000000000"
DEMO = "http://127.0.0.1"
"""Stands for the demo agent, which has no address until it runs."""


stack: ContextVar[str] = ContextVar("stack", default="")
"""The name of the stack that the command was given, "" for the working directory."""


def command(words: str) -> str:
    """Give a command of ours for the same installation, as it can be pasted."""
    return f"{as_typed()} {words}{suffix()}"


def storing() -> str:
    """Give the command that stores the configuration where this installation reads it."""
    return command("config push") if stack.get() else command("serve")


def suffix() -> str:
    """Give what stands behind a command that is for the same installation."""
    return f" --stack {stack.get()}" if stack.get() else ""


@contextmanager
def ports() -> Iterator["Ports"]:
    """Open the stores of the working directory, or of the stack. Raises StoreError."""
    from threadline import wiring

    if stack.get():
        from threadline.backends.aws.stack import environ
        from threadline.backends.clock import SystemClock

        yield wiring.aws_ports(environ(outputs()), SystemClock())
        return
    local = wiring.local_ports(Path.cwd() / FOLDER)
    try:
        yield local.ports
    finally:
        local.close()


@contextmanager
def world() -> Iterator["World"]:
    """Compose the use cases on the stores that the command was given. Raises StoreError."""
    with ports() as opened, world_on(opened) as made:
        yield made


@contextmanager
def world_on(opened: "Ports") -> Iterator["World"]:
    """Compose the use cases on open stores; what they log is not written."""
    from threadline import wiring
    from threadline.backends.by_scheme import AsyncioWithFrames, Frames, WithFrames
    from threadline.backends.http_asyncio import AsyncioHttp
    from threadline.backends.http_blocking import BlockingHttp

    frames = Frames(opened.clock.now)
    blocking = WithFrames(BlockingHttp(opened.blobs), frames)
    http = wiring.Transports(blocking, AsyncioWithFrames(AsyncioHttp(opened.blobs), frames))
    try:
        yield wiring.world_of(opened, _say_nothing, transports=http)
    finally:
        blocking.close()


def read(path: Path) -> bytes:
    """Read a configuration file, no more of it than the compiler takes. Raises ConfigError."""
    from threadline.app.configure.tree import MAX_BYTES

    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError([Fault(str(path), f"cannot be read: {error.strerror}")]) from None


def source() -> bytes:
    """Read the configuration file, b"" where there is none. Raises ConfigError."""
    path = Path(FILE)
    return read(path) if path.exists() else b""


def compiled() -> "Compiled":
    """Compile the configuration file with what stands round it. Raises ConfigError."""
    from threadline.app.configure.compile import compile_settings

    return compile_settings(source(), surroundings(), FILE)


def outputs() -> Mapping[str, str]:
    """Read the outputs of the stack. Raises StoreError."""
    import boto3

    from threadline.backends.aws.stack import outputs

    return outputs(boto3.Session(), stack.get())


def place_of_secrets(entry: str) -> str:
    """Say where a person finds an entry's secrets."""
    if stack.get():
        return f"Secrets Manager, as {outputs()['SecretsPrefix']}{entry}"
    return SECRETS


def surroundings(namespace: str = NO_NAMESPACE) -> "Surroundings":
    """Tell what stands round the file here, without making anything."""
    from threadline.app.configure.surroundings import Surroundings

    public_url = os.environ.get("THREADLINE_PUBLIC_URL", "")
    if stack.get() and not public_url:
        from threadline.backends.aws.names import PUBLIC_URL

        public_url = outputs().get(PUBLIC_URL, "")
    present: dict[str, frozenset[str]] = {}
    if stack.get() or (Path.cwd() / FOLDER).is_dir():
        with ports() as opened:
            for entry in opened.secrets.entries():
                values = opened.secrets.get(entry)
                present[entry] = frozenset(name for name, value in values.items() if value)
    return Surroundings(
        namespace=namespace,
        present=present,
        agent_url=os.environ.get("THREADLINE_AGENT_URL", ""),
        public_url=public_url,
        demo_url="" if stack.get() else DEMO,
        local=not stack.get(),
        program=as_typed(),
        suffix=suffix(),
    )


def _say_nothing(event: str, **_: str | float | bool) -> None:
    del event
