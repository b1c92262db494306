from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.configure.compiling import NAMESPACE, compiled
from threadline.app import settings_index, settings_items
from threadline.app.codec import Unreadable
from threadline.app.settings_items import SettingsCache, load_settings, store_settings
from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.store import SqliteStore
from threadline.core.errors import StoreUnavailable
from threadline.core.ports import Delete, Expect, Item, ItemStore, Key, Put
from threadline.core.settings import Allow, Settings

FILE = """
    language: zh
    public_url: https://bridge.example.com
    session: {context: {deep: {list: [1, null]}}}
    agents: {coder: {url: http://a, time_limit: 5}, chat: {url: http://b}}
    platforms: {telegram: {apps: {default: {identity: 7, identity_name: helper_bot}}}}
    bindings:
      code:
        platform: github
        repositories: [acme/widgets]
        agent: coder
        triggers: {issues: {actions: []}}
      talk: {platform: telegram, agent: chat, allow: {senders: [1, 2]}, owner: team}
"""


@pytest.fixture
def clock() -> VirtualClock:
    """Stand still until told."""
    return VirtualClock()


@pytest.fixture
def database(tmp_path: Path, clock: VirtualClock) -> Iterator[Database]:
    """Open an empty embedded database."""
    with Database(tmp_path / "store.db", clock) as opened:
        yield opened


@pytest.fixture
def store(database: Database) -> ItemStore:
    """Give its item store."""
    return SqliteStore(database)


@pytest.fixture
def settings() -> Settings:
    """Compile a file that uses most of what there is."""
    return compiled(FILE).settings


def key(sort: str) -> Key:
    """Key of an item of the settings."""
    return Key("settings", "settings", sort)


def test_settings_come_back_as_they_were(store: ItemStore, settings: Settings) -> None:
    """What the compiler made is what every host reads."""
    assert store_settings(store, settings, 0.0)
    assert load_settings(store) == settings


def test_the_same_settings_are_not_written_again(store: ItemStore, settings: Settings) -> None:
    """Compiling an unchanged file changes nothing in the store."""
    store_settings(store, settings, 0.0)
    before = store.query("settings", "settings")
    assert not store_settings(store, settings, 60.0)
    assert store.query("settings", "settings") == before


def test_items_can_be_read_by_a_person(store: ItemStore, settings: Settings) -> None:
    """Each agent, app and binding is an item of its own under its own name."""
    store_settings(store, settings, 0.0)
    sorts = [item.key.sort for item in store.query("settings", "settings")]
    assert sorts == [
        "agent#chat",
        "agent#coder",
        "app#github/default",
        "app#telegram/default",
        "binding#code",
        "binding#talk",
        "index",
    ]
    (agent, *_) = store.get([key("agent#coder")])
    assert agent is not None
    assert agent.attributes["url"] == "http://a"


def test_what_is_gone_from_the_file_goes_from_the_store(
    store: ItemStore, settings: Settings
) -> None:
    """A binding that was removed is neither read nor left lying about."""
    store_settings(store, settings, 0.0)
    fewer = replace(settings, bindings=settings.bindings[:1], version="other")
    store_settings(store, fewer, 1.0)
    assert load_settings(store) == fewer
    assert len(store.query("settings", "settings", "binding#")) == 1


def test_nothing_is_read_before_something_is_stored(store: ItemStore) -> None:
    """An installation without settings says so instead of running on defaults."""
    with pytest.raises(StoreUnavailable, match="no settings are stored yet"):
        load_settings(store)


@pytest.mark.parametrize("broken", ["missing", "of another version"])
def test_half_of_two_versions_is_never_read(
    store: ItemStore, settings: Settings, broken: str
) -> None:
    """Settings are read whole, as of one version, or not at all."""
    store_settings(store, settings, 0.0)
    if broken == "missing":
        store.write([Delete(key("binding#talk"), Expect.ANY)])
    else:
        (item,) = store.query("settings", "settings", "binding#talk")
        store.write([Put(replace(item, attributes={**item.attributes, "settings_version": "x"}),
                         item.version)])  # fmt: skip
    with pytest.raises(StoreUnavailable, match="being replaced"):
        load_settings(store)


@pytest.mark.parametrize(
    "allow", ["everyone", None, 7, {"senders": "ada"}, {"everyone": "perhaps"}]
)
def test_a_stored_list_that_cannot_be_read_admits_nobody(
    store: ItemStore, settings: Settings, allow: str | float | dict[str, str] | None
) -> None:
    """An edit by hand in the console may lock people out, but lets nobody in by accident."""
    store_settings(store, settings, 0.0)
    (item,) = store.query("settings", "settings", "binding#talk")
    store.write([Put(replace(item, attributes={**item.attributes, "allow": allow}), item.version)])
    found = load_settings(store).binding("talk")
    assert found is not None
    assert found.allow == Allow()


