import json
import re
import subprocess
import sys
from dataclasses import replace
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

from setup.bootstrap import clean_environ, find_uv
from setup.template import load, resources
from tests.architecture.source import ROOT, files, imported
from tests.aws import task
from tests.aws.container import Build, State, last
from tests.aws.dockerfile import IGNORED, Dockerfile, context, read
from tests.aws.emulated import Emulated
from tests.aws.test_artifact import UNCHECKED_HASH
from tests.pipeline.buzz.people import now, said
from tests.stubs.feishu import FeishuStub
from tests.stubs.feishu_socket import FeishuSockets
from tests.stubs.nostr_relay import nostr_relay
from tests.unit.buzz.relay import RELAY, channel, settings
from threadline.app import codec
from threadline.app.settings_items import store_settings
from threadline.core.envelope import Arrived
from threadline.core.ids import AppName, PlatformName
from threadline.core.settings import AppSettings, Settings

TARGETS = ("", "feishu")
PROCESSORS = ("x86_64", "aarch64")
MOST_BYTES = 130_000_000
FOR_TYPES = "mypy_"
NOT_NEEDED = {"yaml": "app/configure"}
"""Packages that the image does without, and the only folder that imports each: the CLI's."""


def test_the_base_is_a_version_of_the_python_that_is_meant(dockerfile: Dockerfile) -> None:
    """Every stage stands on one base, which names a version and a system, and no `latest`."""
    names = {stage.name for stage in dockerfile.stages}
    bases = {stage.base for stage in dockerfile.stages} - names
    (base,) = bases
    wanted = (ROOT / ".python-version").read_text(encoding="utf-8").strip()
    assert re.fullmatch(rf"python:{re.escape(wanted)}(\.\d+)?-slim-[a-z]+", base)
    assert dockerfile.arguments == {"BASE": base}


def test_every_package_is_installed_by_its_hash(dockerfile: Dockerfile) -> None:
    """Whatever installs packages takes a lock of ours, asks for hashes, and builds nothing."""
    installs = [
        command
        for stage in dockerfile.stages
        for one in stage.all("RUN")
        for command in one.rest.split("&&")
        if " install " in command
    ]
    assert len(installs) == 3
    for command in installs:
        assert "--require-hashes" in command
        assert "--no-deps" in command
        (lock,) = re.findall(r"--requirement (requirements/\w+\.txt)", command)
        assert (ROOT / lock).exists()
        assert command.split(lock)[1].split() == []


@pytest.mark.parametrize("target", TARGETS)
def test_the_image_starts_as_a_container_should(dockerfile: Dockerfile, target: str) -> None:
    """Not as root, without a shell in between, and with nothing of the other processor run."""
    user = last(dockerfile, target, "USER").rest
    assert all(int(one) >= 10_000 for one in user.split(":"))
    assert last(dockerfile, target, "CMD").exec_form[0] == "python"
    assert last(dockerfile, target, "HEALTHCHECK").exec_form[0] == "python"
    assert last(dockerfile, target, "STOPSIGNAL").rest == "SIGTERM"
    stages = dockerfile.lineage(target)
    assert not [one for stage in stages for one in stage.all("RUN")]
    assert not [stage for stage in stages if stage.platform]


def test_the_stack_starts_what_the_image_is(dockerfile: Dockerfile) -> None:
    """ECS asks as the image would, waits until the task has drained, and lets it write nothing."""
    ((_, definition),) = resources(load(), "AWS::ECS::TaskDefinition")
    (container,) = definition["ContainerDefinitions"]
    check = last(dockerfile, "", "HEALTHCHECK")
    assert container["HealthCheck"]["Command"] == ["CMD", *check.exec_form]
    for option, name in (
        ("interval", "Interval"),
        ("timeout", "Timeout"),
        ("start-period", "StartPeriod"),
    ):
        assert check.options[option] == f"{container['HealthCheck'][name]}s"
    assert check.options["retries"] == str(container["HealthCheck"]["Retries"])
    assert container["StopTimeout"] >= task.DRAINED_WITHIN + 5
    assert container["ReadonlyRootFilesystem"] is True
    assert "Command" not in container
    assert "User" not in container


