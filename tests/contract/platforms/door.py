"""Ingest with one app of one platform before it, and what it logged."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.contract.platforms.enrolment import Enrolment
from tests.contract.ports.backends import Ports, embedded
from tests.events import Recorded, recordings
from threadline.app import codec
from threadline.app.ingest import Ingest
from threadline.backends.clock import VirtualClock
from threadline.backends.lambda_http import response, webhook
from threadline.core import keys
from threadline.core.envelope import Arrived
from threadline.core.message import Message, Webhook
from threadline.core.posting import Credentials
from threadline.core.settings import AppSettings


@dataclass(slots=True)
class Door:
    """A front door with one app of one platform, and what it logged."""

    one: Enrolment
    ports: Ports
    lines: list[Mapping[str, object]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def send(self, event: Mapping[str, Any], app: str = "default") -> tuple[int, str]:
        """Send an event and give status and body of the answer."""
        answer = response(self._ingest().receive(webhook(event), self.one.platform.name, app))
        return answer["statusCode"], answer["body"]

    def fetch(self, body: bytes) -> int:
        """Take what a connection brought, as its host hands it over, and give the status."""
        request = Webhook("POST", "/", {}, {"content-type": "application/json"}, body)
        credentials = self.one.credentials
        return self._ingest().fetched(request, credentials.platform, credentials.app).status

    def mailbox(self) -> list[Message]:
        """Take what stands in the mailbox."""
        found = []
        while taken := self.ports.fifo.receive(10, visibility=60.0):
            for one in taken:
                mail = codec.decode(one.body)
                assert isinstance(mail, Arrived)
                assert one.group == keys.queue_id(mail.message.mailbox)
                found.append(mail.message)
            self.ports.fifo.delete([one.receipt for one in taken])
        return found

    def _ingest(self) -> Ingest:
        credentials = self.one.credentials
        app = AppSettings(
            platform=credentials.platform,
            app=credentials.app,
            identity=credentials.identity,
            identity_name=credentials.identity_name,
            base_url=credentials.base_url,
        )
        return Ingest(
            mailbox=self.ports.fifo,
            blobs=self.ports.blobs,
            secrets=self.ports.secrets,
            clock=VirtualClock(self.one.now),
            apps=lambda: (app,),
            platform=lambda name: self.one.platform if name == self.one.platform.name else None,
            random=lambda: str(next(self.numbers)),
            log=lambda event, **more: self.lines.append({"event": event, **more}),
        )


def opened(tmp_path: Path) -> Iterator[Ports]:
    """Give fresh ports."""
    with embedded(tmp_path) as fresh:
        yield fresh


def open_door(one: Enrolment, ports: Ports, using: Credentials | None = None) -> Door:
    """Open the front door of a platform whose secrets are in place."""
    entry = f"{one.platform.name}/{one.credentials.app}"
    ports.secrets.put(entry, (using or one.credentials).secrets)
    return Door(one, ports)


def quiet(door: Door, body: str) -> None:
    """Check that neither answer nor log tells a secret, a text or a trace of our code."""
    told = body + json.dumps(door.lines)
    secrets = door.one.credentials.secrets.values()
    assert not [secret for secret in secrets if secret in told]
    assert not re.search(r"Traceback|File \"|\.py\b", told)
    texts = [m["text"] for r in recordings(door.one.platform.name) for m in _messages(r)]
    assert not [text for text in texts if len(text) > 8 and text in told]


def _messages(recorded: Recorded) -> list[dict[str, Any]]:
    return [message for message in recorded.expect.get("messages", []) if "text" in message]
