"""Starts the AWS emulator in a time that tests can move: `python shifted.py FILE`.

FILE holds eight bytes, the seconds by which the emulator's clock runs ahead.
"""

import mmap
import runpy
import struct
import sys
import time
from pathlib import Path

SECONDS = struct.Struct("<d")


def main() -> None:
    """Move `time.time` by what stands in the file, then run the emulator."""
    with Path(sys.argv.pop(1)).open("r+b") as file:
        ahead = mmap.mmap(file.fileno(), SECONDS.size)
    real = time.time
    time.time = lambda: real() + SECONDS.unpack_from(ahead)[0]
    runpy.run_module("ministack", run_name="__main__")


if __name__ == "__main__":
    main()
