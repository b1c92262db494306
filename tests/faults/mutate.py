"""`make mutate`: the harness must find every one of some small, wrong changes."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATCHES = tuple(sorted((ROOT / "tests/faults/mutations").glob("*.patch")))
COPIED = ("layers", "functions", "tests", "long_running")
LOOK = ("--every", "2", "--schedules", "500", "--seed", "1", "--first")


def applies(patch: Path, tree: Path = ROOT) -> bool:
    """Tell whether a patch still fits the code."""
    check = subprocess.run(
        ["git", "apply", "--check", str(patch)], cwd=tree, capture_output=True, check=False
    )
    return check.returncode == 0


def main() -> int:
    """Apply each patch to a copy of the code and run the harness; 1 where one goes unfound."""
    survived = 0
    wanted = [patch for patch in PATCHES if not sys.argv[1:] or patch.stem in sys.argv[1:]]
    for patch in wanted:
        begun = time.monotonic()
        found = _found(patch)
        survived += not found
        what = "found" if found else "NOT FOUND"
        print(f"{patch.stem:<40}{what:>10}{time.monotonic() - begun:>8.0f} s", flush=True)
    print(f"{len(wanted)} mutations, {survived} not found")
    return 1 if survived else 0


def _found(patch: Path) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in COPIED:
            if (ROOT / name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__", ".aws-sam")
                shutil.copytree(ROOT / name, tree / name, ignore=ignored)
        applied = ["git", "apply", "--unsafe-paths", f"--directory={tree}", str(patch)]
        subprocess.run(applied, cwd=tree, check=True, capture_output=True)
        paths = os.pathsep.join((str(tree), str(tree / "layers/threadline")))
        harness = subprocess.run(
            [sys.executable, "-m", "tests.faults", *LOOK],
            cwd=tree, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, check=False,
        )  # fmt: skip
        return harness.returncode == 1


if __name__ == "__main__":
    sys.exit(main())
