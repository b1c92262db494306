"""Install what a checkout needs, with nothing but Python 3.8 or later on the machine.

`python3 setup/bootstrap.py run` (or test, dev, agent, …) leaves the named environments ready to
use. uv comes from the package index by pip; everything after that is uv's work, from the pinned
and hashed sets in requirements/. An environment that already is as its set says costs nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import ssl
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator, NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".tools"
REQUIREMENTS = ROOT / "requirements"
PYTHON_VERSION = (ROOT / ".python-version").read_text(encoding="utf-8").strip()


class Environment(NamedTuple):
    """A folder with a set of packages in it, and what its first installation fetches."""

    folder: str
    what: str
    download: str


ENVIRONMENTS = {
    "runtime": Environment(".venv", "Threadline and what it runs on", "40 MB"),
    "dev": Environment(".venv", "Threadline and what checks it", "150 MB"),
    "agent": Environment(".tools/agent", "a LangGraph Server for the demo agent", "45 MB"),
    "aws": Environment(".tools/aws", "an AWS emulator and the AWS command line", "85 MB"),
    "lark": Environment(".tools/lark", "Feishu's own library", "15 MB"),
    "bench": Environment(".tools/bench", "the libraries that benchmarks compare with", "40 MB"),
    "sam": Environment(".tools/sam", "the SAM command line", "65 MB"),
    "node": Environment(".tools/node", "GitHub's own webhook library", "1 MB"),
}
GROUPS = {
    "run": ("runtime", "agent"),
    "emulator": ("runtime", "aws", "sam"),
    "check": ("dev", "agent"),
    "test": ("dev", "agent", "aws", "lark", "sam", "node"),
    "measure": ("dev", "agent", "lark", "bench"),
}


def main() -> None:
    """Make ready every environment or group named on the command line."""
    names = [name for word in sys.argv[1:] for name in GROUPS.get(word, (word,))]
    if not names or not set(names) <= set(ENVIRONMENTS):
        stop(f"usage: bootstrap.py {' | '.join([*GROUPS, *ENVIRONMENTS])} …")
    TOOLS.mkdir(exist_ok=True)
    with one_at_a_time():
        for name in names:
            prepare(name)


def prepare(name: str) -> None:
    """Bring one environment to what its set says; return at once where it is so already."""
    if name == "runtime" and stamp_of("dev").exists():
        name = "dev"  # the same folder with more in it
    environment, stamp = ENVIRONMENTS[name], stamp_of(name)
    folder = ROOT / environment.folder
    if is_as(stamp, digest(name)):
        return
    if name == "node" and not shutil.which("npm"):
        say(f"npm is not on this machine: going on without {environment.what}")
        return
    started = time.monotonic()
    uv = "" if name == "node" else find_uv()
    say(f"installing {environment.what} (fetches {environment.download})…")
    for stale in folder.glob(".made-of-*"):
        stale.unlink()
    if name == "node":
        fill_with_npm(folder)
    else:
        fill_with_uv(uv, name, folder)
    stamp.write_text(digest(name), encoding="utf-8")
    say(f"{environment.folder} is ready after {time.monotonic() - started:.0f} s")


def fill_with_uv(uv: str, name: str, folder: Path) -> None:
    """Leave in a virtual environment exactly the packages of one set, and Threadline in .venv."""
    python = str(folder / "bin" / "python")
    if not answers(python):
        # Relocatable, so that a checkout may be moved.
        run_uv(uv, "venv", "--clear", "--relocatable", "--python", find_python(uv), str(folder))
    # Compiled here, since PYTHONDONTWRITEBYTECODE would have every start compile it all again.
    sync = ("pip", "sync", "--require-hashes", "--compile-bytecode", "--python", python)
    run_uv(uv, *sync, str(REQUIREMENTS / f"{name}.txt"))
    if folder.name == ".venv":
        install = ("pip", "install", "--no-deps", "--python", python)
        pins = ("--build-constraints", str(REQUIREMENTS / "build.txt"))
        run_uv(uv, *install, *pins, "--editable", str(ROOT))


def fill_with_npm(folder: Path) -> None:
    """Leave in a folder exactly the npm packages of the lock, having run none of their scripts."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(str(REQUIREMENTS / "node" / name), str(folder / name))
    npm = ["npm", "ci", "--ignore-scripts", "--no-fund", "--no-audit", "--loglevel=error"]
    done = subprocess.run(
        npm, cwd=str(folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        stop("npm could not install what requirements/node names; what it said is above")


def find_uv() -> str:
    """Return the pinned uv, fetched on first use."""
    stamp = stamp_of("uv")
    uv = str(stamp.parent / "bin" / "uv")
    if not is_as(stamp, digest("uv")) or not answers(uv):
        say("fetching uv (20 MB)…")
        fetch_uv(stamp.parent)
        stamp.write_text(digest("uv"), encoding="utf-8")
    return uv


def fetch_uv(folder: Path) -> None:
    """Install uv into a folder by this Python's pip, or by the pip of a new environment there."""
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    pip += ["--require-hashes", "--requirement", str(REQUIREMENTS / "uv.txt")]
    own_pip = [sys.executable, *pip, "--target", str(folder)]
    new_environment = [sys.executable, "-m", "venv", str(folder)]
    its_pip = [str(folder / "bin" / "python"), *pip]
    problem = ""
    for way in ([own_pip], [new_environment, its_pip]):
        shutil.rmtree(str(folder), ignore_errors=True)
        for command in way:
            done, said = quietly(command)
            if not done:
                problem = said
                break
        if answers(str(folder / "bin" / "uv")):
            return
    shutil.rmtree(str(folder), ignore_errors=True)
    stop(
        f"uv could not be fetched with {sys.executable}, which needs pip or venv and a way to the"
        f" package index (on Debian: apt-get install python3-venv). It said: {problem}"
    )


def find_python(uv: str) -> str:
    """Return a Python of the wanted version: this machine's, or else one that uv fetches."""
    find = [uv, "python", "find", "--no-python-downloads", PYTHON_VERSION]
    for where in ("--system", "--managed-python"):
        found, python = quietly([*find, where])
        if found:
            return python
    say(f"fetching Python {PYTHON_VERSION} (35 MB)…")
    _, why = quietly([uv, "python", "install", PYTHON_VERSION])
    found, python = quietly([*find, "--managed-python"])
    if not found:
        stop(
            f"Python {PYTHON_VERSION} is not on this machine and could not be fetched ({why}):"
            " install it with your system's package manager or pyenv, then repeat the command"
        )
    return python


def run_uv(uv: str, *arguments: str) -> None:
    """Run one uv command, passing on only which large packages it fetches; stop where it fails."""
    command = [uv, *arguments]
    said = []
    with subprocess.Popen(
        command,
        cwd=str(ROOT),
        env=clean_environ(),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        for line in process.stderr or ():
            said.append(line)
            if line.startswith("Downloading "):
                say(f"  {line.strip()}")
    if process.returncode:
        stop(f"{' '.join(['uv', *arguments[:2]])} failed:\n{''.join(said)}")


def quietly(command: list[str]) -> tuple[bool, str]:
    """Run a command out of sight; return whether it succeeded, and the last line it printed."""
    try:
        done = subprocess.run(
            command,
            cwd=str(ROOT),
            env=clean_environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
    except OSError as error:
        return False, str(error)
    lines = done.stdout.strip().splitlines() or [""]
    return done.returncode == 0, lines[-1]


def answers(program: str) -> bool:
    """Return whether a program starts on this machine."""
    return quietly([program, "--version"])[0]


def clean_environ() -> dict[str, str]:
    """Return this process's environment less what would send an installation elsewhere."""
    elsewhere = ("PIP_PREFIX", "PIP_REQUIRE_VIRTUALENV", "PIP_TARGET", "PIP_USER", "VIRTUAL_ENV")
    environ = {name: value for name, value in os.environ.items() if name not in elsewhere}
    environ["UV_PYTHON_INSTALL_DIR"] = str(TOOLS / "python")
    if ssl.get_default_verify_paths().cafile:
        environ.setdefault("UV_SYSTEM_CERTS", "true")  # as pip and the browser trust here
    return environ


def stamp_of(name: str) -> Path:
    """Return the file that records what an environment was made of."""
    folder = ".tools/uv" if name == "uv" else ENVIRONMENTS[name].folder
    return ROOT / folder / f".made-of-{name}"


def is_as(stamp: Path, wanted: str) -> bool:
    """Return whether an environment was made of what is wanted now."""
    return stamp.exists() and stamp.read_text(encoding="utf-8") == wanted


def digest(name: str) -> str:
    """Return a digest of everything that decides what one environment holds."""
    sources = [REQUIREMENTS / f"{name}.txt", ROOT / ".python-version"]
    if name == "node":
        sources = [REQUIREMENTS / "node" / "package-lock.json"]
    elif name in ("runtime", "dev"):
        sources += [REQUIREMENTS / "build.txt", ROOT / "pyproject.toml"]
    place = str(ROOT) if name in ("runtime", "dev") else ""  # where Threadline itself is found
    parts = [place.encode(), *(source.read_bytes() for source in sources)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Hold back a second set-up of the same checkout until the first is done."""
    with (TOOLS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(line: str) -> None:
    """Tell the person at the terminal what goes on."""
    print(line, flush=True)


def stop(line: str) -> NoReturn:
    """End with one clear line."""
    sys.exit(f"setup: {line}")


if __name__ == "__main__":
    main()
