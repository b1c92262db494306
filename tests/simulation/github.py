"""Recorded comments of GitHub's, handed to dispatch as ingest hands them over."""

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

CASE = "issue_comment.created"
GITHUB, APP = PlatformName("github"), AppName("default")


def answered_for(owner: str, *, mention: str = "") -> Settings:
    """Give settings in which the agent answers the recorded repository for an owner.

    With `mention` it answers only comments that name it so.
    """
    binding = Binding(
        name=BindingName("code"), platform=GITHUB, app=APP, agent=AgentName("demo"),
        owner=OwnerId(owner), reply=ReplyMode.LOG, allow=Allow(everyone=True),
        mention_name=mention,
        triggers=(Trigger("issue_comment", None, require_mention=bool(mention)),),
    )  # fmt: skip
    app = AppSettings(platform=GITHUB, app=APP, base_url="http://github.test")
    return replace(settings_with(), apps=(app,), bindings=(binding,))


def comment(world: Simulation, number: int, text: str = "") -> None:
    """Let the recorded comment arrive as another one each time, with a text of its own if any."""
    one = recording("github", CASE)
    parsed = PLATFORM.parse(one.webhook, Credentials(GITHUB, APP), world.clock.now())
    assert isinstance(parsed, Messages)
    (only,) = parsed.messages
    message = replace(
        only, id=MessageId(f"comment-{number}"), sent_at=world.clock.now(),
        delivery=DeliveryId(f"github-{number}"), text=text or only.text,
    )  # fmt: skip
    mail = Arrived(message=message, accepted_at=world.clock.now())
    dispatch.handle(world.world, dispatch.Received(f"m{number}", wire.encode(mail), 1))
    world.run(300)
