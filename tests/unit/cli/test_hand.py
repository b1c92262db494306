import getpass
import os

import pytest

from threadline.cli.hand import this_hand


def test_the_person_is_named_as_the_machine_does() -> None:
    """An audit row says who did it; two rows of one instant differ."""
    one, other = this_hand(), this_hand()
    assert one.by == other.by == getpass.getuser()
    assert one.unique != other.unique


def test_an_account_without_a_name_goes_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs under a number nobody gave a name."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_123)
    assert this_hand().by == "uid 4000123"
