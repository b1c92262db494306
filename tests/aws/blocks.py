"""Command blocks of the pages, carried out by a shell as a reader would, in an emulated account."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.peers import ROOT, path_of
from tests.pipeline.serving import PROGRAM, environ_of


def blocks(page: str, heading: str) -> list[str]:
    """List the command blocks below a heading of a page."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    section = re.split(rf"^## {re.escape(heading)}\n", text, flags=re.MULTILINE)[1]
    below = section.split("\n## ")[0]
    found: list[str] = re.findall(r"^```\n(.*?)^```", below, re.MULTILINE | re.DOTALL)
    return found


def carried_out(folder: Path, environ: Mapping[str, str], *lines: str) -> str:
    """Run lines in one shell, in which `threadline` and `aws` are found; return what they said.

    `.tools` stands there as in the checkout.
    """
    found = folder / "programs"
    found.mkdir(exist_ok=True)
    for program in (PROGRAM[0], path_of("aws").with_name("aws")):
        link = found / program.name
        if not link.exists():
            link.write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
            link.chmod(0o755)
    if not (folder / ".tools").exists():
        (folder / ".tools").symlink_to(ROOT / ".tools")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)], cwd=folder,
        env={**environ_of(environ), "PATH": f"{found}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout
