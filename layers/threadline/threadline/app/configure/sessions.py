"""Run parameters by layer: all < platform < binding < person on the platform < person here."""

from collections.abc import Mapping

from threadline.app.configure.kinds import Kind
from threadline.app.configure.shapes import BindingShape, FileShape, PlatformShape, SessionShape
from threadline.core.settings import Session

RECURSION_LIMIT = 100
_LIMIT = "recursion_limit"


def layers(
    file: FileShape, platform: PlatformShape, binding: BindingShape, kind: Kind
) -> tuple[Session, ...]:
    """Give the layers of a binding, the widest first.

    A binding's own recursion limit holds as written; without one the run gets at least the
    platform's usual limit, for agents that work alone need more steps than those that chat.
    """
    shapes = (file.session, platform.session, binding.session)
    default, middle, own = (_layer(shape) for shape in shapes)
    default = Session(
        default.assistant, {_LIMIT: RECURSION_LIMIT, **default.config}, default.context
    )
    if _LIMIT not in own.config:
        merged = middle.config.get(_LIMIT, default.config[_LIMIT])
        if isinstance(merged, int) and merged < kind.recursion_limit:
            own = Session(own.assistant, {**own.config, _LIMIT: kind.recursion_limit}, own.context)
    return (default, middle, own)


def people(platform: PlatformShape, binding: BindingShape, kind: Kind) -> Mapping[str, Session]:
    """Give each person's layer: what the platform says of them, then what the binding says."""
    wide, own = platform.session.users, binding.session.users
    return {
        kind.sender.normal(sender): merge(_layer(wide.get(sender)), _layer(own.get(sender)))
        for sender in sorted(wide.keys() | own.keys())
    }


def merge(under: Session, over: Session) -> Session:
    """Lay one layer over another, key by key."""
    return Session(
        over.assistant or under.assistant,
        {**under.config, **over.config},
        {**under.context, **over.context},
    )


def _layer(shape: SessionShape | None) -> Session:
    if shape is None:
        return Session()
    return Session(shape.assistant_id, shape.config, shape.context)
