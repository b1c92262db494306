"""`python -m tests.faults`: see `runner`."""

import sys

from tests.faults.runner import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
