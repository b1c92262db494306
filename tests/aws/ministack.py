"""The AWS emulator as a process of its own: one for all tests, ended with them."""

import atexit
import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tests.aws.shifted import SECONDS
from tests.peers import path_of

ACCESS_KEY: Final = "AKIATHREADLINETESTS0"
SECRET_KEY: Final = "only/the+emulator/knows+this+one"
REGION: Final = "eu-central-1"
SERVICES: Final = "dynamodb,sqs,s3,secretsmanager,sts,iam"
READY_SECONDS: Final = 30.0


@dataclass(frozen=True)
class Ministack:
    """A running emulator; it checks every signature."""

    endpoint: str
    process: subprocess.Popen[bytes]
    clock: Path
    said: Path

    def set_ahead(self, seconds: float) -> None:
        """Let its clock run ahead of the machine's by so much."""
        with self.clock.open("r+b") as file:
            file.write(SECONDS.pack(seconds))

    def stop(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.wait(10)


@cache
def running() -> Ministack:
    """Start the emulator where none runs yet."""
    folder = Path(tempfile.mkdtemp(prefix="threadline-aws-"))
    clock, said, port = folder / "clock", folder / "said.log", free_port()
    clock.write_bytes(SECONDS.pack(0.0))
    python = path_of("aws").parent / "python"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [python, "-P", Path(__file__).with_name("shifted.py"), clock],
            env=environment(port, folder),
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
    emulator = Ministack(f"http://127.0.0.1:{port}", process, clock, said)
    atexit.register(emulator.stop)
    wait_until_ready(emulator)
    return emulator


def environment(port: int, folder: Path) -> dict[str, str]:
    """Return what the emulator is told: loopback only, these services, this one account."""
    return {
        "PATH": os.environ["PATH"],
        "TMPDIR": str(folder),
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "SERVICES": SERVICES,
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        "AUTH": "true",
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "MINISTACK_REGION": REGION,
    }


def wait_until_ready(emulator: Ministack) -> None:
    """Return once the emulator answers; fail with what it said where it does not."""
    ends = time.monotonic() + READY_SECONDS
    while time.monotonic() < ends and emulator.process.poll() is None:
        try:
            urllib.request.urlopen(f"{emulator.endpoint}/_ministack/health", timeout=2).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the AWS emulator did not start:\n{emulator.said.read_text()}")


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
