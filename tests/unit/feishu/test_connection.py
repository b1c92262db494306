"""The long connection hands over what a webhook would bring, and acknowledges what is kept."""

import json
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from long_running.sockets.feishu import NOT_INSTALLED, FeishuConnection
from long_running.sockets.state import Backoff, Phase
from tests.peers import path_of
from tests.stubs.feishu import FeishuStub
from tests.stubs.feishu_rules import Do
from tests.stubs.feishu_socket import FeishuSockets
from tests.unit.feishu.events import message_of, parse
from threadline.core.errors import StoreUnavailable

ADA = "oc_ada"
SOON = 60.0


@dataclass(slots=True)
class Taker:
    """Takes events as ingest would; `answers` are given first, then it takes all."""

    answers: list[bool | float | Exception] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def accept(self, body: bytes) -> bool:
        """Take an event, or not, or late."""
        self.bodies.append(body)
        answer = self.answers.pop(0) if self.answers else True
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, float):
            time.sleep(answer)
        return answer is not False

    @property
    def texts(self) -> list[str]:
        """Give what people wrote, read as a webhook's bodies are read."""
        return [message_of(parse(json.loads(body))).text for body in self.bodies]


@contextmanager
def connection(
    feishu: FeishuStub, taker: Taker, python: Path | None = None, secret: str = "", **how: float
) -> Iterator[FeishuConnection]:
    """Hold a connection while the block runs, without long waits between tries."""
    held = FeishuConnection(
        app_id=feishu.secrets["app_id"], app_secret=secret or feishu.secrets["app_secret"],
        domain=feishu.url, accept=taker.accept, clock=lambda: 1_790_000_000.0,
        random=lambda: 0.0, python=python or path_of("lark"), backoff=Backoff(0.05, 0.1), **how,
    )  # fmt: skip
    held.start()
    try:
        yield held
    finally:
        assert held.stop()
        assert held.state.phase is Phase.STOPPED


def until(reached: Callable[[], object]) -> None:
    """Wait for what must come soon."""
    ends = time.monotonic() + SOON
    while not reached():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.01)


