"""`make emulator`: an AWS emulator with what the stack needs, until Ctrl-C.

`.venv/bin/python -m setup.emulator --print-env` gives the content of events/env.json.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Mapping, NoReturn

import httpx

from setup import emulating
from setup.bootstrap import ROOT
from threadline import wiring
from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Compiled, Surroundings
from threadline.app.settings_items import installation, store_settings
from threadline.backends.clock import SystemClock
from threadline.backends.files import FileSecrets
from threadline.core.errors import ConfigError, ThreadlineError
from threadline.local import emulator

EVENTS: Final = ROOT / "events"
CONFIGURATION: Final = EVENTS / "threadline.yaml"
OWN_SECRETS: Final = ".threadline/secrets.json"
PROGRAM: Final = ROOT / ".tools" / "aws" / "bin" / "ministack"
SERVICES: Final = "dynamodb,sqs,s3,secretsmanager,sts"
READY_SECONDS: Final = 30.0


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for."""

    bind: str
    port: int
    configuration: Path

    @property
    def url(self) -> str:
        """Where the emulator answers."""
        return f"http://{self.bind}:{self.port}"


def main() -> None:
    """Start it, fill it, say what is there, and wait for Ctrl-C."""
    wanted = words()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # A shell has what it starts in the background ignore Ctrl-C; whoever sends it here means it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="threadline-emulator-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        say(f"starting an AWS emulator at {wanted.url}…")
        process = start(wanted, folder)
        fill(wanted)
        tell(wanted)
        process.wait()
    except (ThreadlineError, ConfigError) as error:
        stop(str(error))
    except KeyboardInterrupt:
        say("\nthe emulator has ended, and what was in it is gone")
        return
    stop(f"the emulator ended by itself; it said:\n{(folder / 'said.log').read_text()}")


def words() -> Wanted:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make emulator")
    parser.add_argument("--bind", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=4566)
    parser.add_argument("--config", type=Path, default=CONFIGURATION)
    parser.add_argument("--print-env", action="store_true")
    args = parser.parse_args()
    if args.print_env:
        print(json.dumps(emulating.environments(), indent=2))
        sys.exit()
    return Wanted(args.bind, args.port, args.config)


def start(wanted: Wanted, folder: Path) -> subprocess.Popen[bytes]:
    """Start the emulator's process and wait until it answers; it ends with this one."""
    with socket.socket() as probe:
        if probe.connect_ex((wanted.bind, wanted.port)) == 0:
            raise emulator.NoEmulator(
                f"{wanted.bind}:{wanted.port} is taken: end what listens there, perhaps another one"
            )
    said = folder / "said.log"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [str(PROGRAM)],
            env={**told(wanted.port, folder, wanted.bind), "SERVICES": SERVICES, "AUTH": "false"},
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    atexit.register(end, process)
    wait_until_ready(wanted.url, process, said)
    return process


def told(port: int, folder: Path, bind: str = "127.0.0.1") -> dict[str, str]:
    """Give what every emulator is told: one address, and no listener beside it.

    By itself it would have MQTT on port 8883 of every address.
    """
    return {
        "PATH": os.environ["PATH"],
        "TMPDIR": str(folder),
        "BIND_HOST": bind,
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
    }


def wait_until_ready(url: str, process: subprocess.Popen[bytes], said: Path) -> None:
    """Return once the emulator answers. Raises NoEmulator with what it said."""
    ends = time.monotonic() + READY_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        try:
            httpx.get(f"{url}/_ministack/health", timeout=2, trust_env=False)
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            if process.poll() is None:
                return
    raise emulator.NoEmulator(f"the emulator did not start; it said:\n{said.read_text().strip()}")


def end(process: subprocess.Popen[bytes]) -> None:
    """End the emulator's process."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()


def fill(wanted: Wanted) -> None:
    """Make resources, secrets and settings, telling each. Raises ConfigError, ThreadlineError."""
    for kind, made in emulating.make(wanted.url).items():
        ends = (name.removeprefix(f"{emulating.STACK}-") for name in made)
        say(f"{kind:<10}{emulating.STACK}-… {', '.join(ends)}")
    environ = next(iter(emulating.environments(wanted.url).values()))
    ports = wiring.emulator_ports(environ, SystemClock(), emulator.REGION)
    entries = secrets_of(wanted.configuration)
    for entry, values in entries.items():
        ports.secrets.put(entry, values)
    say(f"{'secrets':<10}{', '.join(sorted(entries))}")
    compiled = push(ports, wanted.configuration, entries)
    say(f"{'settings':<10}{shown(wanted.configuration)}")
    say(f"{'on':<10}{', '.join(one.platform for one in compiled.platforms if one.on)}")
    for one in compiled.platforms:
        if not one.on and wanted.configuration != CONFIGURATION:
            say(f"{'off':<10}{one.platform}/{one.app}: {one.why}")


def secrets_of(configuration: Path) -> Mapping[str, Mapping[str, str]]:
    """Give made-up secrets; for a configuration of one's own, those of this folder beside them."""
    entries = dict(emulating.made_up())
    own = Path(OWN_SECRETS)
    if configuration != CONFIGURATION and own.exists():
        stored = FileSecrets(own, SystemClock())
        entries.update({entry: stored.get(entry) for entry in stored.entries()})
    return entries


def push(
    ports: wiring.Ports, configuration: Path, entries: Mapping[str, Mapping[str, str]]
) -> Compiled:
    """Store what the file means, as `threadline config push` does. Raises ConfigError."""
    try:
        source = configuration.read_bytes()
    except OSError as error:
        raise ThreadlineError(f"{configuration} cannot be read: {error.strerror}") from None
    around = Surroundings(
        namespace=installation(ports.store, str(uuid.uuid4())),
        present={entry: frozenset(values) for entry, values in entries.items()},
    )
    compiled = compile_settings(source, around, str(configuration))
    store_settings(ports.store, compiled.settings, ports.clock.now())
    return compiled


def tell(wanted: Wanted) -> None:
    """Say what to type next: `sam` builds for arm64 where it is not told otherwise."""
    known = "" if wanted.url == emulator.ADDRESS else f"{emulator.ENDPOINT}={wanted.url} "
    here = platform.machine()
    built = f"ARCHITECTURE={here} " if here == "x86_64" else ""
    told = f" --parameter-overrides Architecture={here}" if here == "x86_64" else ""
    say(
        "\nIt keeps nothing and ends with Ctrl-C. In another terminal:\n\n"
        f"  {built}.tools/sam/bin/sam build{told}\n"
        f"  {known}.venv/bin/threadline event slack/app_mention |"
        f" .tools/sam/bin/sam local invoke IngestFunction -e - -n events/env.json{told}\n\n"
        "All events: .venv/bin/threadline event. How to go on: docs/one-function.md"
    )


def shown(path: Path) -> str:
    """Give a path as a person here would write it."""
    return os.path.relpath(path) if path.is_absolute() else str(path)


def say(line: str) -> None:
    """Tell the person at the terminal what goes on."""
    print(line, flush=True)


def stop(line: str) -> NoReturn:
    """End with one clear line."""
    sys.exit(f"emulator: {line}")


if __name__ == "__main__":
    main()
