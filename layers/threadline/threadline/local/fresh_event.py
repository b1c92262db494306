"""Recorded events as they would come now, signed with what the emulator holds."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from threadline import wiring
from threadline.core.errors import ThreadlineError
from threadline.core.platform import ReceivesHttp
from threadline.core.posting import Credentials
from threadline.local import emulator, renewing
from threadline.local.recordings import Recordings
from threadline.local.renewing import Fresh
from threadline.local.replay import NotARecording, read_recording
from threadline.local.stamping import credentials, stamped


class NotSignable(ThreadlineError):
    """Nothing in the emulator signs for whoever the event is from."""


@dataclass(frozen=True)
class FreshEvents:
    """Makes recorded events fresh; the emulator is asked only for what has to be signed.

    `program` is how the command is called here.
    """

    recordings: Recordings
    program: str
    now: Callable[[], float]
    new_id: Callable[[], str]

    @cached_property
    def _ports(self) -> wiring.Ports:
        return emulator.ports(self.recordings.folder, emulator.address())

    def event(self, name: str, *, same: bool = False) -> Mapping[str, Any]:
        """Give the event of a name, under fresh ids unless `same`. Raises ThreadlineError."""
        path = self.recordings.path(name)
        if path.parent.name in wiring.PLATFORMS:
            return self._delivery(path, same=same)
        event = self._read(path)
        fresh = Fresh(self.now(), self.new_id())
        if "Records" in event:
            return renewing.batch(event, fresh)
        if "pathParameters" in event:
            agent = str(event["pathParameters"]["agent"])
            return renewing.callback(event, self._secret(f"agent/{agent}", "callback"), fresh)
        return renewing.scheduled(event, fresh)

    def _delivery(self, path: Path, *, same: bool) -> Mapping[str, Any]:
        if not isinstance(wiring.platform(path.parent.name), ReceivesHttp):
            raise NotSignable(f"{path.parent.name} sends no webhooks: no function takes {path}")
        recording, now = read_recording(path), self.now()

        def known() -> Credentials:
            entry = f"{recording.platform}/{recording.app}"
            if not self._ports.secrets.get(entry):
                raise NotSignable(
                    f"the emulator has no {entry}: send it to a running `serve` instead,"
                    f" {self.program} replay {path}"
                )
            return credentials(self._ports, recording.platform, recording.app)

        request = stamped(recording, known, now, same=same)
        if request == recording.request:
            return self._read(path)
        return renewing.delivery(self._read(path), request, now)

    def _secret(self, entry: str, name: str) -> str:
        found = self._ports.secrets.get(entry).get(name)
        if not found:
            raise NotSignable(f"the emulator has no {name} of {entry}")
        return found

    @staticmethod
    def _read(path: Path) -> Mapping[str, Any]:
        try:
            event = json.loads(path.read_bytes())
        except (OSError, ValueError):
            event = None
        if not isinstance(event, dict):
            raise NotARecording(f"{path} is no recorded event")
        return event
