"""Answers as they come over the wire, cut anywhere; h11 judges what a body is."""

import time
from itertools import pairwise

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadline.backends.http_framing import AnswerReader, Malformed

CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
SIZED = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n0123456789"
ANSWERS = {
    "chunked": CHUNKED + b"5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n",
    "with extensions": CHUNKED + b'5;a=b; c="d"\r\nhello\r\n0;last\r\n\r\n',
    "with trailers": CHUNKED + b"A\r\n0123456789\r\n0\r\nx-after: 1\r\nx-more: 2\r\n\r\n",
    "nothing in chunks": CHUNKED + b"0\r\n\r\n",
    "sized": SIZED,
    "sized twice the same": SIZED.replace(b"\r\n\r\n", b"\r\ncontent-length: 10\r\n\r\n"),
    "many spaces in a field": SIZED.replace(
        b"\r\n\r\n", b"\r\nx-a:\t a" + b" " * 9_000 + b"b \t\r\n\r\n"
    ),
    "empty": b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
    "no content": b"HTTP/1.1 204 No Content\r\ncontent-length: 7\r\n\r\n",
    "until the end": b"HTTP/1.0 200 OK\r\nserver: old\r\n\r\nwhatever comes",
    "announced": b"HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + SIZED,
    "without a reason": SIZED.replace(b"200 OK", b"200 "),
    "chunked and sized": CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\n")
    + b"2\r\nhi\r\n0\r\n\r\n",
}
MALFORMED = {
    "no status": b"HTTP/1.1 OK\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "switching": b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n",
    "a field without a name": b"HTTP/1.1 200 OK\r\n: x\r\n\r\n",
    "a folded field": b"HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
    "no number": b"HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\nx",
    "another coding": b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
    "no size": CHUNKED + b"\r\nhello",
    "no hexadecimal": CHUNKED + b"0x5\r\nhello\r\n",
    "too long a chunk": CHUNKED + b"2\r\nhello\r\n",
    "an endless head": b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 12_000,
    "an endless line": CHUNKED + b"5;" + b"a" * 10_000,
}


def read(body: bytes, cuts: list[int], reader: AnswerReader) -> bytes:
    """Feed an answer in pieces; give its body."""
    marks = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts)})
    pieces = [body[start:end] for start, end in pairwise(marks)]
    return b"".join(piece for one in pieces for piece in reader.feed(one))


def judged(raw: bytes) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Give status, headers and body as h11 reads them."""
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
    client.send(h11.EndOfMessage())
    client.receive_data(raw)
    status, headers, body, ended = 0, [], b"", False
    while not ended:
        event = client.next_event()
        match event:
            case h11.Response():
                status, headers = event.status_code, list(event.headers)
            case h11.Data():
                body += event.data
            case h11.EndOfMessage():
                ended = True
            case h11.NEED_DATA:
                client.receive_data(b"")
    return status, headers, body


@pytest.mark.parametrize("raw", ANSWERS.values(), ids=ANSWERS)
@given(cuts=st.lists(st.integers(0, 400), max_size=8))
def test_an_answer_is_read_however_it_is_cut(raw: bytes, cuts: list[int]) -> None:
    """Status, headers and body are what h11 makes of them, and the end is seen."""
    reader = AnswerReader()
    status, headers, body = judged(raw)
    assert read(raw, cuts, reader) == body
    assert (reader.status, set(reader.headers)) == (status, set(headers))
    assert reader.close()


@pytest.mark.parametrize("raw", MALFORMED.values(), ids=MALFORMED)
@given(cuts=st.lists(st.integers(0, 80_000), max_size=4))
def test_what_is_no_answer_is_refused(raw: bytes, cuts: list[int]) -> None:
    """What HTTP/1.1 forbids, or what never ends, is not read as something else."""
    with pytest.raises(Malformed):
        read(raw, cuts, AnswerReader())


@pytest.mark.parametrize("name", [name for name in ANSWERS if name != "until the end"])
def test_an_answer_that_is_cut_short_is_not_whole(name: str) -> None:
    """Where bytes are missing, the end of the connection is no end of the answer."""
    raw = ANSWERS[name]
    for length in range(len(raw)):
        reader = AnswerReader()
        reader.feed(raw[:length])
        assert not reader.ended or judged(raw[:length])[2] == judged(raw)[2]
        assert reader.close() is reader.ended


@given(st.lists(st.binary(max_size=300), max_size=6))
def test_random_bytes_give_nothing_or_a_refusal(pieces: list[bytes]) -> None:
    """Whatever comes, nothing else is raised, and nothing passes for a whole answer unseen."""
    reader = AnswerReader()
    try:
        for piece in (CHUNKED, *pieces):
            reader.feed(piece)
    except Malformed:
        return
    assert reader.status == 200


@pytest.mark.parametrize("at_once", [65_536, 1])
@pytest.mark.parametrize(
    "fields",
    [b"a: a" + b" " * 60_000 + b"b", b"a: " + b"x " * 30_000, b"\r\n".join([b"a: b"] * 10_000)],
    ids=["a wide gap", "many gaps", "many fields"],
)
def test_a_head_costs_by_its_length(fields: bytes, at_once: int) -> None:
    """The longest head takes a moment, whatever it is filled with and however it arrives.

    Were its cost to grow with the square of its length, it would take 10 s and more.
    """
    reader, began = AnswerReader(), time.process_time()
    raw = SIZED.replace(b"\r\n\r\n", b"\r\n" + fields + b"\r\n\r\n")
    for start in range(0, len(raw), at_once):
        reader.feed(raw[start : start + at_once])
    assert reader.ended
    assert time.process_time() - began < 3


def test_a_line_may_end_without_a_carriage_return() -> None:
    """Servers that end lines with a mere line feed are understood (RFC 9112, 2.2)."""
    reader = AnswerReader()
    assert reader.feed(ANSWERS["chunked"].replace(b"\r\n", b"\n")) == [b"hello", b" ", b"world"]
    assert reader.ended


LASTS = {"sized", "chunked", "sized twice the same", "empty", "no content", "announced"}
ENDS = {
    "more behind it": SIZED + b"H",
    "more behind the last chunk": ANSWERS["chunked"] + b"\r\n",
    "two lengths": ANSWERS["chunked and sized"],
    "until the end": ANSWERS["until the end"],
    "to be closed": SIZED.replace(b"\r\n\r\n", b"\r\nConnection: keep-alive , Close\r\n\r\n"),
    "the older protocol": SIZED.replace(b"HTTP/1.1", b"HTTP/1.0"),
}


@given(cuts=st.lists(st.integers(0, 400), max_size=8))
def test_a_connection_lasts_where_nothing_is_in_doubt(cuts: list[int]) -> None:
    """A further request may follow a whole answer that says so, and nothing behind it."""
    for raw, lasts in [(ANSWERS[name], True) for name in LASTS] + [
        (r, False) for r in ENDS.values()
    ]:
        reader = AnswerReader()
        read(raw, cuts, reader)
        assert reader.lasts is lasts
        reader.close()
        assert not reader.lasts
