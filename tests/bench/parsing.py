"""What verifying and parsing a delivery costs, beside the vendors' libraries."""

import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.children import LARK, OURS, PEERS, Child, in_turn
from tests.bench.gates import Row
from tests.bench.grown import grown
from tests.contract.platforms.enrolled import KNOCKING
from tests.events import recording
from threadline.core.platform import Stamps

ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Case:
    """A recorded delivery, the most that ours is to cost, and what is held until that is reached.

    `grows`: with every field that its platform sends.
    """

    platform: str
    recorded: str
    peer: str
    promised: float
    held: float
    grows: bool = False


CASES = (
    Case("slack", "message.channel_mention", "slack_bolt", 0.25, 0.46),
    Case("telegram", "message.group_reply_to_bot", "python-telegram-bot", 0.10, 0.18),
    Case("feishu", "sealed.group_mention", "lark_oapi", 0.40, 0.58),
    Case("github", "issue_comment.created", "gidgethub", 0.40, 0.70, grows=True),
    Case("github", "pull_request_review_comment.in_thread", "gidgethub", 0.40, 0.50, grows=True),
)
"""What is left is the standard library's JSON (4 µs a kilobyte), the signature, which both sides
compute, and 3 µs for a message of 21 fields that nobody can change."""


def parsing() -> Iterator[Row]:
    """CPU of a call, everything warm, in fresh processes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.json"
        for case in CASES:
            path.write_text(json.dumps(written(case)), "utf-8")
            python = LARK if case.platform == "feishu" else PEERS
            ours = Child(OURS, "ours/parse.py", (str(path),))
            peer = Child(python, f"peers/parse_{case.platform}.py", (str(path),))
            mine, theirs = in_turn(ROUNDS, ours.run, peer.run)
            size = len(json.loads(path.read_text("utf-8"))["event"]["body"])
            what = f"{case.platform}, {size / 1000:.1f} KB, to {case.peer}"
            yield Row(what, mine["call"], theirs["call"], "µs", case.promised, case.held)


def written(case: Case) -> Mapping[str, Any]:
    """Write a delivery that is signed just now, with what is needed to take it."""
    enrolled = next(one for one in KNOCKING if one.platform.name == case.platform)
    recorded = recording(case.platform, case.recorded)
    event, credentials, now = dict(recorded.event), enrolled.credentials, time.time()
    if case.grows:
        event["body"] = grown(event["body"])
    if case.platform == "feishu":
        now = enrolled.now  # sealed, and so signed when it was recorded
    else:
        assert isinstance(enrolled.platform, Stamps)
        request = enrolled.platform.stamp(
            type(recorded)(case.platform, "", event, {}).webhook, credentials, now
        )
        event["headers"] = dict(request.headers)
    return {
        "platform": case.platform, "event": event, "now": now,
        "secrets": dict(credentials.secrets), "identity": credentials.identity,
        "identity_name": credentials.identity_name,
    }  # fmt: skip
