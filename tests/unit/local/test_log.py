import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from threadline.local import log


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Leave the loggers of the test run as they were."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    for handler in root.handlers:
        if handler not in before[0]:
            handler.close()
    root.handlers[:], root.level = before


def test_an_event_is_one_json_line_with_its_values(tmp_path: Path) -> None:
    """What a use case logs can be read back as named values, even ones logging itself uses."""
    log.start_logging(tmp_path, terminal=False)
    log.event_line("delivery", reason="accepted", message="7", name="n", status=200)
    (line,) = log.logged_lines(tmp_path)
    assert line["event"] == "delivery"
    assert (line["reason"], line["message"], line["name"]) == ("accepted", "7", "n")
    assert isinstance(line["at"], float)


def test_the_log_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much is logged, five files of the limit hold the newest of it."""
    monkeypatch.setattr(log, "FILE_BYTES", 2_000)
    log.start_logging(tmp_path, terminal=False)
    for number in range(500):
        log.event_line("step", number=number)
    files = list(tmp_path.iterdir())
    assert len(files) == 5
    assert sum(path.stat().st_size for path in files) <= 5 * 2_000
    numbers = [line["number"] for line in log.logged_lines(tmp_path)]
    assert numbers == list(range(500))[-len(numbers) :]


def test_a_line_is_formatted_once(tmp_path: Path) -> None:
    """Neither the bound of the file nor what it holds asks for the same line twice."""
    log.start_logging(tmp_path, terminal=False)
    (handler,) = logging.getLogger().handlers
    handler.setFormatter(formatter := Numbered())
    log.event_line("first")
    log.event_line("second")
    assert formatter.asked == ["first", "second"]
    assert (tmp_path / log.FILE).read_text(encoding="utf-8") == "1\n2\n"


class Numbered(logging.Formatter):
    """Writes down for which events it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def format(self, record: logging.LogRecord) -> str:
        self.asked.append(record.getMessage())
        return str(len(self.asked))


def test_an_error_is_logged_without_its_text(tmp_path: Path) -> None:
    """An exception may quote a message, so only its kind and place are written down."""
    log.start_logging(tmp_path, terminal=False)
    try:
        int("what the person wrote")
    except ValueError:
        logging.getLogger("threadline.x").exception("failed")
    text = (tmp_path / log.FILE).read_text(encoding="utf-8")
    assert "what the person wrote" not in text
    assert json.loads(text)["error"] == "ValueError"
    assert json.loads(text)["place"].startswith("test_log.py:")


def test_lines_of_others_are_passed_over(tmp_path: Path) -> None:
    """A torn or foreign line in the log does not stop the reading."""
    (tmp_path / log.FILE).write_text('{"event": "a"}\n{"eve\n[1]\n{"event": "b"}\n')
    assert [line["event"] for line in log.logged_lines(tmp_path)] == ["a", "b"]


@pytest.mark.parametrize(
    ("event", "values", "shown"),
    [
        (
            "step",
            {"step": "starting", "detail": "", "conversation": "c", "turn": "t"},
            "c  starting",
        ),
        ("delivery", {"reason": "accepted", "platform": "x", "message": "7"}, "x  accepted"),
        ("other", {"a": 1, "b": ""}, "other  a=1"),
        ("step", {"step": "x", "detail": "no \x1b[2J\x07 key"}, "x  no  [2J  key"),
    ],
)
def test_a_person_sees_a_short_line(event: str, values: dict[str, object], shown: str) -> None:
    """The terminal shows the time and what matters of an event."""
    record = logging.makeLogRecord(
        {"msg": event, "levelno": 20, "levelname": "INFO", "values": values}
    )
    assert log.ShortLines().format(record).split(" ", 1)[1] == shown


def test_the_tail_has_what_is_logged_from_now_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier lines are left out, a torn line is read when it is whole, rotation loses none."""
    monkeypatch.setattr(log, "FILE_BYTES", 5_000)
    log.start_logging(tmp_path, terminal=False)
    log.event_line("before")
    tail = log.LogTail(tmp_path)
    with (tmp_path / log.FILE).open("a") as file:
        file.write('{"event": "to')
        file.flush()
        assert tail() == []
        file.write('rn"}\n')
    assert [line["event"] for line in tail()] == ["torn"]
    for number in range(50):
        log.event_line("step", number=number)
        tail()
    assert (tmp_path / f"{log.FILE}.1").exists()
    assert [line["number"] for line in tail()[1:]] == list(range(50))
    tail.close()
