import pytest

from tests.contract.ports.backends import Ports
from threadline.core.ports import Secrets

FIRST = {"token": "one"}
SECOND = {"token": "two"}
THIRD = {"token": "three"}


def test_an_entry_comes_back(secrets: Secrets) -> None:
    """Entries are kept apart, each with all of its names."""
    secrets.put("telegram/default", {"token": "1:A", "token.previous": "1:B"})
    secrets.put("agent/demo", {"key": "ü 漢 \n \"'"})
    assert secrets.get("telegram/default") == {"token": "1:A", "token.previous": "1:B"}
    assert secrets.get("agent/demo") == {"key": "ü 漢 \n \"'"}


def test_an_unknown_entry_is_empty(secrets: Secrets) -> None:
    """What was never put is an empty mapping."""
    assert secrets.get("nobody/default") == {}
    assert secrets.get("nobody/default", fresh=True) == {}


def test_an_entry_is_replaced(secrets: Secrets) -> None:
    """A put replaces the whole entry, and whoever put it sees it at once."""
    secrets.put("telegram/default", {"token": "one", "old": "x"})
    assert secrets.get("telegram/default")["old"] == "x"
    secrets.put("telegram/default", SECOND)
    assert secrets.get("telegram/default") == SECOND


def test_entries_are_listed(secrets: Secrets) -> None:
    """The entries there are come sorted by name."""
    assert secrets.entries() == ()
    for entry in ("telegram/default", "agent/demo", "github/default"):
        secrets.put(entry, FIRST)
    assert secrets.entries() == ("agent/demo", "github/default", "telegram/default")


def test_fresh_reads_what_another_process_put(ports: Ports) -> None:
    """A cached entry stays until it is asked for fresh: then the change is seen."""
    other = ports.elsewhere().secrets
    other.put("telegram/default", FIRST)
    assert ports.secrets.get("telegram/default") == FIRST
    other.put("telegram/default", SECOND)
    assert ports.secrets.get("telegram/default") == FIRST
    assert ports.secrets.get("telegram/default", fresh=True) == SECOND
    assert ports.secrets.get("telegram/default") == SECOND


def test_fresh_reads_once_a_minute(ports: Ports) -> None:
    """Asking fresh again within a minute does not read again, so that nobody can make it costly."""
    other = ports.elsewhere().secrets
    other.put("telegram/default", FIRST)
    assert ports.secrets.get("telegram/default", fresh=True) == FIRST
    other.put("telegram/default", SECOND)
    assert ports.secrets.get("telegram/default", fresh=True) == FIRST


def test_fresh_counts_by_entry(ports: Ports) -> None:
    """A fresh read of one entry does not use up another's."""
    other = ports.elsewhere().secrets
    for entry in ("telegram/default", "github/default"):
        other.put(entry, FIRST)
        assert ports.secrets.get(entry) == FIRST
        other.put(entry, SECOND)
    assert ports.secrets.get("telegram/default", fresh=True) == SECOND
    assert ports.secrets.get("github/default", fresh=True) == SECOND


def test_a_new_entry_is_found_fresh(ports: Ports) -> None:
    """An entry that was found absent and is made elsewhere is seen when asked for fresh."""
    other = ports.elsewhere().secrets
    assert ports.secrets.get("telegram/default") == {}
    other.put("telegram/default", FIRST)
    assert ports.secrets.get("telegram/default", fresh=True) == FIRST


@pytest.mark.parametrize("entry", ["telegram/default", "nobody/default"])
def test_a_change_is_seen_within_a_minute(ports: Ports, entry: str) -> None:
    """A change by another process is seen a minute later without asking fresh, and again after."""
    other = ports.elsewhere().secrets
    other.put("telegram/default", FIRST)
    ports.secrets.get(entry)
    for values in (SECOND, THIRD):
        other.put(entry, values)
        ports.advance(61)
        assert ports.secrets.get(entry) == values
