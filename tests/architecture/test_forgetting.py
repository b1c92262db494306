"""What rests is known to the command that forgets people."""

import re

from tests.architecture.source import PACKAGE, files
from tests.simulation.roles import WRITERS
from threadline.app.forget.bodies import LONG_TEXTS, OF_TURNS
from threadline.app.forget.survey import LOOKS
from threadline.app.ingest import LARGE, UNACCEPTED, UNREADABLE

STORED = re.compile(r"""(?:SaveTo\(|\.put\(|name = )f?"([a-z]+/)""")
"""Where code names a body: `SaveTo(f"files/…`."""


def test_every_kind_of_item_is_looked_at() -> None:
    """A kind of item that somebody may write is one that forgetting knows."""
    assert set(LOOKS) == set(WRITERS)


def test_every_kind_of_body_is_looked_at() -> None:
    """Whatever the use cases store as a body has a name by which forgetting finds it."""
    known = {*OF_TURNS, LONG_TEXTS, LARGE, UNACCEPTED, UNREADABLE}
    named = {
        found
        for path in files(".py")
        if path.is_relative_to(PACKAGE / "app")
        for found in STORED.findall(path.read_text(encoding="utf-8"))
    }
    assert {"files/", "artifacts/", "waiting/", "mail/"} <= named
    assert named <= known
