"""The container of the long-running task, started as its image says, in an emulated account."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx

from setup.template import NO_VALUE, load, resolved, resources
from tests import planted
from tests.aws import ministack
from tests.aws.container import State, last, run_as
from tests.aws.dockerfile import Dockerfile
from tests.aws.emulated import Emulated
from tests.aws.functions import names, widened

PATIENCE: Final = 60.0
DRAINED_WITHIN: Final = 20.0
WRITABLE: Final = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - looked into, not written to
NO_FILES: Final = 'ulimit -f 0 && exec "$@"'
"""No byte goes into any file, as on a root file system that is read-only."""


@dataclass
class Container:
    """A running container; `said` is what it wrote to its log so far."""

    process: subprocess.Popen[str]
    environ: Mapping[str, str]
    check: list[str]
    folder: Path
    before: list[str]
    said: list[str] = field(default_factory=list)
    listener: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        planted.heard("the container's output", lambda: self.log)
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            self.said.extend(lines)

    @property
    def log(self) -> str:
        """What it wrote, as one text."""
        return "".join(self.said)

    def healthy(self) -> bool:
        """Carry the health check out, and tell what it says."""
        done = subprocess.run(
            [*self.before, *self.check], cwd=self.folder, env=dict(self.environ),
            stdin=subprocess.DEVNULL, capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode == 0

    def sockets(self) -> Mapping[str, Mapping[str, Any]]:
        """Ask how each socket is doing."""
        where = self.environ["THREADLINE_HEALTH"]
        try:
            found: dict[str, dict[str, Any]] = httpx.get(f"http://{where}/health").json()["sockets"]
        except httpx.TransportError:
            return {}
        return found

    def state(self, name: str) -> str:
        """Tell the state of a socket, "" while there is none."""
        assert self.process.poll() is None, self.log
        return str(self.sockets().get(name, {}).get("state", ""))

    def until[T](self, find: Callable[[], T], what: str) -> T:
        """Wait until something is found."""
        ends = time.monotonic() + PATIENCE
        while not (found := find()):
            assert time.monotonic() < ends, f"not seen: {what}\n{self.log}"
            time.sleep(0.05)
        return found

    def stop(self) -> tuple[int, float]:
        """Ask it to end as ECS does; return its exit code and how many seconds it took."""
        asked = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        took = time.monotonic() - asked
        self.listener.join(PATIENCE)
        return code, took


@contextmanager
def running(
    dockerfile: Dockerfile, target: str, image: State, told: Mapping[str, str]
) -> Iterator[Container]:
    """Start the command of an image as the user of the image, told what the stack tells it."""
    before = ["/bin/sh", "-c", NO_FILES, "sh", *run_as(image.user)]
    environ = {**image.environ(), **told, "THREADLINE_HEALTH": f"127.0.0.1:{ministack.free_port()}"}
    process = subprocess.Popen(
        [*before, *last(dockerfile, target, "CMD").exec_form], cwd=image.here, env=environ,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    check = last(dockerfile, target, "HEALTHCHECK").exec_form
    container = Container(process, environ, check, image.here, before)
    try:
        yield container
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE)
        container.listener.join(PATIENCE)


def told(emulated: Emulated, watch_host: str = "function") -> dict[str, str]:
    """Return what the task definition tells the container, with keys that may what its role may."""
    stack = load()
    follows = "yes" if watch_host == "task" else ""
    references = {**names(emulated), "WatchHost": watch_host, "TaskFollows": follows}
    ((_, definition),) = resources(stack, "AWS::ECS::TaskDefinition")
    (container,) = definition["ContainerDefinitions"]
    told = {one["Name"]: resolved(one["Value"], references) for one in container["Environment"]}
    role = dict(resources(stack, "AWS::IAM::Role"))["LongRunningRole"]
    policies = [one for one in resolved(role["Policies"], references) if one != NO_VALUE]
    allowed = [
        widened(statement)
        for policy in policies
        for statement in policy["PolicyDocument"]["Statement"]
        if statement != NO_VALUE
    ]
    key, secret = ministack.user(
        ministack.running().endpoint, f"{emulated.name}-{uuid4().hex}", allowed
    )
    return {
        **told,
        "AWS_REGION": ministack.REGION,
        "AWS_DEFAULT_REGION": ministack.REGION,
        "AWS_ENDPOINT_URL": ministack.running().endpoint,
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": secret,
    }


def written(image: State) -> set[str]:
    """List the files of an image with what shows that one was written, and what its user left."""
    found = set()
    for folder, folders, files in os.walk(image.root):
        for name in (*folders, *files):
            seen = os.lstat(Path(folder) / name)
            found.add(f"{folder}/{name} {seen.st_size} {seen.st_mtime_ns} {seen.st_uid}")
    uid = int(image.user.partition(":")[0])
    for shared in filter(Path.is_dir, map(Path, WRITABLE)):
        found |= {str(one) for one in shared.iterdir() if one.lstat().st_uid == uid}
    return found
