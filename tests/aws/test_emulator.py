import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest

from setup import emulating
from setup.template import BUCKET, FUNCTION, QUEUE, TABLE, environment, load, resources
from tests.aws.ministack import free_port
from tests.peers import ROOT, path_of
from threadline.backends.aws.clients import Clients
from threadline.local.emulator import ADDRESS, ENDPOINT, INSIDE, REGION

pytestmark = pytest.mark.aws

ENV_FILE = ROOT / "events" / "env.json"
READY = "How to go on"
OPEN_SOCKETS = Path("/proc/net/tcp")
LISTENING = "0A"


def told() -> Mapping[str, Mapping[str, str]]:
    """Read the environment file."""
    read: Mapping[str, Mapping[str, str]] = json.loads(ENV_FILE.read_text(encoding="utf-8"))
    return read


def test_the_environment_file_names_what_the_template_does() -> None:
    """env.json tells each function exactly the variables of template.yaml: none less, none more."""
    template = load()
    functions = [name for name, _ in resources(template, FUNCTION)]
    assert list(told()) == functions
    for name in functions:
        assert set(told()[name]) == set(environment(template, name))


def test_the_environment_file_is_what_the_emulator_is_filled_with() -> None:
    """env.json is what `python -m setup.emulator --print-env` prints."""
    assert told() == emulating.environments()
    assert told()["IngestFunction"][ENDPOINT] == INSIDE


def test_precisely_the_templates_resources_are_made(filled: str) -> None:
    """Tables, queues and bucket: each of template.yaml, and nothing else."""
    template, known = load(), emulating.names(filled)
    with client("dynamodb", filled) as dynamodb:
        tables = dynamodb.list_tables()["TableNames"]
        assert sorted(tables) == sorted(known[name] for name, _ in resources(template, TABLE))
        for name, wanted in resources(template, TABLE):
            made = dynamodb.describe_table(TableName=known[name])["Table"]
            assert made["KeySchema"] == wanted["KeySchema"]
            indexes = {one["IndexName"] for one in wanted.get("GlobalSecondaryIndexes", [])}
            assert {one["IndexName"] for one in made.get("GlobalSecondaryIndexes", [])} == indexes
    with client("s3", filled) as s3:
        buckets = [one["Name"] for one in s3.list_buckets()["Buckets"]]
    assert buckets == [known[name] for name, _ in resources(template, BUCKET)]


def test_queues_are_made_as_the_template_has_them(filled: str) -> None:
    """Each queue keeps, hides and gives up its messages as the one of the stack does."""
    template, known = load(), emulating.names(filled)
    with client("sqs", filled) as sqs:
        made = {address.rpartition("/")[2]: address for address in sqs.list_queues()["QueueUrls"]}
        wanted = {known[name].rpartition("/")[2]: one for name, one in resources(template, QUEUE)}
        assert made.keys() == wanted.keys()
        for name, properties in wanted.items():
            found = sqs.get_queue_attributes(QueueUrl=made[name], AttributeNames=["All"])
            for attribute in emulating.QUEUE_ATTRIBUTES:
                if attribute in properties and attribute != "RedrivePolicy":
                    value = str(properties[attribute])
                    assert found["Attributes"][attribute].lower() == value.lower(), name
            assert ("RedrivePolicy" in found["Attributes"]) == ("RedrivePolicy" in properties)


def test_what_the_environment_names_is_there(filled: str) -> None:
    """Every table, queue and bucket that env.json names exists in the emulator."""
    for environ in emulating.environments(filled).values():
        with client("sqs", filled) as sqs:
            for name, value in environ.items():
                if name.endswith("_QUEUE_URL"):
                    assert sqs.get_queue_attributes(QueueUrl=value, AttributeNames=["QueueArn"])
        with client("dynamodb", filled) as dynamodb, client("s3", filled) as s3:
            for name, value in environ.items():
                if name.endswith("_TABLE"):
                    assert dynamodb.describe_table(TableName=value)
            s3.head_bucket(Bucket=environ["THREADLINE_BLOBS_BUCKET"])


