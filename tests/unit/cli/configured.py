"""A working directory in which Threadline ran before: settings, a conversation."""

from collections.abc import Mapping
from pathlib import Path

from threadline import wiring
from threadline.app import items
from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Surroundings
from threadline.app.settings_items import store_settings
from threadline.core.ports import Expect, Put
from threadline.core.records import Conversation

NAMESPACE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def keep(
    folder: Path,
    source: str,
    *conversations: Conversation,
    present: Mapping[str, frozenset[str]] | None = None,
) -> None:
    """Store what a configuration means, and conversations as they stand."""
    around = Surroundings(namespace=NAMESPACE, present=present or {})
    settings = compile_settings(source.encode(), around, "threadline.yaml").settings
    local = wiring.local_ports(folder / ".threadline")
    try:
        store, now = local.ports.store, local.ports.clock.now()
        store_settings(store, settings, now)
        for one in conversations:
            item = items.conversation_item(one, now + 60.0, now)
            store.write([Put(item, Expect.ANY)])
    finally:
        local.close()