@pytest.mark.parametrize(
    "line",
    [
        "ADD . /app", "EXPOSE 8421", 'ENTRYPOINT ["sh"]', 'SHELL ["bash"]', "VOLUME /tmp",
        "COPY --chmod=777 a b", "RUN --mount=type=secret,id=x true", "HEALTHCHECK NONE",
    ],
)  # fmt: skip
def test_what_these_tests_cannot_carry_out_is_refused(line: str) -> None:
    """An instruction or an option that is not known here is an error, not a step left out."""
    with pytest.raises(ValueError, match=r"unknown|without"):
        read(f"FROM python:3.13-slim\n{line}\n")


def test_a_command_in_shell_form_is_refused() -> None:
    """A shell between the container and Python would keep SIGTERM to itself."""
    with pytest.raises(ValueError, match="exec form"):
        last(read("FROM x\nCMD python -m long_running.main\n"), "", "CMD").exec_form  # noqa: B018


def test_a_build_sees_code_and_locks_only() -> None:
    """The build's context is what is committed of the code it copies: nothing local, no secret."""
    seen = context(ROOT, IGNORED.read_text(encoding="utf-8"))
    committed = {path.relative_to(ROOT) for path in files()}
    assert seen <= committed
    tops = {one.parts[0] for one in seen}
    assert tops == {"LICENSE", "NOTICE", "requirements", "layers", "long_running"}
    assert {one.name for one in seen if one.parts[0] == "requirements"} == {
        "uv.txt", "task.txt", "lark.txt",
    }  # fmt: skip
    assert {one.suffix for one in seen if one.parts[0] in {"layers", "long_running"}} == {".py"}
    assert not {one for one in seen if {"cli", "local"} & set(one.parts)}


