"""Threads of prescribed ids: whose they are is settled before they are made."""

from collections.abc import Callable
from dataclasses import replace

from tests.events import recording
from tests.simulation.world import Simulation, settings_with
from threadline.app import dispatch
from threadline.core import wire
from threadline.core.envelope import Arrived
from threadline.core.ids import (
    AgentName,
    AppName,
    BindingName,
    DeliveryId,
    MessageId,
    OwnerId,
    PlatformName,
)
from threadline.core.message import Messages
from threadline.core.posting import Credentials
from threadline.core.settings import Allow, AppSettings, Binding, ReplyMode, Settings, Trigger
from threadline.platforms.github import PLATFORM

type Make = Callable[..., Simulation]

CASE = "issue_comment.created"


def owned_by(owner: str) -> Settings:
    """Give settings in which the agent answers the recorded repository for an owner."""
    github = PlatformName("github")
    settings = settings_with()
    agent = AgentName("demo")
    binding = Binding(
        name=BindingName("code"), platform=github, app=AppName("default"), agent=agent,
        owner=OwnerId(owner), reply=ReplyMode.LOG, allow=Allow(everyone=True),
        triggers=(Trigger("issue_comment", None, require_mention=False),),
    )  # fmt: skip
    app = AppSettings(platform=github, app=AppName("default"), base_url="http://github.test")
    return replace(settings, apps=(app,), bindings=(binding,))


def comment(world: Simulation, number: int) -> None:
    """Let the recorded comment arrive, as another one each time."""
    one = recording("github", CASE)
    credentials = Credentials(PlatformName("github"), AppName("default"))
    parsed = PLATFORM.parse(one.webhook, credentials, world.clock.now())
    assert isinstance(parsed, Messages)
    message = replace(
        parsed.messages[0], id=MessageId(f"comment-{number}"), sent_at=world.clock.now(),
        delivery=DeliveryId(f"github-{number}"),
    )  # fmt: skip
    mail = Arrived(message=message, accepted_at=world.clock.now())
    dispatch.handle(world.world, dispatch.Received(f"m{number}", wire.encode(mail), 1))
    world.run(300)


def test_another_owner_is_refused_the_thread(simulate: Make) -> None:
    """The first owner's thread is never run for a second one; the reason is stated."""
    world = simulate(settings=owned_by("alice"))
    comment(world, 1)
    assert len(world.agent.runs()) == 1
    world.settings = owned_by("mallory")
    comment(world, 2)
    assert len(world.agent.runs()) == 1
    assert "thread_owned_elsewhere" in {line.get("step") for line in world.lines}
    world.settings = owned_by("alice")
    comment(world, 3)
    assert len(world.agent.runs()) == 2
    assert len(world.agent.threads) == 1
