"""Lists of ids: each must be what the platform calls people and chats, or it would match nobody."""

import re
from collections.abc import Iterable, Iterator, Sequence

from threadline.app.configure.faults import Path
from threadline.app.configure.kinds import Ids, Kind
from threadline.app.configure.shapes import AllowShape

_NOBODY = "; until then this list admits nobody"


def allow_faults(
    allow: AllowShape | None, path: Path, kind: Kind, platform: str
) -> Iterator[tuple[Path, str]]:
    """Find what an allow list says that could never match on this platform."""
    if allow is None:
        return
    for word in ("everyone", "members", "admitted"):
        if getattr(allow, word) and word not in kind.may_allow:
            words = ", ".join((*kind.may_allow, "nobody"))
            what = f"means nothing on {platform}; write one of {words}, or lists of ids"
            yield (*path, word), what + _NOBODY
    yield from id_faults(allow.senders, (*path, "senders"), kind.sender, _NOBODY)
    yield from id_faults(allow.bots, (*path, "bots"), kind.sender, _NOBODY)
    yield from id_faults(allow.chats, (*path, "chats"), kind.chat, _NOBODY)


def people_faults(people: Iterable[str], path: Path, kind: Kind) -> Iterator[tuple[Path, str]]:
    """Find keys of a table of people that are no ids of people."""
    for person in people:
        if not re.fullmatch(kind.sender.pattern, person):
            yield (*path, person), f"no id of a person here; wants {kind.sender.words}"


def id_faults(
    ids: Sequence[str], path: Path, wanted: Ids, consequence: str = ""
) -> Iterator[tuple[Path, str]]:
    """Find ids in a list that the platform would never give."""
    for number, one in enumerate(ids):
        if not re.fullmatch(wanted.pattern, one):
            yield (*path, number), f"wants {wanted.words}{consequence}"
