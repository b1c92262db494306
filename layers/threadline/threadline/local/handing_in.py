"""A recorded delivery of a connection, handed to ingest as the host of that connection does."""

import secrets
from collections.abc import Mapping

from threadline import wiring
from threadline.app import settings_items
from threadline.app.ingest import Ingest
from threadline.local.replay import Recording, outcome


def hand_in(
    recording: Recording, ports: wiring.Ports
) -> tuple[dict[str, str], list[Mapping[str, object]]]:
    """Put what a recording leads to into the mailbox; give its outcome and the lines it left.

    There is no route to send it to: such a platform never knocks.
    """
    lines: list[Mapping[str, object]] = []
    ingest = Ingest(
        mailbox=ports.queues.mailbox, blobs=ports.blobs, secrets=ports.secrets, clock=ports.clock,
        apps=lambda: settings_items.load_settings(ports.store).apps, platform=wiring.platform,
        random=lambda: secrets.token_hex(8),
        log=lambda event, **more: lines.append({"event": event, **more}),
    )  # fmt: skip
    answer = ingest.fetched(recording.request, recording.platform, recording.app)
    return outcome(answer.status, lines), lines
