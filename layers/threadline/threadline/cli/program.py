"""How a person calls this command here, so that what is printed can be pasted."""

import os
import shutil
import sys
from pathlib import Path

NAME = "threadline"


def as_typed() -> str:
    """Give `threadline` where the shell finds this very one, else its path from here."""
    this = Path(sys.argv[0])
    found = shutil.which(NAME)
    if found and this.exists() and Path(found).samefile(this):
        return NAME
    return os.path.relpath(this) if this.name == NAME else NAME
