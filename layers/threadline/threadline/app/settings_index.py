"""The index of the stored settings: the version, and which apps there are.

Ingest reads this one item on a cold start, so it is read with the standard library only.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from threadline.core.apps import AppSettings
from threadline.core.ids import AppName, PlatformName
from threadline.core.json import Json, JsonObject
from threadline.core.ports import Item, Key
from threadline.core.schema import READABLE_SCHEMAS

TABLE: Final = "settings"
PARTITION: Final = "settings"
KEY: Final = Key(TABLE, PARTITION, "index")

_FIELDS: Final = ("identity", "identity_name", "base_url", "transport")


def app_entry(app: AppSettings) -> JsonObject:
    """Write an app as the index holds it: what a delivery needs and no more."""
    return {
        "platform": app.platform,
        "app": app.app,
        **{name: getattr(app, name) for name in _FIELDS},
    }


def apps(index: Item | None) -> tuple[AppSettings, ...]:
    """Read the apps of an index; what cannot be read is no app."""
    if index is None or index.attributes.get("schema") not in READABLE_SCHEMAS:
        return ()
    entries = index.attributes.get("apps")
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return ()
    read = [_app(entry) for entry in entries if isinstance(entry, Mapping)]
    return tuple(app for app in read if app.platform and app.app)


def _app(entry: Mapping[str, Json]) -> AppSettings:
    return AppSettings(
        platform=PlatformName(_text(entry, "platform")),
        app=AppName(_text(entry, "app")),
        identity=_text(entry, "identity"),
        identity_name=_text(entry, "identity_name"),
        base_url=_text(entry, "base_url"),
        transport=_text(entry, "transport"),
    )


def _text(entry: Mapping[str, Json], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""