def test_an_unfit_entry_is_named(store: ItemStore, settings: Settings) -> None:
    """What else was edited into nonsense is refused with the field's name."""
    store_settings(store, settings, 0.0)
    (item,) = store.query("settings", "settings", "agent#coder")
    store.write([Put(replace(item, attributes={**item.attributes, "url": 7}), item.version)])
    with pytest.raises(Unreadable, match="url"):
        load_settings(store)


def test_ingest_reads_the_apps_from_the_index_alone(store: ItemStore, settings: Settings) -> None:
    """One item tells which apps there are and who they are."""
    store_settings(store, settings, 0.0)
    found = settings_index.apps(store.get([settings_index.KEY])[0])
    assert [(one.platform, one.app, one.identity) for one in found] == [
        ("telegram", "default", "7"),
        ("github", "default", ""),
    ]


@pytest.mark.parametrize("apps", [None, 7, "telegram", [1, None], [{"platform": "telegram"}],
                                  [{"platform": 7, "app": 8}]])  # fmt: skip
def test_an_index_that_cannot_be_read_has_no_apps(apps: object) -> None:
    """No route comes of what is unfit."""
    item = Item(settings_index.KEY, {"schema": 1, "apps": apps})  # type: ignore[dict-item]
    assert settings_index.apps(item) == ()
    assert settings_index.apps(None) == ()
    assert settings_index.apps(Item(settings_index.KEY, {"schema": 99, "apps": []})) == ()


def test_the_namespace_is_made_once(store: ItemStore) -> None:
    """The first random namespace stays for good, whoever asks with another."""
    assert settings_items.installation(store, NAMESPACE) == NAMESPACE
    assert settings_items.installation(store, "another") == NAMESPACE


@pytest.mark.parametrize(
    ("target", "apps", "bindings"),
    [
        ("telegram", {"telegram"}, set()),
        ("telegram/default", {"telegram"}, set()),
        ("telegram/other", set(), set()),
        ("binding/code", set(), {"code"}),
        ("code", set(), set()),
    ],
)
def test_a_platform_an_app_or_a_binding_is_paused(
    store: ItemStore, settings: Settings, target: str, apps: set[str], bindings: set[str]
) -> None:
    """A pause takes hold of what it names, outlives a change of the file, and ends."""
    store_settings(store, settings, 0.0)
    settings_items.pause(store, target, 0.0)
    assert settings_items.paused(store) == {target}
    store_settings(store, replace(settings, version="other"), 1.0)
    found = load_settings(store)
    assert {one.platform for one in found.apps if one.paused} == apps
    assert {one.name for one in found.bindings if one.paused} == bindings
    assert settings_items.resume(store, target)
    assert not settings_items.resume(store, target)
    assert load_settings(store) == replace(settings, version="other")


def test_settings_are_at_most_a_minute_old(
    store: ItemStore, settings: Settings, clock: VirtualClock
) -> None:
    """A change reaches a running process within 60 s, and reads between are free."""
    store_settings(store, settings, 0.0)
    cache = SettingsCache(store, clock)
    assert cache() == settings
    store_settings(store, replace(settings, version="other"), 1.0)
    clock.advance(59.9)
    assert cache().version == settings.version
    clock.advance(0.1)
    assert cache().version == "other"


def test_the_last_good_settings_are_kept(
    store: ItemStore, database: Database, settings: Settings, clock: VirtualClock
) -> None:
    """A store that fails stops nobody who has read settings before."""
    store_settings(store, settings, 0.0)
    cache = SettingsCache(store, clock)
    cache()
    index = store.get([settings_index.KEY])[0]
    assert index is not None
    store.write([Delete(settings_index.KEY, Expect.ANY)])
    clock.advance(61)
    assert cache() == settings
    store.write([Put(index, Expect.ABSENT)])
    settings_items.pause(store, "telegram", 0.0)
    clock.advance(5)
    assert cache().apps != settings.apps
    database.close()
    clock.advance(61)
    assert cache().version == settings.version


def test_a_process_without_settings_does_not_start(store: ItemStore, clock: VirtualClock) -> None:
    """Where none were ever read, the fault is passed on, and asking again reads again."""
    cache = SettingsCache(store, clock)
    with pytest.raises(StoreUnavailable):
        cache()
    store_settings(store, compiled(FILE).settings, 0.0)
    assert cache().language == "zh"
