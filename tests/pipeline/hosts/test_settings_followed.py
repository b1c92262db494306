"""A running task follows what is configured: apps come, change their secrets, and go."""

import time
from dataclasses import replace
from pathlib import Path

from tests.pipeline.hosts.installation import answering, task
from tests.pipeline.hosts.test_two_tasks import telegram
from tests.pipeline.serving import until
from threadline import wiring
from threadline.app import settings_items

WITHIN = 60.0 + 20.0
"""Seconds: settings and secrets are read anew every minute, and then have their effect."""


def test_a_task_follows_the_settings(tmp_path: Path) -> None:
    """An app that is added is held, with another secret connected anew, and let go with its app."""
    local = wiring.local_ports(tmp_path)
    with telegram() as chat, task(tmp_path) as host:
        until(host.health, "health")
        assert host.health()["sockets"] == {}
        wanted = answering(chat.app, "http://127.0.0.1:9")
        settings_items.store_settings(local.ports.store, wanted, time.time())
        local.ports.secrets.put(chat.socket, {"bot_token": "123456:the-token-of-somebody-else"})
        assert host.becomes(chat.socket, "refused") < WITHIN
        assert "threadline secrets set telegram" in host.socket(chat.socket)["why"]
        local.ports.secrets.put(chat.socket, chat.secrets)
        assert host.becomes(chat.socket, "connected") < WITHIN
        chat.say("hello")
        until(lambda: host.socket(chat.socket)["last_event"], "last event")
        off = replace(wanted, version="2", apps=(replace(chat.app, enabled=False),))
        settings_items.store_settings(local.ports.store, off, time.time())
        began = time.monotonic()
        until(lambda: host.health()["sockets"] == {}, "the end")
        assert time.monotonic() - began < WITHIN
    local.close()
