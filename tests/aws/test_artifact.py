import base64
import json
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.test_cold_start import HEAVY, ONLY_WHEN_ADDRESSED
from tests.aws import ministack
from tests.aws.emulated import Emulated
from tests.aws.functions import running
from tests.aws.runtime_api import Function, FunctionFailed, booted
from tests.contract.platforms.enrolled import KNOCKING, accepted
from tests.contract.platforms.enrolment import Knocking
from tests.events import Recorded, recording
from threadline.app.settings_items import store_settings
from threadline.core.settings import AppSettings, Settings

pytestmark = [pytest.mark.sam, pytest.mark.aws]

MOST_BYTES = 25_000_000
UNCHECKED_HASH = struct.pack("<L", 0b01)
NAMESPACE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
TEXT = "What is on today’s list?"


@pytest.fixture
def ingest(built: Path, emulated: Emulated, tmp_path: Path) -> Iterator[Function]:
    """Give ingest as built, booted in an account that has settings, secrets and a mailbox."""
    credentials = [one.credentials for one in KNOCKING]
    apps = tuple(
        AppSettings(
            platform=one.platform, app=one.app,
            identity=one.identity, identity_name=one.identity_name,
        )
        for one in credentials
    )  # fmt: skip
    settings = Settings(version="1", namespace=NAMESPACE, apps=apps)
    store_settings(emulated.store, settings, emulated.now())
    for one in credentials:
        emulated.secrets.put(f"{one.platform}/{one.app}", one.secrets)
    emulated.blobs.put("there/is", b"a bucket")
    with running(built, emulated, "IngestFunction", tmp_path / "ingest") as up:
        yield up


def test_a_delivery_goes_through_the_built_ingest(ingest: Function, emulated: Emulated) -> None:
    """A signed delivery of every platform is answered 200, and its message is in the mailbox."""
    for one in KNOCKING:
        recorded = accepted(one)
        answer = ingest.invoke(stamped(one, recorded))
        assert answer["statusCode"] == 200, ingest.output()
        (mail,) = emulated.fifo.receive(10, visibility=30)
        assert recorded.expect["messages"][0]["text"] == json.loads(mail.body)["message"]["text"]
        emulated.fifo.delete([mail.receipt])


@pytest.mark.parametrize(
    ("platform", "name", "answer"),
    [
        ("slack", "slash_command.question", '{"response_type":"in_channel"}'),
        ("slack", "button.answer", ""),
        ("slack", "message.im", "{}"),
        ("discord", "interaction.ask", '{"type":5}'),
        ("discord", "interaction.ping", '{"type":1}'),
    ],
)
def test_a_cold_function_answers_in_time(
    built: Path,
    emulated: Emulated,
    ingest: Function,
    tmp_path: Path,
    platform: str,
    name: str,
    answer: str,
) -> None:
    """From the start of its process on, within the 3 s that these wait; forms come as base64."""
    assert ingest.process.poll() is None
    (knocking,) = [one for one in KNOCKING if one.platform.name == platform]
    event = stamped(knocking, recording(platform, name))
    body = base64.b64encode(event["body"].encode()).decode()
    with running(built, emulated, "IngestFunction", tmp_path / "cold") as cold:
        began = time.monotonic()
        told = cold.invoke({**event, "body": body, "isBase64Encoded": True})
        assert time.monotonic() - began < knocking.platform.traits.ack_deadline == 3.0
    assert (told["statusCode"], told["body"]) == (200, answer)


def test_a_forged_delivery_is_refused(ingest: Function, emulated: Emulated) -> None:
    """A wrong secret is answered 401, an unknown platform 404, and the mailbox stays empty."""
    assert ingest.invoke(recording("telegram", "message.wrong_secret").event)["statusCode"] == 401
    unknown = {
        **recording("telegram", "message.private").event,
        "pathParameters": {"platform": "x"},
    }
    assert ingest.invoke(unknown)["statusCode"] == 404
    assert emulated.fifo.receive(10, visibility=30) == ()


def test_every_delivery_leaves_a_line(ingest: Function) -> None:
    """What became of a delivery is one line of JSON, without its text and without a secret."""
    ingest.invoke(recording("telegram", "message.private").event)
    lines = [line for line in ingest.output().splitlines() if line.startswith("{")]
    (line,) = (json.loads(line) for line in lines)
    assert (line["event"], line["reason"]) == ("delivery", "accepted")
    planted = [secret for one in KNOCKING for secret in one.credentials.secrets.values()]
    for hidden in (TEXT, *planted):
        assert hidden not in ingest.output()


