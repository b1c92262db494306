import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests.events import EVENTS
from tests.pipeline.agent_server import free_port
from tests.unit.cli.conftest import Command
from threadline import wiring
from threadline.core.platform import ReceivesHttp
from threadline.local.emulator import ENDPOINT

ROOT = EVENTS.parent


def test_without_a_name_everything_is_listed(threadline: Command) -> None:
    """Every recording is named as it is asked for, and no expectation."""
    listed = threadline("event").out.split()
    assert {"slack/app_mention", "dispatch/arrived", "sweep/schedule"} <= set(listed)
    assert not [name for name in listed if name.endswith((".expect", ".json"))]


@pytest.mark.parametrize("name", ["dispatch/wake", "events/dispatch/wake.json"])
def test_an_event_of_a_function_comes_fresh(threadline: Command, name: str) -> None:
    """What nobody signs wants no emulator: it is printed as if it were sent just now."""
    ended = threadline("event", name)
    (record,) = json.loads(ended.out)["Records"]
    assert abs(int(record["attributes"]["SentTimestamp"]) / 1000 - time.time()) < 60
    assert json.loads(record["body"])["kind"] == "wake"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("slack/app_mentoin", "has no slack/app_mentoin; nearest: slack/app_mention, "),
        ("slack/app_mentoin", "; slack has: app_mention, app_mention.edited, "),
        ("slak/app_mention", "; there are: buzz, connect, "),
        ("dispatch", "; dispatch has: arrived, wake"),
        ("../events/dispatch/wake", "has no ../events/dispatch/wake; nearest: dispatch/wake"),
        ("slack/app_mention.expect", "has no slack/app_mention.expect; nearest: "),
    ],
)
def test_a_name_that_is_not_there_is_told_with_what_is(
    threadline: Command, name: str, told: str
) -> None:
    """A misspelt name gets one line with what comes near and what there is."""
    ended = threadline("event", name)
    assert (ended.code, ended.out) == (1, "")
    assert told in ended.err
    assert ended.err.count("\n") == 1


def test_without_an_emulator_it_says_what_to_start(
    threadline: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has to be signed is not printed unsigned."""
    url = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv(ENDPOINT, url)
    for name in ("slack/app_mention", "connect/ended"):
        ended = threadline("event", name)
        assert (ended.code, ended.out) == (1, "")
        assert f"no emulator answers at {url}: start it in another terminal with" in ended.err


def test_a_forgery_stays_one(threadline: Command) -> None:
    """A recording that must be refused is printed as it stands, so no emulator is asked."""
    ended = threadline("event", "telegram/message.wrong_secret")
    assert json.loads(ended.out) == json.loads(
        (EVENTS / "telegram/message.wrong_secret.json").read_text(encoding="utf-8")
    )


def test_a_folder_without_recordings_is_told(threadline: Command, folder: Path) -> None:
    """A folder that holds none is named in the error."""
    ended = threadline("event", "dispatch/wake", "--events", str(folder))
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        f"threadline: no recorded events in {folder}: name their folder with --events\n"
    )


def test_recordings_of_this_folder_come_first(threadline: Command, folder: Path) -> None:
    """`events/` in the working directory is taken before those that came with Threadline."""
    (folder / "events" / "mine").mkdir(parents=True)
    (folder / "events" / "mine" / "case.json").write_text('{"detail": {}}')
    assert "mine/case" not in threadline("event").out
    (folder / "events" / "env.json").write_text("{}")
    assert threadline("event").out == "mine/case\n"


def test_the_guide_names_what_there_is(threadline: Command) -> None:
    """docs/one-function.md has the events of every function, and each platform's for ingest."""
    guide = (ROOT / "docs" / "one-function.md").read_text(encoding="utf-8")
    names = threadline("event").out.split()
    for name in names:
        group = name.partition("/")[0]
        if group not in wiring.PLATFORMS:
            assert f"`{name}`" in guide
        elif isinstance(wiring.platform(group), ReceivesHttp):
            assert f"`{group}/…`" in guide


def test_what_comes_over_a_socket_is_no_event(threadline: Command, folder: Path) -> None:
    """A platform without webhooks reaches no function, so none of its recordings is printed."""
    (folder / "events" / "buzz").mkdir(parents=True)
    (folder / "events" / "env.json").write_text("{}")
    (folder / "events" / "buzz" / "case.json").write_text("[]")
    ended = threadline("event", "buzz/case")
    assert (ended.code, ended.out) == (1, "")
    assert "buzz sends no webhooks: no function takes" in ended.err


def test_it_works_where_threadline_is_installed(tmp_path: Path) -> None:
    """Laid out as the wheel is, the package brings its recordings along."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(wheel["only-include"]) == set(wheel["sources"])
    for source, place in sorted(wheel["sources"].items(), key=lambda one: len(one[1])):
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / source, tmp_path / "site" / place, ignore=left_out)
    done = subprocess.run(
        [sys.executable, "-c",
         "from threadline.cli.main import main; raise SystemExit(main(['event', 'deliver/x']))"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path / "site"),
             "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 1
    place = tmp_path.resolve() / "site" / "threadline" / "events"
    assert f"{place} has no deliver/x" in done.stderr
    assert "deliver has: flush_outbox" in done.stderr
