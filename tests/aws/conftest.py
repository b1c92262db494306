"""What the tests of the deployed artifacts share."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from setup.emulator import CONFIGURATION, Wanted, end, fill, start
from tests import planted
from tests.aws import artifact, ministack
from tests.aws.container import Build, State
from tests.aws.deployment import Emulator, deploy
from tests.aws.dockerfile import DOCKERFILE, Dockerfile, read
from tests.aws.emulated import Emulated, on_ministack
from tests.aws.installation import Installation, installed
from tests.aws.ministack import free_port


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder into which functions and layers were built."""
    return artifact.build(tmp_path_factory.mktemp("built") / "artifacts")


@pytest.fixture(scope="session")
def dockerfile() -> Dockerfile:
    """Give the Dockerfile of the long-running task."""
    return read(DOCKERFILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def build(dockerfile: Dockerfile, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Give what builds each of its stages once."""
    return Build(dockerfile, tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="session")
def image(build: Build) -> State:
    """Give the image that is built where no target is named."""
    return build.stage("")


@dataclass(frozen=True)
class Deployed:
    """The deployed stack, and what `sam deploy` said."""

    emulator: Emulator
    said: str


@pytest.fixture(scope="module")
def deployed(built: Path) -> Iterator[Deployed]:
    """Give the deployed stack; for this module the process works in its account."""
    emulator = Emulator(ministack.for_stacks().endpoint)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in emulator.environ.items():
            patch.setenv(name, value)
        yield Deployed(emulator, deploy(emulator, built))


@pytest.fixture(scope="module")
def installation(
    deployed: Deployed, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """Give the stack with a bot and an agent beside it."""
    with installed(deployed.emulator, tmp_path_factory.mktemp("operator")) as there:
        yield there


@pytest.fixture(autouse=True)
def nothing_planted(tmp_path: Path) -> Iterator[None]:
    """Let no test leave a secret in what it wrote, or somebody's words in a log."""
    with planted.watching(tmp_path):
        yield


@pytest.fixture
def emulated(tmp_path: Path) -> Iterator[Emulated]:
    """Give the full backends on the emulator, which checks every signature."""
    with on_ministack(tmp_path) as opened:
        planted.hidden(opened.secret_values)
        yield opened


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of an emulator of its own, filled as `make emulator` fills it."""
    wanted = Wanted("127.0.0.1", free_port(), CONFIGURATION)
    process = start(wanted, tmp_path_factory.mktemp("emulator"))
    try:
        fill(wanted)
        yield wanted.url
    finally:
        end(process)