def test_every_app_and_the_agent_have_secrets(filled: str) -> None:
    """What signs recordings is what they were signed with; all else is made anew, and nobody's."""
    with client("secretsmanager", filled) as manager:
        stored = {
            one["Name"].removeprefix(f"threadline/{emulating.STAGE}/"): json.loads(
                manager.get_secret_value(SecretId=one["Name"])["SecretString"]
            )
            for one in manager.list_secrets(MaxResults=100)["SecretList"]
        }
    assert stored.keys() == {*emulating.RECORDED, f"agent/{emulating.AGENT}"}
    for entry, values in stored.items():
        known = emulating.RECORDED.get(entry, {})
        assert values == {**values, **known}
        others = [one for name, one in values.items() if name not in known]
        assert all("-of-nobody-" in one for one in others)
        assert not set(others) & {
            one for again in emulating.made_up().values() for one in again.values()
        }


@pytest.mark.sam
def test_sam_takes_the_environment() -> None:
    """SAM itself, up to the container, gives functions env.json, the emulator's region and host.

    Whatever region the shell has.
    """
    program = path_of("sam").parent / "python"
    done = subprocess.run(
        [program, Path(__file__).with_name("sam_told.py"), ENV_FILE],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "SAM_CLI_TELEMETRY": "0",
             "AWS_DEFAULT_REGION": "ap-south-1"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    given = json.loads(done.stdout)
    for function, environ in told().items():
        assert given["functions"][function] == {**given["functions"][function], **environ}
        assert given["functions"][function]["AWS_REGION"] == REGION
    assert given["functions"].keys() == told().keys()
    assert list(given["hosts"]) == [re.sub(r"http://|:\d+", "", INSIDE)]


def test_make_emulator_runs_until_it_is_interrupted(tmp_path: Path) -> None:
    """It says what there is and what to type, listens on one address, and leaves nothing."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "setup.emulator", "--port", str(port)],
        cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if READY in line:
            break
    listening = listeners(process.pid)
    process.send_signal(signal.SIGINT)
    said += process.communicate(timeout=30)[0]
    assert process.returncode == 0, said
    for word in ("conversations", "mailbox.fifo", "blobs", "slack/default", "sam local invoke"):
        assert word in said
    if OPEN_SOCKETS.exists():
        assert listening == {("0100007F", port)}
    assert list(tmp_path.iterdir()) == []
    assert str(port) in ADDRESS or f"{ENDPOINT}=http://127.0.0.1:{port} " in said


def test_a_taken_port_is_told(filled: str) -> None:
    """Where something listens already, one line says so and nothing is left running."""
    port = filled.rpartition(":")[2]
    done = subprocess.run(
        [sys.executable, "-m", "setup.emulator", "--port", port],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"127.0.0.1:{port} is taken" in done.stderr


def test_a_configuration_of_ones_own_is_checked(tmp_path: Path) -> None:
    """A fault in the file given is told with its line, as `config push` tells it."""
    (tmp_path / "mine.yaml").write_text("agents: {a: }\n")
    done = subprocess.run(
        [sys.executable, "-m", "setup.emulator", "--port", str(free_port()),
         "--config", tmp_path / "mine.yaml"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "mine.yaml:1" in done.stderr


def test_a_bucket_stands_below_the_emulators_name() -> None:
    """There are no names below an emulator's for buckets; AWS's own have them."""
    session = boto3.Session("any", "thing", region_name="eu-central-1")
    for clients, wanted in (
        (Clients(session, INSIDE), f"{INSIDE}/bodies/one"),
        (Clients(session, elsewhere=True), "https://s3.eu-central-1.amazonaws.com/bodies/one"),
        (Clients(session), "https://bodies.s3.eu-central-1.amazonaws.com/one"),
    ):
        with closing(clients.s3()) as s3:
            link = s3.generate_presigned_url("get_object", {"Bucket": "bodies", "Key": "one"})
        assert link.partition("?")[0] == wanted


@contextmanager
def client(name: str, url: str) -> Iterator[Any]:
    """Open a client of the emulator."""
    session = boto3.Session("any", "thing", region_name=REGION)
    with closing(session.client(name, endpoint_url=url)) as opened:
        yield opened


def listeners(pid: int) -> set[tuple[str, int]]:
    """Give the addresses (as Linux lists them) and ports on which a process's children listen."""
    if not OPEN_SOCKETS.exists():
        return set()
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    held = {str(file.readlink()) for one in started for file in Path(f"/proc/{one}/fd").iterdir()}
    found = set()
    for listed in (OPEN_SOCKETS, OPEN_SOCKETS.with_name("tcp6")):
        for line in listed.read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENING and f"socket:[{fields[9]}]" in held:
                address, _, port = fields[1].rpartition(":")
                found.add((address, int(port, 16)))
    return found
