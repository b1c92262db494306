"""What a binding may say on its platform, and that no two claim one place."""

from collections.abc import Iterator, Mapping

from threadline.app.configure.faults import Path, nearest
from threadline.app.configure.kinds import KINDS, Kind
from threadline.app.configure.list_checks import allow_faults, id_faults, people_faults
from threadline.app.configure.shapes import BindingShape

type Fault = tuple[Path, str]
type Place = tuple[str, ...]


def binding_faults(shape: BindingShape, path: Path, kind: Kind) -> Iterator[Fault]:
    """Find what this binding says that its platform does not know."""
    yield from _place_faults(shape, path, kind)
    if shape.reply is not None and shape.reply not in kind.replies:
        known = ", ".join(kind.replies)
        yield (*path, "reply"), f"{shape.platform} answers in one of: {known}"
    yield from allow_faults(shape.allow, (*path, "allow"), kind, shape.platform)
    yield from people_faults(shape.session.users, (*path, "session", "users"), kind)
    if kind.fans_out:
        yield from _trigger_faults(shape, path, kind)
        return
    for key in ("triggers", "mention_login"):
        if key in shape.model_fields_set:
            yield (*path, key), f"is not for {shape.platform}; remove it"


def _place_faults(shape: BindingShape, path: Path, kind: Kind) -> Iterator[Fault]:
    other = "chats" if kind.place == "repositories" else "repositories"
    places = shape.repositories if kind.place == "repositories" else shape.chats
    if other in shape.model_fields_set:
        yield (*path, other), f"is not for {shape.platform}; write `{kind.place}:`"
    if kind.fans_out and not places:
        yield path, f"names no place; write `{kind.place}:` with {kind.chat.words} each"
    yield from id_faults(places, (*path, kind.place), kind.chat)


def _trigger_faults(shape: BindingShape, path: Path, kind: Kind) -> Iterator[Fault]:
    if shape.mention is not None:
        yield (*path, "mention"), "is for chats; write `require_mention` under an event"
    if shape.triggers is None:
        return
    if not shape.triggers:
        yield (*path, "triggers"), f"nothing fires; write some of: {', '.join(kind.events)}"
    for event in shape.triggers:
        if event not in kind.events:
            yield (*path, "triggers", event), f"unknown event; {nearest(event, kind.events)}"


def claim_faults(bindings: Mapping[str, BindingShape], fallback: str) -> Iterator[Fault]:
    """Find places that a second binding claims; several agents may share a place that fans out."""
    claimed: dict[Place, str] = {}
    for name, shape in bindings.items():
        kind = KINDS.get(shape.platform)
        if kind is None:
            continue
        own: set[Place] = set()
        for path, place, words in _claims(name, shape, kind, fallback):
            first = claimed.setdefault(place, name)
            if first != name:
                yield path, f"{words} belongs to binding `{first}` already"
            elif place in own:
                yield path, "is in this list already"
            own.add(place)


def _claims(
    name: str, shape: BindingShape, kind: Kind, fallback: str
) -> Iterator[tuple[Path, Place, str]]:
    where = (shape.platform, shape.app)
    if kind.fans_out:
        agent = shape.agent or fallback
        for number, place in enumerate(shape.repositories):
            path: Path = ("bindings", name, "repositories", number)
            yield path, (*where, place.lower(), agent), f"this repository with agent `{agent}`"
        return
    for number, place in enumerate(shape.chats):
        yield ("bindings", name, "chats", number), (*where, place), "this chat"
    if not shape.chats:
        yield ("bindings", name), where, f"every other chat of {shape.platform}/{shape.app}"