def program(folder: Path, *lines: str) -> Path:
    """Make a stand-in for the library's interpreter that says these lines of Python."""
    body = "\n".join(["#!" + sys.executable, "import json, os, sys, time", *lines])
    path = folder / "python"
    path.write_text(f"{body}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def feishu() -> Iterator[FeishuStub]:
    """An organisation with one private chat, and its other end of the connection."""
    with FeishuStub() as stub:
        stub.add_chat(ADA)
        yield stub


@pytest.fixture
def sockets(feishu: FeishuStub) -> Iterator[FeishuSockets]:
    """The other end of the connection."""
    with FeishuSockets() as server:
        feishu.socket_url = server.url
        yield server


@pytest.mark.lark
def test_events_arrive_and_are_acknowledged_once_kept(
    feishu: FeishuStub, sockets: FeishuSockets
) -> None:
    """By the vendor's library: in order, whole, and only what is kept; the rest comes again."""
    taker = Taker([True, False, StoreUnavailable("locked"), 3.0])
    long = "x" * 100_000
    with connection(feishu, taker) as held:
        until(lambda: held.state.phase is Phase.CONNECTED and sockets.connections)
        assert taker.bodies == []
        sent = [sockets.send(feishu.say(ADA, text)) for text in ("one", "two", "three", "late")]
        until(lambda: len(sockets.answers) == 4)
        sent.append(sockets.send(feishu.say(ADA, f"long {long} 😀"), pieces=3))
        until(lambda: len(sockets.answers) == 5)
        assert held.state.last_event == 1_790_000_000.0
        until(lambda: sockets.pings)
    assert [sockets.answers[name] for name in sent] == [200, 500, 500, 500, 200]
    assert taker.texts == ["one", "two", "three", "late", f"long {long} 😀"]


@pytest.mark.lark
def test_a_lost_connection_is_made_anew(feishu: FeishuStub, sockets: FeishuSockets) -> None:
    """By the library itself, and meanwhile it is told."""
    taker = Taker()
    with connection(feishu, taker) as held:
        until(lambda: held.state.phase is Phase.CONNECTED and sockets.connections)
        feishu.secrets = {**feishu.secrets, "app_secret": "another"}
        sockets.drop()
        until(lambda: held.state.phase is Phase.REFUSED)
        assert "another" not in held.state.why
        feishu.secrets = {**feishu.secrets, "app_secret": held.app_secret}
        until(lambda: held.state.phase is Phase.CONNECTED and len(sockets.connections) == 2)
        sockets.drop()
        until(lambda: len(sockets.connections) == 3)
        until(lambda: held.state.phase is Phase.CONNECTED)
        sockets.send(feishu.say(ADA, "after all"))
        until(lambda: taker.bodies)
    assert taker.texts == ["after all"]
    assert len(feishu.calls_of(Do.CONNECT)) >= 4


@pytest.mark.lark
def test_a_wrong_secret_is_refused(feishu: FeishuStub) -> None:
    """What Feishu says is told, with what to do about it, and without the secret."""
    with connection(feishu, Taker(), secret="a-wrong-secret") as held:
        until(lambda: held.state.phase is Phase.REFUSED)
        assert "app secret invalid" in held.state.why
        assert "threadline secrets set feishu" in held.state.why
        assert "a-wrong-secret" not in held.state.why


def test_without_the_library_it_says_how_to_get_it(feishu: FeishuStub, tmp_path: Path) -> None:
    """No interpreter, or one that lacks the library: the remedy is a command."""
    with connection(feishu, Taker(), tmp_path / "none") as held:
        until(lambda: held.state.phase is Phase.REFUSED)
        assert held.state.why == NOT_INSTALLED
    with connection(feishu, Taker(), Path(sys.executable)) as held:
        until(lambda: held.state.phase is Phase.REFUSED)
        assert held.state.why == NOT_INSTALLED


CONNECTED = 'print(json.dumps({"state": "connected", "why": ""}), flush=True)'


@pytest.mark.parametrize(
    ("lines", "phase", "says"),
    [
        (["sys.exit(3)"], Phase.BACKING_OFF, "ended"),
        ([CONNECTED, "sys.exit(3)"], Phase.BACKING_OFF, "ended"),
        ([CONNECTED, 'print(\'{"event": 1, "size": 99}\')'], Phase.BACKING_OFF, "ended"),
        (['print(\'{"state": "ended", "why": "OSError"}\')'], Phase.BACKING_OFF, "OSError"),
        (["time.sleep(60)"], Phase.BACKING_OFF, "minutes"),
    ],
)  # fmt: skip
def test_a_process_that_ends_or_hangs_is_started_anew(
    feishu: FeishuStub, tmp_path: Path, lines: list[str], phase: Phase, says: str
) -> None:
    """Whatever becomes of it, another one is tried after a while."""
    log = tmp_path / "starts"
    python = program(tmp_path, f"open({str(log)!r}, 'a').write('x')", *lines)
    seen: set[tuple[Phase, str]] = set()

    def twice() -> bool:
        seen.add((held.state.phase, held.state.why))
        return log.exists() and len(log.read_text("utf-8")) > 2

    with connection(feishu, Taker(), python, patience=1.0) as held:
        until(twice)
    assert any(shown is phase and says in why for shown, why in seen)


def test_the_process_ends_with_its_parent(feishu: FeishuStub, tmp_path: Path) -> None:
    """Stopping leaves nothing behind, also where the process would go on."""
    mark = tmp_path / "pid"
    lines = [f"open({str(mark)!r}, 'w').write(str(os.getpid()))", CONNECTED, "time.sleep(600)"]
    with connection(feishu, Taker(), program(tmp_path, *lines)) as held:
        until(lambda: held.state.phase is Phase.CONNECTED)
        pid = mark.read_text("utf-8")
        assert Path("/proc", pid).exists()
    assert not Path("/proc", pid).exists()
