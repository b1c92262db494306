"""Asking a person before something that cannot be taken back."""

import sys

from threadline.core.errors import ThreadlineError


def agreed(question: str, *, yes: bool) -> bool:
    """Ask for a `y`; `yes` answers it. Raises ThreadlineError where nobody is there to be asked."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise ThreadlineError(f"{question} Nobody is here to say so: add --yes")
    print(f"{question} [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
