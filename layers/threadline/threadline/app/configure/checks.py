"""What a shape alone cannot tell: names that must exist, places claimed twice, stage, secrets."""

from collections.abc import Iterator, Sequence

from threadline.app.configure import agents, apps
from threadline.app.configure.binding_checks import binding_faults, claim_faults
from threadline.app.configure.faults import Found, Path, nearest
from threadline.app.configure.kinds import KINDS, USUAL_DIALECT, Kind
from threadline.app.configure.list_checks import allow_faults, people_faults
from threadline.app.configure.secrecy import secret_name, secret_value
from threadline.app.configure.shapes import AppShape, FileShape
from threadline.app.configure.surroundings import Surroundings
from threadline.app.configure.tree import Tree, Value
from threadline.app.configure.values import is_address

_LEAK = "looks like a secret, and secrets are never in this file: remove it, use `secrets set`"

type Fault = tuple[Path, str]


def check(file: FileShape, tree: Tree, around: Surroundings) -> list[Found]:
    """Find every fault across the file. `tree` knows also the names whose entries are unfit."""
    known = agents.names(_declared(tree, "agents"), around)
    faults = [
        *_whole_faults(file, known, around),
        *_secret_faults(tree.root, ()),
        *_platform_faults(file, tree),
        *_binding_faults(file, tree, known, around),
        *claim_faults(file.bindings, agents.fallback(known)),
    ]
    found = [
        Found(tree.line(path) if path[0] in tree.root else 0, path, what) for path, what in faults
    ]
    told = {one.line for one in found}
    found += [Found(line, (), _LEAK) for line in tree.secret_lines if line not in told]
    return found


def _whole_faults(file: FileShape, known: Sequence[str], around: Surroundings) -> Iterator[Fault]:
    for variable, value in (
        ("THREADLINE_AGENT_URL", around.agent_url),
        ("THREADLINE_PUBLIC_URL", around.public_url),
    ):
        if value and not is_address(value):
            yield (variable,), "wants an address such as `https://agent.example.com`"
    if not known:
        yield ("agents",), "none; write `agents: {NAME: {url: https://…}}`"
    if file.public_url.startswith("http://") and file.stage != "dev":
        yield ("public_url",), "wants https outside stage dev"
    for name, agent in file.agents.items():
        if agent.event_streaming and agent.dialect != USUAL_DIALECT:
            yield ("agents", name, "event_streaming"), f"wants dialect `{USUAL_DIALECT}`"
    if around.local or around.public_url or file.public_url:
        return
    for name, agent in file.agents.items():
        if agent.webhook:
            yield ("agents", name, "webhook"), "wants `public_url`, the address to call back"


def _secret_faults(value: Value, path: Path) -> Iterator[Fault]:
    """Find keys and values that look like secrets; the value is never repeated."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if secret_value(key) or (secret_name(key) and _holds_secret(key, inner)):
                yield (*path, key), _LEAK
            else:
                yield from _secret_faults(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _secret_faults(inner, (*path, number))
    elif isinstance(value, str) and secret_value(value):
        yield path, _LEAK


def _holds_secret(key: str, value: Value) -> bool:
    """Tell a secret from a switch, and from a count of tokens."""
    if isinstance(value, int | float):
        return not isinstance(value, bool) and "token" not in key.lower()
    return isinstance(value, str) and value != ""


def _platform_faults(file: FileShape, tree: Tree) -> Iterator[Fault]:
    for name in _declared(tree, "platforms"):
        if name not in KINDS:
            yield ("platforms", name), f"unknown platform; {nearest(name, KINDS)}"
    for name, platform in file.platforms.items():
        kind = KINDS.get(name)
        if kind is None:
            continue
        path: Path = ("platforms", name)
        if platform.mention_login and not kind.fans_out:
            yield (*path, "mention_login"), "is for platforms where agents are mentioned by login"
        yield from allow_faults(platform.allow, (*path, "allow"), kind, name)
        yield from people_faults(platform.session.users, (*path, "session", "users"), kind)
        for app, shape in platform.apps.items():
            yield from _app_faults(shape, (*path, "apps", app), kind, file.stage)


def _app_faults(shape: AppShape, path: Path, kind: Kind, stage: str) -> Iterator[Fault]:
    socket = shape.base_url.startswith(("ws://", "wss://"))
    if kind.own_address and shape.base_url and not socket:
        yield (*path, "base_url"), "wants a socket's address such as `wss://relay.example.com`"
    elif kind.own_address and shape.base_url.startswith("ws://") and stage != "dev":
        yield (*path, "base_url"), "wants wss outside stage dev"
    elif socket and not kind.own_address:
        yield (*path, "base_url"), "wants an address such as `https://api.example.com`"
    elif shape.base_url and not kind.own_address and stage != "dev":
        yield (*path, "base_url"), "is read in stage dev only; remove it"
    if shape.transport and shape.transport not in kind.needs:
        yield (*path, "transport"), nearest(shape.transport, kind.needs)
    for name, chosen in shape.options.items():
        known = kind.options.get(name)
        if known is None:
            yield (*path, "options", name), f"unknown option; {nearest(name, kind.options)}"
        elif known and chosen not in known:
            yield (*path, "options", name), nearest(chosen, known)


def _binding_faults(
    file: FileShape, tree: Tree, known: Sequence[str], around: Surroundings
) -> Iterator[Fault]:
    for name, shape in file.bindings.items():
        path: Path = ("bindings", name)
        kind = KINDS.get(shape.platform)
        if kind is None:
            what = f"unknown platform; {nearest(shape.platform, KINDS)}"
            yield (*path, "platform"), what
            continue
        declared = _declared(tree, "platforms", shape.platform, "apps")
        there = apps.names(shape.platform, declared, around)
        if shape.app not in there:
            what = f"{shape.platform} has no such app; {nearest(shape.app, there)}"
            yield (*path, "app"), what
        if shape.agent and shape.agent not in known:
            yield (*path, "agent"), f"no agent has this name; {nearest(shape.agent, known)}"
        if not shape.agent and known and not agents.fallback(known):
            yield path, f"say which agent answers: `agent: {' | '.join(known)}`"
        yield from binding_faults(shape, path, kind)


def _declared(tree: Tree, *path: str) -> tuple[str, ...]:
    """List the names written under a key, also those whose entries are unfit."""
    here: Value = tree.root
    for step in path:
        here = here.get(step) if isinstance(here, dict) else None
    return tuple(here) if isinstance(here, dict) else ()