def test_a_mailbox_that_is_gone_costs_no_message(
    built: Path, emulated: Emulated, ingest: Function, tmp_path: Path
) -> None:
    """Where the queue takes nothing the message is kept aside and the platform told 200."""
    assert ingest.process.poll() is None
    none = {"THREADLINE_MAILBOX_QUEUE_URL": f"{ministack.running().endpoint}/0/none.fifo"}
    with running(built, emulated, "IngestFunction", tmp_path / "other", **none) as function:
        answer = function.invoke(recording("telegram", "message.private").event)
        assert answer["statusCode"] == 200, function.output()
    (name,) = emulated.blobs.names("unaccepted/")
    kept = json.loads(emulated.blobs.get(name) or b"")
    assert json.loads(kept[0]["body"])["message"]["text"] == TEXT


def test_a_failure_is_told_without_its_text(ingest: Function, emulated: Emulated) -> None:
    """What goes wrong inside is 503 and one line: which error and where, not what it says."""
    name = f"threadline/{emulated.name}/telegram/default"
    emulated.clients.secretsmanager.put_secret_value(SecretId=name, SecretString="planted")
    assert ingest.invoke(recording("telegram", "message.private").event)["statusCode"] == 503
    assert "ingest failed: StoreUnavailable at secret_cache.py:" in ingest.output()
    assert "planted" not in ingest.output()
    assert "not a JSON object" not in ingest.output()


def test_what_cannot_start_says_so(built: Path, tmp_path: Path) -> None:
    """Without its layer the function reports what it lacks: nothing else here fills in for it."""
    with (
        booted(built / "IngestFunction", [], {"AWS_REGION": "x"}, tmp_path) as function,
        pytest.raises(FunctionFailed, match="No module named 'threadline'"),
    ):
        function.invoke({})


def test_what_ingest_loads_is_small(built: Path) -> None:
    """The function and its layer together stay under 25 MB, and hold no embedded host."""
    files = [path for path in files_of(built) if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES
    package = built / "ThreadlineLayer" / "python" / "threadline"
    assert (package / "core").is_dir()
    assert not (package / "local").exists()
    assert not (package / "cli").exists()


def test_every_module_is_compiled(built: Path) -> None:
    """Each module has bytecode of this Python that is used without a look at any file's time."""
    sources = [path for path in files_of(built) if path.suffix == ".py"]
    assert sources
    for source in sources:
        compiled = source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc"
        assert compiled.read_bytes()[:8] == MAGIC_NUMBER + UNCHECKED_HASH, source


def test_no_artifact_names_this_machine(built: Path) -> None:
    """Tracebacks name Lambda's folders, not those of the machine that built them."""
    compiled = built / "IngestFunction" / "__pycache__" / "handler.cpython-313.pyc"
    assert b"/var/task/handler.py" in compiled.read_bytes()
    for path in files_of(built):
        if path.suffix == ".pyc":
            assert str(built).encode() not in path.read_bytes(), path


def test_the_built_ingest_starts_light(built: Path) -> None:
    """Importing the built handler loads no SDK, no event loop and no codec's library."""
    layer = built / "ThreadlineLayer" / "python"
    code = f"import sys; sys.path[:0] = {[str(built / 'IngestFunction'), str(layer)]!r}"
    done = subprocess.run(
        [sys.executable, "-S", "-B", "-c", f"{code}; import handler; print(*sys.modules)"],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "threadline" in loaded
    assert loaded.isdisjoint({*HEAVY, *ONLY_WHEN_ADDRESSED})


def stamped(one: Knocking, recorded: Recorded) -> dict[str, Any]:
    """Return a recorded delivery as the platform would send it now."""
    fresh = one.platform.stamp(recorded.webhook, one.credentials, time.time(), 1)
    return {**recorded.event, "headers": dict(fresh.headers), "body": fresh.body.decode()}


def files_of(built: Path) -> Iterator[Path]:
    """Yield every file that ingest's function and layer bring."""
    for part in ("IngestFunction", "ThreadlineLayer"):
        yield from (path for path in (built / part).rglob("*") if path.is_file())
