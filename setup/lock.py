"""Resolve every set in requirements/ into exact versions with hashes, naming no package index.

A set that another one is held to comes first: both are then resolved to the same versions.
"""

from __future__ import annotations

import subprocess
import sys

from setup.bootstrap import ROOT, clean_environ, find_uv

SETS = (
    "ingest", "runtime", "vendor", "task", "dev", "bench", "agent", "aws", "lark", "sam", "build",
    "uv",
)  # fmt: skip
COMPILE = ("pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header")
NO_INDEX = ("--no-emit-index-url", "--no-emit-find-links")
LOCK_NODE = ("npm", "install", "--package-lock-only", "--omit-lockfile-registry-resolved")


def main() -> None:
    """Write each set's lock; words given on the command line go to uv (such as --upgrade)."""
    for name in SETS:
        files = (f"requirements/{name}.in", "--output-file", f"requirements/{name}.txt")
        command = [find_uv(), *COMPILE, *NO_INDEX, *sys.argv[1:], *files]
        subprocess.run(command, cwd=ROOT, env=clean_environ(), check=True)
    subprocess.run([*LOCK_NODE, "--no-audit"], cwd=ROOT / "requirements" / "node", check=True)


if __name__ == "__main__":
    main()
