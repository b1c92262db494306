import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest
from websockets.sync.server import ServerConnection

from tests.stubs.rude_relay import Behaviour, RudeRelay, rude_relay
from threadline.backends.frames_out import HOLDS, REFUSAL, FramesOut
from threadline.core.http import HttpRequest, HttpResponse, Lost

NOW = 1_790_000_000.0


def asking(relay: RudeRelay, words: str, seconds: float = 5.0, body: str = "") -> HttpRequest:
    """Ask something whose answer holds these words."""
    headers = {HOLDS: words, REFUSAL: "rate-limited:"}
    frame = body or json.dumps(["EVENT", words])
    return HttpRequest(
        "POST", relay.url, "test", headers, frame.encode(), timeout=seconds, configured=True
    )  # fmt: skip


@contextmanager
def meeting(behaviour: Behaviour) -> Iterator[tuple[RudeRelay, FramesOut]]:
    """Run a relay and something that asks it."""
    with rude_relay(behaviour) as relay:
        out = FramesOut(lambda: NOW)
        try:
            yield relay, out
        finally:
            out.close()


def echoing(relay: RudeRelay, line: ServerConnection) -> None:
    """Say OK to everything, twice, between words that mean nothing."""
    while True:
        words = json.loads(relay.hear(line))
        line.send('["NOTICE","welcome"]')
        line.send(b"\x00binary")
        for _ in range(2):
            line.send(json.dumps(["OK", words[1], True, ""]))


def test_an_answer_is_known_by_its_words() -> None:
    """Each request gets the message that names it, with the time; others are passed over."""
    with meeting(echoing) as (relay, out):
        for word in ("one", "two", "three"):
            answer = out.perform(asking(relay, word))
            assert isinstance(answer, HttpResponse)
            assert json.loads(answer.body) == ["OK", word, True, ""]
            assert answer.headers["received-at"] == str(NOW)
        assert relay.came == 1


def test_many_may_ask_at_once() -> None:
    """Threads that share a connection each get their own answer."""
    with meeting(echoing) as (relay, out), ThreadPoolExecutor(8) as threads:
        asked = [asking(relay, f"id-{n}") for n in range(40)]
        answers = list(threads.map(out.perform, asked))
        bodies = [json.loads(one.body)[1] for one in answers if isinstance(one, HttpResponse)]
        assert bodies == [f"id-{n}" for n in range(40)]
        assert relay.came == 1


def test_a_refusal_without_a_name_answers_who_waits_longest() -> None:
    """A notice of being too fast ends the wait of one, and the other still gets its answer."""
    both = threading.Barrier(2, timeout=10)

    def refusing(relay: RudeRelay, line: ServerConnection) -> None:
        relay.hear(line)
        both.wait()
        second = json.loads(relay.hear(line))[1]
        line.send('["NOTICE","rate-limited: quota exceeded; retry in 3s"]')
        line.send(json.dumps(["OK", second, True, ""]))

    with meeting(refusing) as (relay, out), ThreadPoolExecutor(2) as threads:
        first = threads.submit(out.perform, asking(relay, "first"))
        both.wait()
        second = threads.submit(out.perform, asking(relay, "second"))
        answers = [first.result(), second.result()]
        words = [json.loads(one.body)[0] for one in answers if isinstance(one, HttpResponse)]
        assert words == ["NOTICE", "OK"]


def test_a_challenge_that_came_before_is_known() -> None:
    """Asked for without saying anything, the latest such message is the answer."""

    def challenging(relay: RudeRelay, line: ServerConnection) -> None:
        for number in range(100):
            line.send(json.dumps(["AUTH", f"c{number}"]))
        echoing(relay, line)

    with meeting(challenging) as (relay, out):
        out.perform(asking(relay, "one"))
        asked = replace(asking(relay, '"AUTH"'), body=b"")
        answer = out.perform(asked)
        assert isinstance(answer, HttpResponse)
        assert json.loads(answer.body) == ["AUTH", "c99"]


@pytest.mark.parametrize("how", ["silence", "gone", "garbage", "huge"])
def test_what_is_lost_is_said_and_the_next_request_begins_anew(how: str) -> None:
    """A relay that is silent, leaves or breaks the protocol costs one request, known as sent."""

    def failing_once(relay: RudeRelay, line: ServerConnection) -> None:
        if relay.came > 1:
            echoing(relay, line)
        relay.hear(line)
        match how:
            case "silence":
                relay.hear(line)
            case "gone":
                line.socket.close()
            case "garbage":
                line.socket.sendall(b"\x81\x04\xff\xfe\xfd\xfc")  # text that is no UTF-8
                relay.hear(line)
            case "huge":
                line.send("x" * 3_000_000)
                relay.hear(line)

    with meeting(failing_once) as (relay, out):
        started = time.monotonic()
        lost = out.perform(asking(relay, "one", seconds=0.5))
        assert isinstance(lost, Lost)
        assert (lost.why in {"timeout", "reset"}, lost.sent) == (True, True)
        assert time.monotonic() - started < 5
        assert isinstance(out.perform(asking(relay, "two")), HttpResponse)


def test_who_is_not_there_was_not_told() -> None:
    """Where nobody listens, or the address is not a configured one, nothing was sent."""
    with rude_relay(echoing) as relay:
        gone = asking(relay, "one")
    out = FramesOut(lambda: NOW)
    assert out.perform(gone) == Lost("refused", sent=False)
    assert out.perform(replace(gone, configured=False)) == Lost("forbidden", sent=False)
