"""`threadline doctor`: asks everything that an answer depends on, and says what to do about it."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from threadline.cli import state
from threadline.cli.program import as_typed
from threadline.core.errors import AgentError, PostError, ThreadlineError
from threadline.core.platform import Identifies, ReceivesHttp

if TYPE_CHECKING:
    from threadline.app.agents import Contact
    from threadline.app.world import World
    from threadline.core.settings import Settings

FEW_INVOCATIONS: Final = 50
"""Invocations at once below which watch and dispatch may hold each other up."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, what was seen, and what to do where that is not right."""

    what: str
    seen: str
    remedy: str = ""

    def __str__(self) -> str:
        mark = "!!" if self.remedy else "ok"
        return f"{mark}  {self.what}: {self.seen}" + (f"\n      {self.remedy}" * bool(self.remedy))


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("doctor", help="ask all that an answer depends on")
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Print every finding; 1 where there is something to do. Raises ThreadlineError."""
    findings = list(_account()) if state.stack.get() else []
    with state.world() as world:
        try:
            settings = world.settings()
        except ThreadlineError as error:
            findings.append(Finding("settings", str(error), _how_to_store()))
        else:
            findings.append(Finding("settings", f"version {settings.version}"))
            findings += [*_apps(world, settings), *_agents(world, settings)]
    for finding in findings:
        print(finding)
    return int(any(finding.remedy for finding in findings))


def _account() -> Iterator[Finding]:
    import boto3

    session = boto3.Session()
    who = session.client("sts").get_caller_identity()
    yield Finding("account", f"{who['Account']} in {session.region_name}")
    limits = session.client("lambda").get_account_settings()["AccountLimit"]
    most = int(limits["ConcurrentExecutions"])
    remedy = "ask for more: Service Quotas, AWS Lambda, Concurrent executions"
    yield Finding("invocations at once", str(most), remedy if most < FEW_INVOCATIONS else "")


def _apps(world: "World", settings: "Settings") -> Iterator[Finding]:
    for app in settings.apps:
        name, codec = f"{app.platform}/{app.app}", world.platform(app.platform)
        if not app.enabled or codec is None:
            continue
        secrets = world.secrets.get(name, fresh=True)
        needed = codec.secrets_needed if isinstance(codec, ReceivesHttp) else ()
        missing = [one for one in needed if not secrets.get(one)]
        if missing and app.transport == "webhook":
            remedy = f"{as_typed()} secrets set {name}"
            yield Finding(name, f"no {', '.join(missing)}", remedy)
        elif isinstance(codec, Identifies):
            yield _identified(world, codec, app.platform, app.app)
        else:
            yield Finding(name, "its secrets are there")


def _identified(world: "World", codec: Identifies, platform: str, app: str) -> Finding:
    from threadline.app import posting

    name = f"{platform}/{app}"
    using = posting.credentials(world, platform, app)
    try:
        known = world.calls.run(posting.under_policy(codec, using, codec.identify(using)))
    except PostError as error:
        return Finding(name, str(error), f"a new token, then: {as_typed()} secrets set {name}")
    return Finding(name, f"is {known.identity_name or known.identity}")


def _agents(world: "World", settings: "Settings") -> Iterator[Finding]:
    from threadline.app.agents import contact

    for name, agent in settings.agents.items():
        try:
            to = contact(world, settings, name)
            offered = world.calls.run(to.under_policy(to.codec.assistants(to.access)))
            met = _met(world, to)
        except AgentError as error:
            remedy = f"does {agent.url} answer? A key: {as_typed()} secrets set agent/{name}"
            yield Finding(f"agent {name}", str(error), remedy)
        else:
            listed = ", ".join(offered) or "no assistant"
            yield Finding(f"agent {name}", f"offers {listed}{met}")


def _met(world: "World", to: "Contact") -> str:
    """Say which server it is, where its dialect can tell one from another."""
    from threadline.core.agent import Probes

    if not isinstance(to.codec, Probes):
        return ""
    return "; " + world.calls.run(to.under_policy(to.codec.probe(to.access)))


def _how_to_store() -> str:
    stack = state.stack.get()
    return f"{as_typed()} config push --stack {stack}" if stack else f"{as_typed()} serve"
