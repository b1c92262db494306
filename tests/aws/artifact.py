"""What `sam build` makes of this repository, for this machine's processor, once for all tests."""

import os
import platform
import subprocess
from pathlib import Path

from tests.peers import ROOT, path_of

ARCHITECTURE = "arm64" if platform.machine() in {"aarch64", "arm64"} else "x86_64"


ATTEMPTS = 3


def build(folder: Path) -> Path:
    """Build functions and layers into a folder, again where the network failed; say SAM's words."""
    done = _build(folder)
    for _ in range(ATTEMPTS - 1):
        if not done.returncode or "Failed to fetch" not in done.stdout:
            break
        done = _build(folder)
    if done.returncode:
        raise RuntimeError(f"sam build failed:\n{done.stdout}")
    return folder


def _build(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            path_of("sam"),
            "build",
            f"--build-dir={folder}",
            f"--parameter-overrides=Architecture={ARCHITECTURE}",
        ],
        cwd=ROOT,
        env={**os.environ, "ARCHITECTURE": ARCHITECTURE, "SAM_CLI_TELEMETRY": "0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
