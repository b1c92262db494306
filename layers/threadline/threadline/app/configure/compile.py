"""`threadline.yaml` to settings: the only code that reads it."""

import hashlib
import json
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Final

from threadline.app.configure import agents, apps, bindings
from threadline.app.configure.checks import check
from threadline.app.configure.faults import Found, error
from threadline.app.configure.shapes import FileShape
from threadline.app.configure.shaping import shape
from threadline.app.configure.surroundings import Compiled, Surroundings
from threadline.app.configure.tree import read
from threadline.core.apps import AppSettings
from threadline.core.settings import Settings

FILE_NAME: Final = "threadline.yaml"
MAX_ENTRIES: Final = 95
"""Agents, apps and bindings together: they are written to the store all at once."""


def compile_settings(source: bytes, around: Surroundings, name: str = FILE_NAME) -> Compiled:
    """Compile the file's bytes; b"" stands for a file that is not there.

    Raises ConfigError with every fault and its line, and nothing else for any bytes.
    """
    return _build(_checked(source, around, name), around, name)


def app_settings(
    source: bytes, around: Surroundings, platform: str, app: str, name: str = FILE_NAME
) -> AppSettings:
    """Give what the file says of one app, be it on or off, or not there at all.

    Raises ConfigError with every fault of the file.
    """
    file = _checked(source, around, name)
    return apps.settings(apps.one(file, platform, app, around))


def _checked(source: bytes, around: Surroundings, name: str) -> FileShape:
    tree = read(source, name)
    file, found = shape(tree)
    found += check(file, tree, around)
    if found:
        raise error(found, name)
    return file


def _build(file: FileShape, around: Surroundings, name: str) -> Compiled:
    known = agents.build(file, around)
    candidates = apps.every(file, around)
    able = [one for one in candidates if not apps.obstacle(one, around)]
    places = [(one.platform, one.name) for one in able]
    bound = bindings.build(file, around, places, agents.fallback(known))
    rows = tuple(apps.status(one, bound, known, around) for one in candidates)
    on = {(row.platform, row.app) for row in rows if row.on}
    settings = Settings(
        version="",
        namespace=around.namespace,
        language=file.language,
        public_url=(around.public_url or file.public_url).rstrip("/"),
        stage=file.stage,
        agents=known,
        apps=tuple(apps.settings(one) for one in able if (one.platform, one.name) in on),
        bindings=bound,
    )
    if len(settings.agents) + len(settings.apps) + len(settings.bindings) > MAX_ENTRIES:
        what = (
            f"more than {MAX_ENTRIES} agents, apps and bindings; one binding may name many places"
        )
        raise error([Found(0, ("bindings",), what)], name)
    return Compiled(replace(settings, version=version_of(settings)), rows)


def version_of(settings: Settings) -> str:
    """Name the content: the same settings always have the same version."""
    content = plain(replace(settings, version="", namespace=""))
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plain(value: object) -> object:
    """Turn settings into what JSON holds, sets in order."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value
