"""Docker or Finch by its command line: which there is, and what it is asked to do."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from threadline.core.errors import ThreadlineError

DOCKERFILE: Final = "long_running/Dockerfile"
PLATFORMS: Final = {"arm64": "linux/arm64", "x86_64": "linux/amd64"}
CHECKS: Final = {
    "docker": (
        (("docker", "info"), "Docker is installed, but its daemon does not answer: start it"),
        (
            ("docker", "buildx", "version"),
            "Docker lacks its plugin buildx: https://docs.docker.com/go/buildx/",
        ),
    ),
    "finch": (
        (("finch", "info"), "Finch is installed, but does not answer: finch vm start"),
    ),
}  # fmt: skip
"""What must succeed before anything is built, and what to do where it does not."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image to be: its name and tag, its processor, and whether with Feishu's library."""

    name: str
    architecture: str
    feishu: bool

    @property
    def host(self) -> str:
        """The registry it belongs to."""
        return self.name.partition("/")[0]


def found() -> str:
    """Return which program is on PATH, "" where there is none."""
    return next((name for name in CHECKS if shutil.which(name)), "")


def check(program: str) -> None:
    """See that a program works. Raises ThreadlineError with what to do where it does not."""
    if not program:
        raise ThreadlineError(
            "neither docker nor finch is on PATH: https://docs.docker.com/get-docker/"
            " or https://runfinch.com"
        )
    for command, remedy in CHECKS[program]:
        if subprocess.run(command, capture_output=True, check=False).returncode:  # noqa: S603 - a fixed command
            raise ThreadlineError(remedy)


def build(program: str, image: Image) -> tuple[str, ...]:
    """Give the command that builds an image at the top of the checkout."""
    words = ("docker", "buildx", "build", "--load", "--provenance=false")
    begins = words if program == "docker" else ("finch", "build")
    target = ("--target", "feishu") if image.feishu else ()
    platform = ("--platform", PLATFORMS[image.architecture])
    return (*begins, *platform, "--file", DOCKERFILE, *target, "--tag", image.name, ".")


def log_in(program: str, image: Image) -> tuple[str, ...]:
    """Give the command that logs in with the password on its stdin."""
    return (program, "login", "--username", "AWS", "--password-stdin", image.host)


def push(program: str, image: Image) -> tuple[str, ...]:
    """Give the command that pushes an image."""
    # Finch looks for the image of the processor it runs on, unless told otherwise.
    platform = ("--platform", PLATFORMS[image.architecture]) if program == "finch" else ()
    return (program, "push", *platform, image.name)


def log_out(program: str, image: Image) -> tuple[str, ...]:
    """Give the command that forgets the password."""
    return (program, "logout", image.host)


def run(command: Sequence[str], folder: Path, stdin: str = "") -> None:
    """Carry a command out, whose words a person sees. Raises ThreadlineError where it fails."""
    done = subprocess.run(command, cwd=folder, input=stdin.encode(), check=False)  # noqa: S603 - one of the above
    if done.returncode:
        raise ThreadlineError(f"{' '.join(command[:2])} failed; what it said is above")
