"""The steps of a Dockerfile carried out without Docker, in a folder that stands for `/`.

A stage's folder begins with nothing but a Python that has pip, as the official image has. What a
step names by an absolute path is looked for under that folder; a RUN may name none, since the shell
that carries it out sees this machine's.
"""

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from setup.bootstrap import clean_environ, find_python, find_uv
from tests.aws.dockerfile import IGNORED, Dockerfile, Instruction, Stage, context, substituted
from tests.peers import ROOT

MACHINE: Final = "arm64" if platform.machine() in {"aarch64", "arm64"} else "amd64"
PYTHON: Final = "usr/local"
SYSTEM: Final = "/usr/bin:/bin"
FETCHING: Final = re.compile(r"(PIP|UV|SSL)_\w+|(https?|no)_proxy|HOME|LANG", re.IGNORECASE)
"""What tells pip and uv on this machine where packages and their copies are."""

ABSOLUTE: Final = re.compile(r"(?:^|[\s=\"'])/\w")


@dataclass
class State:
    """What the steps so far have led to: the folder, and what the image is configured to."""

    root: Path
    workdir: str = "/"
    env: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    user: str = "0"

    @property
    def here(self) -> Path:
        """The folder that the next step is carried out in."""
        return self.inside(self.workdir)

    def inside(self, path: str) -> Path:
        """Return where a path of the image is on this machine."""
        where = self.root / os.path.normpath(Path(self.workdir) / path).lstrip("/")
        assert where.resolve().is_relative_to(self.root.resolve()), path
        return where

    def environ(self) -> dict[str, str]:
        """Return the image's environment, its paths as they are on this machine."""
        mapped = {name: self._mapped(value) for name, value in self.env.items()}
        return {"PATH": f"{self.root / PYTHON / 'bin'}:{SYSTEM}", "HOME": str(self.root), **mapped}

    def _mapped(self, value: str) -> str:
        parts = value.split(":")
        return ":".join(str(self.inside(one)) if one.startswith("/") else one for one in parts)


@dataclass
class Build:
    """Builds stages into folders of their own, each once."""

    dockerfile: Dockerfile
    folder: Path
    source: Path = ROOT
    built: dict[str, State] = field(default_factory=dict)

    def stage(self, name: str) -> State:
        """Build a stage and what it stands on, and return what came of it."""
        stage = self.dockerfile.stage(name)
        if stage.name not in self.built:
            self.built[stage.name] = self._carry_out(stage)
        return self.built[stage.name]

    def _carry_out(self, stage: Stage) -> State:
        state = self._begun(stage)
        for one in stage.instructions:
            STEPS[one.word](self, state, one)
        return state

    def _begun(self, stage: Stage) -> State:
        root = self.folder / (stage.name or "final")
        below = [one for one in self.dockerfile.stages if one.name == stage.base]
        if not below:
            bare_python(root / PYTHON)
            return State(root)
        before = self.stage(stage.base)
        shutil.copytree(before.root, root, symlinks=True)
        return State(root, before.workdir, {**before.env}, {}, before.user)

    def workdir(self, state: State, one: Instruction) -> None:
        state.workdir = substituted(one.rest, state.arguments | state.env)
        state.here.mkdir(parents=True, exist_ok=True)

    def argument(self, state: State, one: Instruction) -> None:
        given = {"BUILDPLATFORM": f"linux/{MACHINE}", "TARGETARCH": MACHINE}
        state.arguments |= one.pairs if "=" in one.rest else {one.rest: given[one.rest]}

    def env(self, state: State, one: Instruction) -> None:
        state.env |= one.pairs

    def user(self, state: State, one: Instruction) -> None:
        state.user = one.rest

    def copy(self, state: State, one: Instruction) -> None:
        """Copy files and what folders hold, as COPY does."""
        *sources, into = one.rest.split()
        target = state.inside(into)
        for name in sources:
            if came_from := one.options.get("from"):
                source, files = self.stage(came_from).inside(name), None
            else:
                source, files = self.source / name, self.seen
            if source.is_file():
                assert files is None or source.relative_to(self.source) in files, f"ignored: {name}"
                folder = into.endswith("/")
                (target if folder else target.parent).mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target / source.name if folder else target)
            else:
                self._copy_tree(source, target, files)

    def _copy_tree(self, source: Path, target: Path, files: frozenset[Path] | None) -> None:
        def ignored(folder: str, names: list[str]) -> list[str]:
            here = Path(folder).relative_to(self.source)
            return [
                name for name in names
                if not any((here / name) in (one, *one.parents) for one in files or ())
            ]  # fmt: skip

        assert source.is_dir(), source
        ignore = None if files is None else ignored
        shutil.copytree(source, target, symlinks=True, ignore=ignore, dirs_exist_ok=True)

    @cached_property
    def seen(self) -> frozenset[Path]:
        """What of the source a build may see."""
        return context(self.source, (self.source / IGNORED.name).read_text(encoding="utf-8"))

    def run(self, state: State, one: Instruction) -> None:
        """Carry a command out as the shell of an image does, in an environment of its own."""
        if named := ABSOLUTE.search(one.rest):
            raise ValueError(f"RUN names a path of this machine: {named[0].strip()}: {one.rest}")
        fetching = {k: v for k, v in clean_environ().items() if FETCHING.fullmatch(k)}
        done = subprocess.run(
            ["/bin/sh", "-c", one.rest], cwd=state.here,
            env={**state.environ(), **fetching, **state.arguments},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"RUN {one.rest}\n{done.stdout}"

    def configured(self, _: State, one: Instruction) -> None:
        """Nothing is done now for what says how the container is run."""


STEPS: Final = {
    "WORKDIR": Build.workdir, "ARG": Build.argument, "ENV": Build.env, "USER": Build.user,
    "COPY": Build.copy, "RUN": Build.run, "STOPSIGNAL": Build.configured,
    "HEALTHCHECK": Build.configured, "CMD": Build.configured,
}  # fmt: skip


def bare_python(folder: Path) -> None:
    """Make what the official image begins with: an interpreter, pip, and nothing else."""
    uv = find_uv()
    subprocess.run(
        [uv, "venv", "--quiet", "--seed", "--python", find_python(uv), folder],
        env=clean_environ(), stdin=subprocess.DEVNULL, check=True,
    )  # fmt: skip


def run_as(user: str) -> list[str]:
    """Return what to put before a command so that it runs as the image's user, if we may.

    Root keeps the right to read this machine's Python, wherever it is, and no other right.
    """
    if os.geteuid() != 0:
        return []
    uid, _, gid = user.partition(":")
    kept = "-all,+dac_read_search"
    return [
        "setpriv", f"--reuid={uid}", f"--regid={gid or uid}", "--clear-groups", "--no-new-privs",
        f"--inh-caps={kept}", f"--ambient-caps={kept}", f"--bounding-set={kept}", "--",
    ]  # fmt: skip


def last(dockerfile: Dockerfile, target: str, word: str) -> Instruction:
    """Return the instruction of a kind that counts: the last of the stage and those below."""
    return [one for stage in dockerfile.lineage(target) for one in stage.all(word)][-1]
