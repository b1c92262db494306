"""A Dockerfile as values: the few instructions ours may have, and a refusal of all others.

https://docs.docker.com/reference/dockerfile/
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from tests.peers import ROOT

DOCKERFILE: Final = ROOT / "long_running" / "Dockerfile"
IGNORED: Final = ROOT / ".dockerignore"
IN_A_STAGE: Final = ("WORKDIR", "COPY", "RUN", "ARG", "ENV", "USER", "STOPSIGNAL", "HEALTHCHECK",
                     "CMD")  # fmt: skip
OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "FROM": ("platform",),
    "COPY": ("from",),
    "HEALTHCHECK": ("interval", "timeout", "start-period", "retries"),
}


@dataclass(frozen=True)
class Instruction:
    """One instruction: its options, and what follows them."""

    word: str
    options: Mapping[str, str]
    rest: str

    @property
    def exec_form(self) -> list[str]:
        """The words of a command that no shell takes apart. Raises ValueError for any other."""
        words = json.loads(self.rest) if self.rest.startswith("[") else None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError(f"{self.word} is not in exec form: {self.rest}")
        return words

    @property
    def pairs(self) -> dict[str, str]:
        """The names and values of an ENV, or of an ARG that has a default."""
        return dict(word.split("=", 1) for word in shlex.split(self.rest))


@dataclass(frozen=True)
class Stage:
    """What stands between one FROM and the next."""

    name: str
    base: str
    platform: str
    instructions: tuple[Instruction, ...]

    def all(self, word: str) -> list[Instruction]:
        """List the instructions of a kind."""
        return [one for one in self.instructions if one.word == word]


@dataclass(frozen=True)
class Dockerfile:
    """The arguments before the first stage, and the stages."""

    arguments: Mapping[str, str]
    stages: tuple[Stage, ...]

    def stage(self, name: str) -> Stage:
        """Find a stage by its name; "" is the last one, which is built where none is named."""
        if not name:
            return self.stages[-1]
        return next(one for one in self.stages if one.name == name)

    def lineage(self, name: str) -> list[Stage]:
        """List a stage and those it stands on, the lowest first."""
        stage, names = self.stage(name), {one.name for one in self.stages}
        below = self.lineage(stage.base) if stage.base in names else []
        return [*below, stage]


def read(text: str) -> Dockerfile:
    """Read a Dockerfile. Raises ValueError for what is not known here."""
    arguments: dict[str, str] = {}
    stages: list[Stage] = []
    for one in _instructions(text):
        if one.word == "FROM":
            base, _, name = one.rest.partition(" AS ")
            platform = one.options.get("platform", "")
            stages.append(Stage(name, substituted(base, arguments), platform, ()))
        elif not stages and one.word == "ARG":
            arguments |= one.pairs
        elif stages and one.word in IN_A_STAGE:
            last = stages.pop()
            steps = (*last.instructions, one)
            stages.append(Stage(last.name, last.base, last.platform, steps))
        else:
            raise ValueError(f"unknown here: {one.word} {one.rest}")
    return Dockerfile(arguments, tuple(stages))


def _instructions(text: str) -> Iterator[Instruction]:
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        if line.strip():
            yield _instruction(line.strip())


def _instruction(line: str) -> Instruction:
    word, _, rest = line.partition(" ")
    options: dict[str, str] = {}
    while found := re.match(r"\s*--([a-z-]+)=(\S+)\s+", rest):
        if found[1] not in OPTIONS.get(word, ()):
            raise ValueError(f"unknown option of {word}: {found[1]}")
        options[found[1]], rest = found[2], rest[found.end() :]
    if word == "HEALTHCHECK":
        if not rest.strip().startswith("CMD "):
            raise ValueError(f"a health check without a command: {rest}")
        rest = rest.strip().removeprefix("CMD ")
    return Instruction(word, options, rest.strip())


def substituted(text: str, values: Mapping[str, str]) -> str:
    """Replace `$NAME` and `${NAME}`. Raises KeyError for a name without a value."""
    return re.sub(r"\$\{(\w+)\}|\$(\w+)", lambda found: values[found[1] or found[2]], text)


def context(root: Path, patterns: str) -> frozenset[Path]:
    """Return the files that a build may see, as paths from the root; the last pattern decides.

    https://docs.docker.com/build/concepts/context/#dockerignore-files
    """
    lines = [line for line in patterns.splitlines() if line and not line.startswith("#")]
    shown = [Path(line[1:]) for line in lines if line.startswith("!")]
    found = set()
    for folder, folders, files in root.walk():
        here = folder.relative_to(root)
        found |= {here / name for name in files if not _hidden(here / name, lines)}
        # What is hidden whole need not be gone through.
        folders[:] = [
            name for name in folders
            if not _hidden(here / name, lines) or any(_leads_to(here / name, one) for one in shown)
        ]  # fmt: skip
    return frozenset(found)


def _leads_to(folder: Path, shown: Path) -> bool:
    return folder in shown.parents


def _hidden(name: Path, lines: list[str]) -> bool:
    deciding = [line for line in lines if _matches(line.removeprefix("!"), name)]
    return bool(deciding) and not deciding[-1].startswith("!")


def _matches(pattern: str, name: Path) -> bool:
    """Tell whether a pattern means a file or a folder above it."""
    if pattern.startswith("**/"):
        return any(fnmatchcase(part, pattern[3:]) for part in name.parts)
    depth = len(Path(pattern).parts)
    parts = name.parts[:depth]
    return len(parts) == depth and all(
        fnmatchcase(part, wanted) for part, wanted in zip(parts, Path(pattern).parts, strict=True)
    )
