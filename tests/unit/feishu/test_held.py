"""What is held for a Feishu app that has no public address, from the settings to the mailbox."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from long_running.sockets.feishu import PYTHON, FeishuConnection
from long_running.sockets.making import Making
from tests.simulation.feishu import ADA_CHAT, feishu_settings
from tests.stubs.feishu import FeishuStub
from tests.unit.feishu.test_connection import program, until
from threadline import wiring
from threadline.app import codec, settings_items
from threadline.core.arrived import Arrived

SECRETS = FeishuStub().secrets


def silence(event: str, **fields: str | float | bool) -> None:
    """Log nothing."""


def making(
    ports: wiring.LocalPorts, transport: str = "long_connection", domain: str = ""
) -> Making:
    """Store the settings of an app, and give what makes its connection."""
    settings = feishu_settings()
    (app,) = settings.apps
    options = {"domain": domain} if domain else {}
    app = replace(app, base_url="", transport=transport, options=options)
    settings_items.store_settings(ports.ports.store, replace(settings, apps=(app,)), time.time())
    world = wiring.world_of(ports.ports, silence)
    return Making(world, wiring.ingest_of(world), lambda: 0.0)


def made(making: Making) -> FeishuConnection:
    """Make the only connection that is wanted."""
    (wanted,) = making.wanted(making.world.settings())
    held = making.make(wanted, lambda: True)
    assert isinstance(held, FeishuConnection)
    return held


def test_an_event_of_the_connection_is_in_the_mailbox_once(tmp_path: Path) -> None:
    """What comes plain, without a signature, is kept before it is acknowledged; a copy is too."""
    ports = wiring.local_ports(tmp_path / "state")
    ports.ports.secrets.put("feishu/default", SECRETS)
    feishu = FeishuStub()
    feishu.add_chat(ADA_CHAT)
    event = json.dumps(feishu.say(ADA_CHAT, "hello"))
    answers = tmp_path / "answers"
    held = made(making(ports))
    held.python = program(
        tmp_path,
        f"app, event = json.loads(sys.stdin.readline()), {event!r}",
        "for number in (1, 2):",
        "    print(json.dumps({'event': number, 'size': len(event)}))",
        "    print(event, end='', flush=True)",
        f"    open({str(answers)!r}, 'a').write(sys.stdin.readline())",
        "time.sleep(60)",
    )
    held.start()
    until(lambda: answers.exists() and answers.read_text("utf-8").count("\n") == 2)
    assert held.stop()
    taken = ports.ports.queues.mailbox.receive(10, visibility=60.0)
    mails = [codec.decode(one.body) for one in taken]
    assert [mail.message.text for mail in mails if isinstance(mail, Arrived)] == ["hello"]
    assert [json.loads(line)["kept"] for line in answers.read_text("utf-8").splitlines()] == [
        True, True,
    ]  # fmt: skip
    ports.close()


@pytest.mark.parametrize(
    ("domain", "address"),
    [("", "https://open.feishu.cn"), ("lark", "https://open.larksuite.com")],
)
def test_the_connection_goes_to_the_apps_own_domain(
    tmp_path: Path, domain: str, address: str
) -> None:
    """Feishu or Lark, and the library is looked for where set-up leaves it."""
    ports = wiring.local_ports(tmp_path)
    ports.ports.secrets.put("feishu/default", SECRETS)
    held = made(making(ports, domain=domain))
    assert (held.domain, held.python, held.app_id) == (address, PYTHON, SECRETS["app_id"])
    ports.close()


def test_nothing_is_held_without_its_secret_or_behind_a_webhook(tmp_path: Path) -> None:
    """An app that is reached by webhook, or has no secret yet, has no connection."""
    ports = wiring.local_ports(tmp_path)
    ports.ports.secrets.put("feishu/default", SECRETS)
    hooked = making(ports, "webhook")
    assert hooked.wanted(hooked.world.settings()) == ()
    ports.ports.secrets.put("feishu/default", {"app_id": SECRETS["app_id"]})
    held = making(ports)
    assert held.wanted(held.world.settings()) == ()
    ports.close()
