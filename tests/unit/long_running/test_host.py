import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from long_running.sockets.making import admits
from long_running.sockets.state import Phase, SocketState
from tests.unit.long_running.stage import APP, SETTINGS, Stage, opened
from threadline.core.errors import StoreUnavailable
from threadline.core.settings import AppSettings
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.discord import PLATFORM as DISCORD

stage = pytest.fixture(opened)


def test_a_socket_is_held_while_it_is_configured(stage: Stage) -> None:
    """It begins with its app, ends with it, and begins anew with another secret."""
    host = stage.host()
    host.look()
    assert [line.started for line in stage.lines] == [1]
    stage.world.secrets.put("buzz/default", {"private_key": f"{5:064x}"})
    stage.later(host, 20)
    assert [line.stopped for line in stage.lines] == [1, 0]
    host.follow(replace(SETTINGS, apps=()))
    stage.later(host, 20)
    assert [line.stopped for line in stage.lines] == [1, 1]
    assert host.states() == {}


def test_an_app_that_is_switched_off_is_let_go(stage: Stage) -> None:
    """It stands in the settings, and nothing is held for it, whatever its secrets are."""
    host = stage.host()
    host.look()
    host.follow(replace(SETTINGS, apps=(replace(APP, enabled=False),)))
    stage.later(host, 20)
    assert ([line.stopped for line in stage.lines], host.states()) == ([1], {})


def test_of_two_hosts_one_holds(stage: Stage) -> None:
    """The second waits, and takes over within a minute once the first one is silent."""
    first, second = stage.host("one"), stage.host("two")
    first.look()
    second.look()
    assert second.states()["buzz/default"].phase is Phase.WAITING
    for _ in range(20):
        stage.later(first, 5)
        second.look()
    assert len(stage.lines) == 1
    stage.later(second, 60)
    assert len(stage.lines) == 2
    first.look()
    stage.later(first, 10)
    assert stage.lines[0].stopped == 1


def test_stopping_gives_the_lease_back(stage: Stage) -> None:
    """A host that leaves in good order is followed at once."""
    first, second = stage.host("one"), stage.host("two")
    first.look()
    first.stop()
    assert stage.lines[0].stopped == 1
    second.look()
    assert len(stage.lines) == 2


@pytest.mark.parametrize("phase", [Phase.DEAF, Phase.REFUSED])
def test_somebody_is_told_of_a_deaf_socket(stage: Stage, phase: Phase) -> None:
    """A minute of deafness raises an alarm, again after ten minutes; a hiccup raises none."""
    host = stage.host()
    host.look()
    stage.lines[0].state = SocketState(phase, "closed: threadline x")
    stage.later(host, 30)
    stage.lines[0].state = SocketState(Phase.CONNECTED)
    stage.later(host, 30)
    assert stage.alarms() == []
    stage.lines[0].state = SocketState(phase, "closed")
    stage.later(host, 120)
    assert stage.alarms() == [f"socket_{phase}"]
    stage.later(host, 600)
    assert stage.alarms() == [f"socket_{phase}"] * 2
    assert "buzz/default is connected." in stage.said


def test_a_socket_that_a_fault_ended_begins_again(stage: Stage) -> None:
    """A connection that ended by itself is made anew a little later, and that is told."""
    host = stage.host()
    host.look()
    stage.lines[0].state = SocketState(Phase.STOPPED, "a fault of ours ended it")
    stage.later(host, 20)
    assert len(stage.lines) == 2
    assert stage.alarms() == ["socket_fault"]


def test_secrets_that_cannot_be_read_end_no_socket(stage: Stage) -> None:
    """While it is not known what is wanted, what is held is held on: the lease is kept."""
    first, second = stage.host("one"), stage.host("two")
    first.look()
    stage.trouble.append(StoreUnavailable("read the secret buzz/default: timeout"))
    for _ in range(24):
        stage.later(first, 5)
        second.keep()
    assert [(line.started, line.stopped) for line in stage.lines] == [(1, 0)]


def test_nothing_is_handed_over_without_the_lease(stage: Stage) -> None:
    """A host that stood still loses the right to hand over before another one may take it."""
    first, second = stage.host("one"), stage.host("two")
    first.look()
    second.look()
    (line,) = stage.lines
    assert line.may()
    stage.clock.sleep(25)
    assert not line.may()
    second.look()
    assert len(stage.lines) == 1
    stage.later(second, 35)
    assert stage.lines[1].may()
    stage.later(first, 10)
    assert (line.stopped, line.may()) == (1, False)


def test_somebody_is_told_of_a_socket_that_never_stands(stage: Stage) -> None:
    """Five minutes without a connection raise an alarm, also where it stands for moments."""
    host = stage.host()
    host.look()
    for _ in range(11):
        stage.lines[0].state = SocketState(Phase.BACKING_OFF, "it cannot be reached (OSError)")
        stage.later(host, 25)
        stage.lines[0].state = SocketState(Phase.CONNECTED)
        stage.later(host, 5)
    assert stage.alarms() == ["socket_down"]
    stage.later(host, 120)
    stage.lines[0].state = SocketState(Phase.CONNECTING)
    stage.later(host, 200)
    assert stage.alarms() == ["socket_down"]


def test_stopping_waits_for_no_socket_that_hangs(stage: Stage) -> None:
    """A socket that does not end holds up nobody for longer than is given to all of them."""
    host = stage.host()
    host.stop_within = 0.2
    host.look()
    stage.lines[0].ending = hanging = threading.Event()
    began = time.monotonic()
    host.stop()
    assert time.monotonic() - began < 5.0
    assert host.states() == {}
    hanging.set()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_host_whose_thread_has_ended_says_so(stage: Stage) -> None:
    """Whoever hands settings to a broken host is told, so that the process ends and comes anew."""
    host = stage.host()
    stage.trouble.append(ValueError("a fault of ours"))  # type: ignore[arg-type]
    host.start()
    for thread in host._threads[:1]:
        thread.join(10)
    with pytest.raises(RuntimeError, match="has ended"):
        host.follow(SETTINGS)
    host.stop()


@pytest.mark.parametrize(
    ("platform", "base_url", "url", "admitted"),
    [
        (PLATFORM, "wss://relay.example.com", "wss://relay.example.com", True),
        (PLATFORM, "ws://127.0.0.1:9", "ws://127.0.0.1:9", True),
        (PLATFORM, "wss://relay.example.com", "wss://elsewhere.example.com", False),
        (PLATFORM, "", "wss://relay.example.com", False),
        (DISCORD, "", "wss://gateway.discord.gg/?v=10", True),
        (DISCORD, "", "ws://gateway.discord.gg/?v=10", False),
        (DISCORD, "", "wss://user@gateway.discord.gg/", False),
        (DISCORD, "", "wss://gateway.discord.gg.example.com/", False),
        (DISCORD, "", "wss://[", False),
    ],
)
def test_a_socket_goes_only_to_its_platform(
    platform: Any, base_url: str, url: str, admitted: bool
) -> None:
    """A connection goes to the configured host, or by TLS to one of the platform's own."""
    app: AppSettings = replace(APP, base_url=base_url)
    assert admits(platform, app, url) is admitted
