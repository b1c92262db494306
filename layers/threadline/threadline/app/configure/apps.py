"""Apps: which are on, and why the others are not."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from threadline.app.configure.bindings import can_post
from threadline.app.configure.kinds import KINDS, Kind
from threadline.app.configure.shapes import AppShape, FileShape, PlatformShape
from threadline.app.configure.surroundings import DEFAULT_APP, PlatformStatus, Surroundings
from threadline.app.configure.values import NAME
from threadline.core.ids import AppName, PlatformName
from threadline.core.settings import AppSettings, Binding, ReplyMode


@dataclass(frozen=True, slots=True)
class App:
    """An app that is configured, has secrets, or would be the platform's first."""

    platform: str
    name: str
    kind: Kind
    platform_shape: PlatformShape
    shape: AppShape
    transport: str
    stage: str

    @property
    def entry(self) -> str:
        """The name under which its secrets are kept."""
        return f"{self.platform}/{self.name}"

    @property
    def spoken(self) -> str:
        """The app as a person names it to the command."""
        return self.platform if self.name == DEFAULT_APP else self.entry


def names(platform: str, declared: Collection[str], around: Surroundings) -> tuple[str, ...]:
    """List a platform's apps: of the file, with secrets here, or else `default`."""
    stored = [entry.removeprefix(f"{platform}/") for entry in around.present]
    stored = [name for name in stored if re.fullmatch(NAME, name)]
    return tuple(dict.fromkeys([*declared, *sorted(stored)])) or (DEFAULT_APP,)


def every(file: FileShape, around: Surroundings) -> tuple[App, ...]:
    """List every app of every platform, on or off."""
    return tuple(
        one(file, platform, name, around)
        for platform in KINDS
        for name in names(platform, _shape(file, platform).apps, around)
    )


def one(file: FileShape, platform: str, name: str, around: Surroundings) -> App:
    """Give one app, whether or not anything is known of it."""
    kind, shape = KINDS[platform], _shape(file, platform)
    app = shape.apps.get(name, AppShape())
    usual = list(kind.needs)[0 if around.local else -1]
    return App(platform, name, kind, shape, app, app.transport or usual, file.stage)


def _shape(file: FileShape, platform: str) -> PlatformShape:
    return file.platforms.get(platform, PlatformShape())


def obstacle(app: App, around: Surroundings) -> str:
    """Say why the app cannot be on, "" where it can."""
    enabled = app.platform_shape.enabled
    if enabled is False or not app.shape.enabled:
        return "switched off in threadline.yaml"
    if app.kind.only_local and not around.local:
        return "only where everything runs on one machine"
    if app.kind.only_local and app.stage != "dev" and not enabled:
        return f"outside stage dev only with `platforms: {{{app.platform}: {{enabled: true}}}}`"
    if app.kind.own_address and not app.shape.base_url:
        where = f"platforms: {{{app.platform}: {{apps: {{{app.name}: {{base_url: wss://…}}}}}}}}"
        return f"no address: write `{where}`"
    secrets = around.secrets(app.platform, app.name)
    lacking = [name for name in app.kind.needs[app.transport] if name not in secrets]
    if lacking:
        return f"no {' and no '.join(lacking)}: {around.command(f'secrets set {app.spoken}')}"
    return ""


def without_binding(app: App, agents: Collection[str]) -> str:
    """Say why an app that could be on answers nobody."""
    if not app.kind.by_default:
        return f"no binding names its {app.kind.place}: write one under `bindings:`"
    if not agents:
        return "no agent"
    return f"several agents ({', '.join(agents)}): say under `bindings:` which one answers"


def status(
    app: App, bindings: Collection[Binding], agents: Mapping[str, object], around: Surroundings
) -> PlatformStatus:
    """Make the app's row of the table."""
    own = [one for one in bindings if (one.platform, one.app) == (app.platform, app.name)]
    why = obstacle(app, around) or ("" if own else without_binding(app, agents.keys()))
    if why:
        return _row(app, on=False, why=why)
    why = f"by {app.transport}" if len(app.kind.needs) > 1 else "ready"
    if not can_post(app.kind, around.secrets(app.platform, app.name)):
        why = "answers are only logged: without a token or an App nothing can be posted"
        if any(one.reply is not ReplyMode.LOG for one in own):
            why = f"cannot post: {around.command(f'secrets set {app.spoken}')}"
    return _row(app, on=True, why=why)


def webhook_path(platform: str, name: str) -> str:
    """Give the path of the front door that takes an app's deliveries."""
    return f"/webhooks/{platform}" + ("" if name == DEFAULT_APP else f"/{name}")


def _row(app: App, *, on: bool, why: str) -> PlatformStatus:
    path = webhook_path(app.platform, app.name)
    registers = on and app.transport == "webhook" and not app.kind.only_local
    return PlatformStatus(
        platform=PlatformName(app.platform),
        app=AppName(app.name),
        on=on,
        why=why,
        webhook=path if registers else "",
    )


def settings(app: App) -> AppSettings:
    """Build the settings of an app that is on."""
    return AppSettings(
        platform=PlatformName(app.platform),
        app=AppName(app.name),
        identity=app.shape.identity,
        identity_name=app.shape.identity_name,
        base_url=app.shape.base_url,
        transport=app.transport,
        options=app.shape.options,
    )
