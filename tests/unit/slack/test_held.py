"""What is held for a Slack app that has no public address, from the settings to the mailbox."""

import time
from dataclasses import replace
from pathlib import Path

from long_running.sockets.making import Making
from tests.simulation.slack import slack_settings
from tests.stubs.slack import SlackStub
from tests.stubs.slack_socket import SlackSockets
from tests.unit.slack.test_socket import IM, until
from threadline import wiring
from threadline.app import codec, settings_items
from threadline.core.arrived import Arrived

TOKENS = {"app_token": SlackStub().app_token, "bot_token": SlackStub().token}


def silence(event: str, **fields: str | float | bool) -> None:
    """Log nothing."""


def making(ports: wiring.LocalPorts, url: str = "", transport: str = "socket") -> Making:
    """Store the settings of an app at this Slack, and give what makes its connection."""
    settings = slack_settings()
    (app,) = settings.apps
    settings = replace(settings, apps=(replace(app, base_url=url, transport=transport),))
    settings_items.store_settings(ports.ports.store, settings, time.time())
    world = wiring.world_of(ports.ports, silence)
    return Making(world, wiring.ingest_of(world), lambda: 0.0)


def test_an_event_of_the_socket_is_in_the_mailbox_once(tmp_path: Path) -> None:
    """What Slack sends over the connection is kept before it is acknowledged, twice sent or not."""
    ports = wiring.local_ports(tmp_path)
    ports.ports.secrets.put("slack/default", TOKENS)
    with SlackStub() as slack, SlackSockets() as sockets:
        slack.add_channel(IM)
        slack.socket_url = sockets.url
        made = making(ports, slack.url)
        (wanted,) = made.wanted(made.world.settings())
        socket = made.make(wanted, lambda: True)
        socket.start()
        until(lambda: sockets.connections and socket.state.phase == "connected")
        event = slack.say(IM, "hello")
        sent = [sockets.send("events_api", event) for _ in range(2)]
        until(lambda: sockets.acknowledged == sent)
        taken = ports.ports.queues.mailbox.receive(10, visibility=60.0)
        until(socket.stop)
    mails = [codec.decode(one.body) for one in taken]
    assert [mail.message.text for mail in mails if isinstance(mail, Arrived)] == ["hello"]
    ports.close()


def test_nothing_is_held_without_its_token_or_behind_a_webhook(tmp_path: Path) -> None:
    """An app that is reached by webhook, or has no app-level token yet, has no connection."""
    ports = wiring.local_ports(tmp_path)
    ports.ports.secrets.put("slack/default", TOKENS)
    hooked = making(ports, transport="webhook")
    assert hooked.wanted(hooked.world.settings()) == ()
    ports.ports.secrets.put("slack/default", {"bot_token": TOKENS["bot_token"]})
    held = making(ports)
    assert held.wanted(held.world.settings()) == ()
    ports.close()
