"""What becomes of an entry's secrets when some are given: kept, replaced, made, rotated."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from threadline.app.configure.faults import nearest
from threadline.app.configure.kinds import SecretName
from threadline.core.errors import ThreadlineError

PREVIOUS = ".previous"
MAX_LENGTH = 16_000
_LINE = re.compile(r"[\x20-\x7e]+")
_LINES = re.compile(r"[\x20-\x7e\n]+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The entry as it is to be stored, and the names of what was made or replaced."""

    values: Mapping[str, str] = field(repr=False)
    made: tuple[str, ...] = ()
    rotated: tuple[str, ...] = ()


def parse_lines(lines: Iterable[str], names: Iterable[SecretName]) -> Mapping[str, str]:
    """Read `name=value` lines; empty ones and those with `#` first are passed over.

    Raises ThreadlineError, which names a line by its number and never repeats it.
    """
    known = {one.name: one for one in names}
    given: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals:
            raise ThreadlineError(f"line {number} is not of the form name=value")
        if name.strip() not in known:
            raise ThreadlineError(f"line {number} names no secret; {nearest('', known)}")
        given[name.strip()] = read_value(known[name.strip()], value)
    return given


def read_value(secret: SecretName, written: str) -> str:
    """Read one value; a path where several lines are wanted. Raises ThreadlineError without it."""
    value = written.strip()
    if secret.from_file and value and not value.startswith("-----BEGIN"):
        try:
            value = Path(value.removeprefix("@")).expanduser().read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            raise ThreadlineError(
                f"{secret.name} wants the path of a file that can be read"
            ) from None
    pattern = _LINES if secret.from_file else _LINE
    if value and (len(value) > MAX_LENGTH or not pattern.fullmatch(value)):
        raise ThreadlineError(f"{secret.name} holds characters that no such secret has")
    return value


def merge(
    stored: Mapping[str, str],
    given: Mapping[str, str],
    names: Iterable[SecretName],
    make: Callable[[], str],
    *,
    rotate: bool = False,
) -> Outcome:
    """Lay what was given over what is stored, and make what was not given where it can be made.

    The former value of a secret that others hold too stays valid beside the new one.
    """
    values = {**stored, **{name: value for name, value in given.items() if value}}
    made, rotated = [], []
    for secret in (one for one in names if one.made or one.verifies):
        former = stored.get(secret.name, "")
        if secret.made and not given.get(secret.name) and (rotate or not former):
            values[secret.name] = make()
            made.append(secret.name)
        if former and values[secret.name] != former:
            values[secret.name + PREVIOUS] = former
            rotated.append(secret.name)
    return Outcome(values, tuple(made), tuple(rotated))


def unended(stored: Mapping[str, str], outcome: Outcome) -> tuple[str, ...]:
    """Name what would lose a former value that may still be in use: its rotation was not ended."""
    return tuple(
        name for name in outcome.rotated
        if stored.get(name + PREVIOUS, outcome.values[name]) != outcome.values[name]
    )  # fmt: skip


def without_previous(stored: Mapping[str, str]) -> Mapping[str, str]:
    """Drop the former values: the new ones are in use everywhere."""
    return {name: value for name, value in stored.items() if not name.endswith(PREVIOUS)}
