"""Whom a name means: people are known here by the ids of their platforms."""

from collections.abc import Iterator

from threadline.app import codec
from threadline.app.codec import Unreadable
from threadline.app.forget.subject import Person
from threadline.app.scanning import all_of
from threadline.core.ports import Item, Scans
from threadline.core.records import Admitted, Waiting
from threadline.core.settings import Settings


def named(scans: Scans, platform: str, app: str, name: str) -> tuple[Person, ...]:
    """Find the people of a platform who go by a name; "" as app means every one."""
    wanted = name.removeprefix("@").casefold()
    found: dict[Person, None] = {}
    for person, known_as in _known(scans):
        if wanted in {known_as.removeprefix("@").casefold(), person.id.casefold()}:
            found |= {person: None} if person.platform == platform else {}
    return tuple(one for one in found if app in {"", one.app})


def written_in(settings: Settings, person: Person) -> tuple[str, ...]:
    """Name the bindings whose configuration names a person."""
    return tuple(
        binding.name
        for binding in settings.bindings
        if person.speaks_by(binding.platform, binding.app)
        and person.id in {*binding.allow.senders, *binding.allow.bots, *binding.user_sessions}
    )


def _known(scans: Scans) -> Iterator[tuple[Person, str]]:
    for item in all_of(scans, "connections"):
        if item.key.sort.startswith("admitted#") and (one := _read(Admitted, item)):
            yield Person(one.platform, one.sender, one.app), one.name
    for item in all_of(scans, "conversations"):
        if item.key.sort.startswith("wait#") and (waiting := _read(Waiting, item)):
            message = waiting.message
            yield Person(message.platform, message.sender.id, message.app), message.sender.name


def _read[T](kind: type[T], item: Item) -> T | None:
    try:
        return codec.record(kind, item.attributes)
    except Unreadable:
        return None
