"""Faults on their way to the person: where in the file, under which key, and what to write."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from threadline.app.configure.secrecy import redact
from threadline.core.errors import ConfigError, Fault

type Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A fault as the checks find it; `line` counts from 1, 0 where no line holds it."""

    line: int
    path: Path
    what: str


def spell(path: Path) -> str:
    """Write a path as people do: `bindings.team.chats[0]`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggest what was meant, or name everything there is."""
    options = sorted(known)
    close = difflib.get_close_matches(word.lower(), options, n=1, cutoff=0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    return f"write one of: {', '.join(options)}" if options else "nothing can be written here"


def error(found: Sequence[Found], name: str) -> ConfigError:
    """Put all faults of one file into one error, in the order of its lines."""
    unique = sorted(set(found), key=lambda one: (one.line, spell(one.path), one.what))
    return ConfigError([_fault(one, name) for one in unique])


def _fault(found: Found, name: str) -> Fault:
    where = f"{name}:{found.line}" if found.line else name
    what = f"{spell(found.path)}: {found.what}" if found.path else found.what
    return Fault(where, redact(what))
