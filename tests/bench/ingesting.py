"""What taking a webhook costs with its send: from a fresh process, and when all is warm."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.account import Account
from tests.bench.children import OURS, PEERS, Child, in_turn, warm
from tests.bench.gates import Row
from tests.bench.loops import CALLS
from tests.bench.parsing import CASES, written
from threadline.core.apps import AppSettings
from threadline.core.ids import AppName, PlatformName

COLD = 11
WARM = 5


def ingesting() -> Iterator[Row]:
    """The ingest function against slack_bolt with boto3, and against boto3's send alone."""
    case = written(CASES[0])
    app = AppSettings(
        platform=PlatformName("slack"), app=AppName("default"), identity=case["identity"],
        identity_name=case["identity_name"],
    )  # fmt: skip
    with Account(app=app, secrets=case["secrets"]) as account, tempfile.TemporaryDirectory() as at:
        path = Path(at) / "case.json"
        path.write_text(json.dumps(case), "utf-8")
        ours = Child(OURS, "ours/ingest.py", ("once", str(path)), account.environ)
        bolt = Child(PEERS, "peers/ingest.py", ("once", str(path)), account.environ)
        send = Child(PEERS, "peers/send.py", (), account.environ)
        yield from _cold(ours, bolt, send)
        again = [
            Child(one.python, one.program, ("warm", str(path)), one.environ) for one in (ours, bolt)
        ]
        yield from _warm(account, *again)


def _cold(ours: Child, bolt: Child, send: Child) -> Iterator[Row]:
    warm(ours, bolt, send)
    mine, theirs, sent = in_turn(COLD, ours.run, bolt.run, send.run)
    yield Row("cold CPU, to boto3's send alone", mine["cpu"] * 1e3, sent["cpu"] * 1e3, "ms", 0.45)
    whole = theirs["cpu"] * 1e3
    yield Row("cold CPU, to slack_bolt and boto3", mine["cpu"] * 1e3, whole, "ms", 0.30)
    yield Row("cold memory, to boto3's send alone", mine["peak"], sent["peak"], "MB", 0.75)


def _warm(account: Account, ours: Child, bolt: Child) -> Iterator[Row]:
    mine, theirs = in_turn(WARM, ours.run, bolt.run)
    yield Row("warm CPU", mine["call"], theirs["call"], "µs", 0.30, 0.33)
    yield Row("warm, half of all calls within", mine["p50"], theirs["p50"], "µs", 0.40, 0.45)
    yield Row("warm, 99 of 100 calls within", mine["p99"], theirs["p99"], "µs", 0.40, 0.65)
    account.calls.clear()
    ours.run()
    made = account.calls.total() - account.calls["GetItem"] - account.calls["GetSecretValue"]
    yield Row("AWS calls of a delivery before its 200", made / CALLS, 1, "calls", 1.0)
