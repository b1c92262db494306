import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.aws import ministack
from tests.peers import ROOT
from tests.pipeline.serving import PROGRAM, environ_of

pytestmark = pytest.mark.aws

HOST = f"{ministack.ACCOUNT}.dkr.ecr.{ministack.REGION}.amazonaws.com"
TOKEN = "ministack-auth-token"
NUMBERS = count()
ALLOWED = (
    "ecr:CreateRepository", "ecr:DescribeImages", "ecr:DescribeRepositories",
    "ecr:GetAuthorizationToken", "ecr:PutLifecyclePolicy", "sts:GetCallerIdentity",
)  # fmt: skip
"""What the page on the task says that the command needs; pushing itself is another program's."""


@dataclass
class Machine:
    """A machine with or without Docker or Finch on it, and credentials of an account."""

    folder: Path
    repository: str
    environ: dict[str, str] = field(default_factory=dict)

    def has(self, program: str, *fails: str) -> None:
        """Put a program on PATH, which fails at some words."""
        source = ROOT / "tests" / "stubs" / "container_program.py"
        path = self.folder / "bin" / program
        path.write_text(f"#!{sys.executable}\n{source.read_text(encoding='utf-8')}")
        path.chmod(0o755)
        (self.folder / "fails").write_text("\n".join(fails), encoding="utf-8")

    def push(self, *words: str, here: Path = ROOT) -> subprocess.CompletedProcess[str]:
        """Run `threadline image push`."""
        repository = ("--repository", self.repository)
        return subprocess.run(
            [*PROGRAM, "image", "push", *repository, *words], cwd=here,
            env=environ_of(self.environ), capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    def asked(self) -> list[list[str]]:
        """List what the programs were asked."""
        path = self.folder / "asked"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Give a machine with credentials that may do what the page says, and no program."""
    (tmp_path / "bin").mkdir()
    for needed in ("dirname", "realpath"):  # by the script that starts `threadline`
        (tmp_path / "bin" / needed).symlink_to(str(shutil.which(needed)))
    emulator, number = ministack.running(), next(NUMBERS)
    allowed = [{"Effect": "Allow", "Action": list(ALLOWED), "Resource": "*"}]
    key, secret = ministack.user(emulator.endpoint, f"pushes-{number}", allowed)
    environ = {
        "PATH": str(tmp_path / "bin"),
        "STAND_IN": str(tmp_path),
        "AWS_ENDPOINT_URL": emulator.endpoint,
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_DEFAULT_REGION": ministack.REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    return Machine(tmp_path, f"threadline-{number}", environ)


@pytest.mark.parametrize("program", ["docker", "finch"])
def test_an_image_is_pushed_and_named_by_its_content(machine: Machine, program: str) -> None:
    """Built for the processor, pushed with a token from stdin, and printed as a parameter."""
    machine.has(program)
    done = machine.push("--architecture", "x86_64", "--feishu")
    assert done.returncode == 0, done.stderr
    assert f"The repository {HOST}/{machine.repository} is new." in done.stdout
    name = f"{HOST}/{machine.repository}"
    digest = images(machine.repository)[0]["imageDigest"]
    assert done.stdout.splitlines()[-1] == f"LongRunningImage={name}@{digest}"
    *_, build, login, push, logout = machine.asked()
    tag = build[build.index("--tag") + 1]
    assert re.fullmatch(rf"{re.escape(name)}:x86_64-\d{{8}}-\d{{6}}", tag)
    assert build[build.index("--platform") + 1] == "linux/amd64"
    assert build[build.index("--target") + 1] == "feishu"
    assert (login[1], login[-1], push[-1], logout[1:]) == ("login", HOST, tag, ["logout", HOST])
    assert TOKEN not in json.dumps(machine.asked()) + done.stdout + done.stderr
    assert json.loads((machine.folder / "login.json").read_text()) == {}


def test_a_second_push_keeps_the_repository(machine: Machine) -> None:
    """The repository is made once: tags never move, and all but the newest images are forgotten."""
    machine.has("docker")
    assert "is new" in machine.push().stdout
    assert "is new" not in machine.push("--architecture", "x86_64").stdout
    assert len(images(machine.repository)) == 2
    ecr = client()
    (made,) = ecr.describe_repositories(repositoryNames=[machine.repository])["repositories"]
    assert made["imageTagMutability"] == "IMMUTABLE"
    assert made["imageScanningConfiguration"] == {"scanOnPush": True}
    policy = ecr.get_lifecycle_policy(repositoryName=machine.repository)["lifecyclePolicyText"]
    (rule,) = json.loads(policy)["rules"]
    assert rule["selection"]["countNumber"] == 20


def test_a_dry_run_prints_and_does_nothing(machine: Machine) -> None:
    """The commands are printed as a shell takes them; nothing is built or made."""
    done = machine.push("--dry-run")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("aws ecr create-repository")
    assert lines[1].startswith(
        "docker buildx build --load --provenance=false --platform linux/arm64"
    )
    assert "ecr get-login-password | docker login --username AWS --password-stdin" in lines[2]
    assert lines[3].startswith(f"docker push {HOST}/{machine.repository}:arm64-")
    assert TOKEN not in done.stdout
    assert images(machine.repository) == []


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda one: (one.folder / "bin" / "docker").unlink(), "neither docker nor finch"),
        (lambda one: one.has("docker", "info"), "its daemon does not answer: start it"),
        (lambda one: one.has("docker", "buildx version"), "Docker lacks its plugin buildx"),
        (lambda one: one.has("docker", "buildx build"), "docker buildx failed; what it said"),
        (lambda one: one.has("docker", "push"), "docker push failed; what it said"),
        (lambda one: one.environ.pop("AWS_ACCESS_KEY_ID"), "NoCredentialsError"),
        (lambda one: one.environ.pop("AWS_DEFAULT_REGION"), "no AWS region: export AWS_DEFAULT"),
        (lambda one: one.environ.update(AWS_SECRET_ACCESS_KEY="x"), "sts:GetCallerIdentity (Sig"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_in_one_line(
    machine: Machine, spoil: Callable[[Machine], object], line: str
) -> None:
    """Without a program, a daemon, credentials or a region, one line says which and what to do."""
    machine.has("docker")
    spoil(machine)
    done = machine.push()
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("threadline: ")
    assert line in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert TOKEN not in done.stdout + done.stderr


def test_a_failed_push_forgets_the_password(machine: Machine) -> None:
    """Whatever happens after the login, the program does not keep its password."""
    machine.has("docker", "push")
    assert machine.push().returncode == 1
    assert machine.asked()[-1][:2] == ["docker", "logout"]


def test_the_command_wants_the_checkout(machine: Machine, tmp_path: Path) -> None:
    """Elsewhere there is nothing to build, which it says."""
    machine.has("docker")
    done = machine.push(here=tmp_path)
    assert done.returncode == 1
    assert "run it at the top of the checkout" in done.stderr
    assert machine.asked() == []


def test_the_page_names_what_it_needs() -> None:
    """The page on the task lists the permissions that these tests give the command."""
    page = (ROOT / "docs" / "long-running.md").read_text(encoding="utf-8")
    for action in ALLOWED:
        if not action.startswith("sts:"):
            assert f"`{action}`" in page, action


def images(repository: str) -> list[Mapping[str, str]]:
    """List the images of a repository, [] where there is none."""
    ecr = client()
    try:
        return list(ecr.describe_images(repositoryName=repository)["imageDetails"])
    except ecr.exceptions.RepositoryNotFoundException:
        return []


def client() -> Any:
    """Make a client of the emulated registry."""
    session = boto3.Session(*ministack.ROOT, region_name=ministack.REGION)
    return session.client("ecr", endpoint_url=ministack.running().endpoint)
