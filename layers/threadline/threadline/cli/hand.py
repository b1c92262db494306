"""Whose hand it is that changes something from the command line."""

import getpass
import os
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadline.app.audit import Hand


def this_hand() -> "Hand":
    """Give the person at this machine, by number where the account has no name."""
    from threadline.app.audit import Hand

    try:
        name = getpass.getuser()
    except OSError:
        name = f"uid {os.getuid()}"
    return Hand(name, secrets.token_hex(4))