@pytest.mark.parametrize(
    "name",
    [".env", "threadline.yaml", ".threadline/secrets.json", "long_running/x/__pycache__/a.pyc"],
)
def test_what_lies_about_is_not_seen(tmp_path: Path, name: str) -> None:
    """A file that a person or a program left in the checkout does not reach a build."""
    for one in (name, "long_running/main.py"):
        (tmp_path / one).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / one).touch()
    seen = context(tmp_path, IGNORED.read_text(encoding="utf-8"))
    assert seen == {Path("long_running/main.py")}


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("name", ["task", "lark"])
def test_every_package_is_there_for_both_processors(
    processor: str, name: str, tmp_path: Path
) -> None:
    """Each package of the image has a wheel for arm64 and for x86_64, so that nothing is built."""
    uv = find_uv()
    done = subprocess.run(
        [
            uv, "pip", "install", "--dry-run", "--python", sys.executable,
            "--python-version", "3.13", f"--python-platform={processor}-manylinux_2_34",
            "--only-binary", ":all:", "--no-deps", "--require-hashes", "--target", tmp_path,
            "--requirement", ROOT / "requirements" / f"{name}.txt",
        ],
        env=clean_environ(), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_image_holds_what_the_task_imports(image: State) -> None:
    """Every package that its code imports anywhere is in it, and the CLI's own are left out."""
    ours = {"threadline", "long_running"}
    absent = set()
    folders = (image.inside("threadline"), image.inside("long_running"))
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for _, name in imported(path):
            top = name.partition(".")[0]
            if top in ours | sys.stdlib_module_names or top.startswith(FOR_TYPES):
                continue
            packages = image.inside("packages")
            if not (packages / top).exists() and not list(packages.glob(f"{top}.*")):
                absent.add(top)
                assert NOT_NEEDED.get(top, "nowhere") in path.as_posix(), f"{path} imports {top}"
    assert absent == NOT_NEEDED.keys()


def test_the_image_is_small(image: State) -> None:
    """It holds the task and its packages, no tool that made it, no embedded host."""
    assert {path.name for path in image.here.iterdir()} == {
        "LICENSE", "NOTICE", "packages", "threadline", "long_running",
    }  # fmt: skip
    assert not image.inside("threadline/local").exists()
    assert not image.inside("threadline/cli").exists()
    size = sum(path.stat().st_size for path in image.here.rglob("*") if path.is_file())
    assert size <= MOST_BYTES


def test_every_module_of_the_image_is_compiled(image: State) -> None:
    """Each module has bytecode that is used without a look at any file's time."""
    sources = list(image.here.rglob("*.py"))
    assert len(sources) > 500
    for source in sources:
        compiled = source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc"
        assert compiled.read_bytes()[:8] == MAGIC_NUMBER + UNCHECKED_HASH, source


@pytest.mark.aws
def test_the_container_holds_a_socket_and_drains(
    dockerfile: Dockerfile, image: State, emulated: Emulated
) -> None:
    """Started as it says, it connects, passes on, is healthy; after SIGTERM it is gone in 20 s."""
    before = task.written(image)
    with nostr_relay(RELAY) as relay:
        configure(emulated, replace(settings(), base_url=relay.url, transport="socket"))
        emulated.secrets.put("buzz/default", {"private_key": f"{3:064x}"})
        relay.publish(channel("ch-1", at=now()))
        with task.running(dockerfile, "", image, task.told(emulated)) as container:
            container.until(lambda: container.state("buzz/default") == "connected", "a connection")
            assert container.healthy()
            relay.publish(said("hello from the relay"))
            texts = container.until(lambda: mailbox(emulated), "the message")
            assert texts == ["hello from the relay"]
            code, seconds = container.stop()
            assert (code, seconds < task.DRAINED_WITHIN) == (0, True), container.log
            assert not container.healthy()
        with task.running(dockerfile, "", image, task.told(emulated)) as second:
            started = second.until(lambda: second.state("buzz/default"), "the lease")
            assert started != "waiting"
            second.stop()
    for line in container.said:
        assert json.loads(line)["event"], line
    for hidden in (f"{3:064x}", "hello from the relay"):
        assert hidden not in container.log
    assert task.written(image) == before


@pytest.mark.aws
@pytest.mark.lark
def test_feishus_library_is_there_where_it_is_wanted(
    dockerfile: Dockerfile, build: Build, image: State, emulated: Emulated
) -> None:
    """The target `feishu` holds Feishu's connection; the plain image says what it would take."""
    with FeishuStub() as feishu, FeishuSockets() as sockets:
        feishu.add_chat("oc_ada")
        feishu.socket_url = sockets.url
        app = AppSettings(
            platform=PlatformName("feishu"), app=AppName("default"), base_url=feishu.url,
            transport="long_connection",
        )  # fmt: skip
        configure(emulated, app)
        emulated.secrets.put("feishu/default", dict(feishu.secrets))
        with task.running(dockerfile, "", image, task.told(emulated)) as plain:
            plain.until(lambda: plain.state("feishu/default") == "refused", "the refusal")
            assert "threadline image push --feishu" in plain.sockets()["feishu/default"]["why"]
            assert plain.stop()[0] == 0
        with task.running(dockerfile, "feishu", build.stage("feishu"), task.told(emulated)) as one:
            one.until(lambda: one.state("feishu/default") == "connected", "a connection")
            sent = sockets.send(feishu.say("oc_ada", "hello from the phone"))
            assert one.until(lambda: mailbox(emulated), "the message") == ["hello from the phone"]
            one.until(lambda: sockets.answers.get(sent) == 200, "the acknowledgement")
            code, seconds = one.stop()
            assert (code, seconds < task.DRAINED_WITHIN) == (0, True), one.log


def configure(emulated: Emulated, *apps: AppSettings) -> None:
    """Store settings with these apps."""
    configured = Settings(version="1", namespace="0" * 32, apps=apps)
    store_settings(emulated.store, configured, emulated.now())
    _ = emulated.fifo, emulated.blobs


def mailbox(emulated: Emulated) -> list[str]:
    """Take the texts that stand in the mailbox."""
    taken = emulated.fifo.receive(10, visibility=60.0)
    emulated.fifo.delete([one.receipt for one in taken])
    mails = [codec.decode(one.body) for one in taken]
    return [mail.message.text for mail in mails if isinstance(mail, Arrived)]
