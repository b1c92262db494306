"""Connections that we hold: what is said and taken on them, whatever the other side does."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.platforms.enrolled import EVERY_HELD, EVERY_TRANSCRIPT, HELD
from tests.contract.platforms.enrolment import Enrolment, Held
from tests.contract.platforms.test_bodies import ODD, at, paths
from tests.transcripts import Played, Transcript, begin, messages, play, transcripts, unlike
from threadline.backends.metrics import counted
from threadline.core.errors import CredentialsRejected
from threadline.core.socket import NEVER, Hearing, HoldsSocket, Step

ENOUGH = 5
UNREADABLE = (
    "", " ", "no json", "{", "[]", "{}", "null", "7", '"text"', "[" * 100_000, '{"a":' * 50_000,
    "[" + "9" * 10_000 + "]", "[NaN]", '{"op": Infinity}', "\ud800", "\x00\x1b[2J", b"",
    b"\xff\xfe", b"\x00\x01", "x" * 1_000_000,
)  # fmt: skip


def codec(one: Enrolment) -> HoldsSocket:
    """Give the platform as what holds a connection."""
    assert isinstance(one.platform, HoldsSocket)
    return one.platform


def held(one: Enrolment) -> Held:
    """Give what the platform says of its connection."""
    assert one.held is not None
    return one.held


def ids(one: Enrolment, played: Played) -> list[str]:
    """Name what was delivered."""
    found = messages(codec(one), one.credentials, played)
    return [f"{message.delivery} {message.id}" for message in found]


@EVERY_HELD
def test_there_are_enough_transcripts(one: Enrolment) -> None:
    """A platform has recorded connections that bring messages, and such that bring none."""
    found = transcripts(one.platform.name)
    assert len(found) >= ENOUGH
    assert {case.expect["outcome"] for case in found} >= {"accepted", "refused"}


@EVERY_TRANSCRIPT
def test_a_connection_goes_as_it_is_written(one: Enrolment, transcript: Transcript) -> None:
    """Everything we say is in the transcript, and leads to what is written beside it."""
    assert unlike(codec(one), one.credentials, transcript) == []


@EVERY_TRANSCRIPT
def test_a_connection_cut_anywhere_loses_nothing(one: Enrolment, transcript: Transcript) -> None:
    """Cut after any frame, and gone through again with what was saved: all arrives, same ids."""
    whole = play(codec(one), one.credentials, transcript)
    wanted = set(ids(one, whole))
    for cut in range(len(transcript.frames)):
        first = begin(codec(one), one.credentials, transcript)
        for said in transcript.frames[:cut]:
            first.hear(said)
        again = play(codec(one), one.credentials, transcript, first.cursor)
        assert set(ids(one, first)) | set(ids(one, again)) == wanted


@EVERY_TRANSCRIPT
def test_a_place_is_behind_nothing_that_was_not_accepted(
    one: Enrolment, transcript: Transcript
) -> None:
    """Whose deliveries of a step were not accepted gets them again from the cursor before it."""
    whole = begin(codec(one), one.credentials, transcript)
    for said in transcript.frames:
        before = dict(whole.cursor)
        step = whole.hear(said)
        if step is not None and step.deliveries:
            lost = named(one, whole, step)
            again = play(codec(one), one.credentials, transcript, before)
            assert set(lost) <= set(ids(one, again))


@EVERY_TRANSCRIPT
def test_the_same_frame_twice_is_one_message(one: Enrolment, transcript: Transcript) -> None:
    """A frame that comes again leads to no message that was not there, whatever it is."""
    wanted = set(ids(one, play(codec(one), one.credentials, transcript)))
    twice = begin(codec(one), one.credentials, transcript)
    for said in transcript.frames:
        for _ in range(1 if "waits" in said else 2):
            if not twice.ended:
                twice.hear(said)
    assert set(ids(one, twice)) == wanted


@EVERY_TRANSCRIPT
def test_what_cannot_be_read_changes_nothing(one: Enrolment, transcript: Transcript) -> None:
    """Unreadable frames, between any two others, raise nothing, say nothing and lose nothing."""
    wanted = ids(one, play(codec(one), one.credentials, transcript))
    rude = begin(codec(one), one.credentials, transcript)
    sent = 0
    for number, said in enumerate(transcript.frames):
        for frame in (UNREADABLE[number % len(UNREADABLE)], UNREADABLE[-number % len(UNREADABLE)]):
            if not rude.ended:
                rude.take(rude.session.feed(frame, rude.now))
                sent += len(rude.steps[-1].send)
        if not rude.ended:
            rude.hear(said)
    assert (sent, ids(one, rude)) == (0, wanted)


@EVERY_TRANSCRIPT
def test_any_part_of_a_frame_may_be_odd(one: Enrolment, transcript: Transcript) -> None:
    """A value of a frame replaced by something else raises nothing, and what is signed is refused.

    Every value once, each by one of the odd ones in turn.
    """
    before = begin(codec(one), one.credentials, transcript)
    turn = 0
    for said in transcript.frames:
        for path in paths(said.get("hears", [])) if not before.ended else ():
            turn += 1
            changed = json.loads(json.dumps(said["hears"]))
            at(changed, path[:-1])[path[-1]] = ODD[turn % len(ODD)]
            if changed == said["hears"]:
                continue
            step = before.session.feed(json.dumps(changed), before.now)
            quiet_step(one, step)
            if path[0] == held(one).signed and len(path) > 1:
                assert not step.deliveries
        if not before.ended:
            before.hear(said)


@EVERY_TRANSCRIPT
def test_time_alone_does_no_harm(one: Enrolment, transcript: Transcript) -> None:
    """A tick too early delivers nothing, and one that is due is done: its time does not stay."""
    played = begin(codec(one), one.credentials, transcript)
    for said in transcript.frames:
        assert not played.session.tick(played.now).deliveries
        step = played.steps[-1]
        for _ in range(50):
            if step.end or step.tick_at == NEVER:
                break
            due = step.tick_at
            step = step.session.tick(max(due, played.now))
            quiet_step(one, step)
            assert step.end or step.tick_at > due
        if played.ended:
            break
        played.hear(said)


@EVERY_HELD
def test_our_own_words_are_not_taken(one: Enrolment) -> None:
    """A connection that brings our own posts back brings no message."""
    assert held(one).own
    for transcript in transcripts(one.platform.name):
        if transcript.case in held(one).own:
            assert ids(one, play(codec(one), one.credentials, transcript)) == []


@EVERY_TRANSCRIPT
def test_nothing_shows_a_secret_or_a_text(one: Enrolment, transcript: Transcript) -> None:
    """Notes and printed sessions hold neither secrets nor what people wrote."""
    played = play(codec(one), one.credentials, transcript)
    for step in played.steps:
        quiet_step(one, step)
    shown = repr(played.session) + "".join(repr(note) for s in played.steps for note in s.notes)
    texts = [m.text for m in messages(codec(one), one.credentials, played) if len(m.text) > 8]
    assert not [text for text in texts if text in shown]


@EVERY_TRANSCRIPT
def test_what_somebody_should_be_told_rings(one: Enrolment, transcript: Transcript) -> None:
    """A note that is an alarm counts for the metric whose alarm rings, whatever it is about."""
    for step in play(codec(one), one.credentials, transcript).steps:
        for note in step.notes:
            line = counted("alarm", {"reason": note.code}, "dev", transcript.at)
            assert not note.alarm or line["SocketsDeaf"] == 1


@EVERY_HELD
@pytest.mark.parametrize("wrong", [None, "", " ", "\n", "wrong one\x00", "ä", "z" * 64])
def test_without_its_secret_no_connection_is_begun(one: Enrolment, wrong: str | None) -> None:
    """A secret that is absent, or cannot be right, is refused in words that do not repeat it."""
    secrets = {name: s for name, s in one.credentials.secrets.items() if name != held(one).secret}
    if wrong is not None:
        secrets[held(one).secret] = wrong
    using = replace(one.credentials, secrets=secrets)
    (transcript, *_) = transcripts(one.platform.name)
    if wrong == "z" * 64 and held(one).shown:
        return  # only the other side can tell
    with pytest.raises(CredentialsRejected) as refused:
        begin(codec(one), using, transcript)
    assert not wrong or len(wrong) < 2 or wrong not in str(refused.value)
    assert held(one).secret in codec(one).socket_needs


@EVERY_HELD
def test_hearing_is_not_claimed_before_the_other_side_said_so(one: Enrolment) -> None:
    """A connection that was only opened hears nothing yet; one that brings messages does."""
    for transcript in transcripts(one.platform.name):
        assert begin(codec(one), one.credentials, transcript).session.hearing is Hearing.OPENING
        played = play(codec(one), one.credentials, transcript)
        if transcript.expect["outcome"] == "accepted":
            assert played.session.hearing is Hearing.HEARING


@EVERY_TRANSCRIPT
def test_a_cursor_that_cannot_be_read_begins_anew(one: Enrolment, transcript: Transcript) -> None:
    """Whatever stands in the store, a connection is begun, and messages come."""
    known = play(codec(one), one.credentials, transcript).cursor
    for odd in ("", "x", "[]", "{}", "null", "[1]", "9" * 400, "\ud800", '{"a":'):
        cursor = {**dict.fromkeys(known, odd), "unknown": odd}
        play(codec(one), one.credentials, transcript, cursor)


@given(st.lists(st.text(max_size=60) | st.binary(max_size=60), max_size=8))
@settings(max_examples=60)
def test_no_frame_raises(frames: list[str | bytes]) -> None:
    """Whatever bytes come, every session goes on or ends with a reason."""
    for one in HELD:
        (transcript, *_) = transcripts(one.platform.name)
        played = begin(codec(one), one.credentials, transcript)
        for frame in frames:
            if not played.ended:
                played.take(played.session.feed(frame, played.now))
        assert played.deliveries == []


@EVERY_TRANSCRIPT
def test_the_other_side_may_close_at_any_moment(one: Enrolment, transcript: Transcript) -> None:
    """Whatever code it closes with, and wherever, there is a step; ids in it stay the same."""
    wanted = set(ids(one, play(codec(one), one.credentials, transcript)))
    for code in (1000, 1001, 1006, 1009, 1012, 4000, 4004, 4014, 65_535):
        for cut in {0, len(transcript.frames) // 2, len(transcript.frames)}:
            played = begin(codec(one), one.credentials, transcript)
            for said in transcript.frames[:cut]:
                played.hear(said)
            if not played.ended:
                step = played.take(played.session.closed(code, "\x1b[2Jbye\n", played.now))
                quiet_step(one, step)
            assert set(ids(one, played)) <= wanted


def named(one: Enrolment, played: Played, step: Step) -> Iterator[str]:
    """Name what this step alone delivered."""
    alone = Played(step.session, played.now, {}, [step], [], list(step.deliveries))
    return iter(ids(one, alone))


def quiet_step(one: Enrolment, step: Step) -> None:
    """Check that a step tells no secret, and nothing that a terminal would obey."""
    secrets = one.credentials.secrets.values()
    told = [repr(note) for note in step.notes] + [step.session.why, repr(step.session)]
    told += [step.end.why] if step.end else []
    assert not [secret for text in told for secret in secrets if secret in text]
    plain: list[Any] = [note.detail for note in step.notes] + [step.session.why]
    plain += [step.end.why] if step.end else []
    assert all(text.isprintable() for text in plain)
    json.dumps(plain, ensure_ascii=False).encode()
