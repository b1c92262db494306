"""What is said at the end of a run, whatever its end: a value from its outcome."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from threadline.core import guard
from threadline.core.agent import Outcome, RunStatus, StoredFile
from threadline.core.posting import Reply, Stage, Tone
from threadline.core.reasons import Reason
from threadline.core.texts import say

MOST_NAMES: Final = 20
LONGEST_NAME: Final = 100
MOST_SHOWN: Final = 300_000
"""Characters of a growing answer, far more than one post of any platform holds."""
_MARKUP: Final = re.compile(r"[\\`*_\[\]<>~|#]")


@dataclass(frozen=True, slots=True)
class Ending:
    """The replies that close a turn, the code of how it ended, and the mark it earns."""

    replies: tuple[Reply, ...]
    code: str
    stage: Stage
    asked: bool = False
    options: tuple[str, ...] = ()


def compose(
    outcome: Outcome,
    visible: str,
    language: str,
    *,
    over_limit: bool = False,
    files: Sequence[StoredFile] = (),
) -> Ending:
    """Say what the agent said, or why there is nothing: no end of a run is silent.

    `visible` is the text the stream showed; it stays where the run broke off. `files` are those of
    the outcome's that were to be sent.
    """
    text = outcome.text or ""
    match outcome.status:
        case RunStatus.SUCCESS:
            return _success(outcome, language, files)
        case RunStatus.ERROR:
            return _broken(text or visible, "run_failed", Reason.RUN_FAILED, language)
        case RunStatus.MISSING:
            return _broken(text or visible, "run_vanished", Reason.RUN_VANISHED, language)
        case RunStatus.TIMEOUT:
            return _cut(text or visible, "time_limit", Reason.TIME_LIMIT, language)
        case RunStatus.INTERRUPTED if over_limit:
            return _cut(text or visible, "time_limit", Reason.TIME_LIMIT, language)
        case _:
            return _cut(text or visible, "stopped", Reason.STOPPED, language)


def progress(text: str) -> Reply | None:
    """Give what may be shown of a growing answer, None while nothing may; a post shows its head."""
    shown = guard.showable(text[:MOST_SHOWN]).rstrip()
    return Reply(f"{shown} …", Tone.PROGRESS) if shown else None


def _success(outcome: Outcome, language: str, files: Sequence[StoredFile]) -> Ending:
    checked = guard.check(outcome.text)
    parts = [checked.text]
    if checked.withheld:
        parts.append(say("withheld", language))
    parts += _named(outcome, language, files)
    question = guard.check(outcome.question).text
    options = tuple(one for one in outcome.options if not guard.hides_context(one))
    if question:
        parts.append(_question(question, options, checked.text))
    said = "\n\n".join(part for part in parts if part.strip())
    if not said.strip():
        notice = Reply(say("run_silent", language), Tone.NOTICE)
        return Ending((notice,), Reason.RUN_SILENT, Stage.DONE)
    tone = Tone.QUESTION if question else Tone.ANSWER
    return Ending(
        (Reply(said, tone, options if question else ()),),
        "asked" if question else "success", Stage.DONE,
        asked=bool(question), options=options,
    )  # fmt: skip


def _named(outcome: Outcome, language: str, files: Sequence[StoredFile]) -> list[str]:
    """Name what the agent made, and of what was to be sent whatever is not."""
    names = list(dict.fromkeys(name_of(one.name) for one in outcome.artifacts))
    if not names:
        return []
    more = [f"+{len(names) - MOST_NAMES}"] if len(names) > MOST_NAMES else []
    unsent = [
        say("file_not_sent", language, name=name_of(file.name), reason=file.problem)
        for file in files
        if file.problem
    ]
    return [say("files", language, names=", ".join([*names[:MOST_NAMES], *more])), *unsent]


def name_of(name: str) -> str:
    """Give a file's name as it may stand in a sentence: in one line, within bounds."""
    shown = "".join(char if char.isprintable() else " " for char in name)[:LONGEST_NAME].strip()
    if guard.hides_context(shown) or not shown:
        return "…"
    return _MARKUP.sub(r"\\\g<0>", shown)


def _question(question: str, options: tuple[str, ...], text: str) -> str:
    """Show the question once, its options as a list."""
    shown = "" if question in text else question
    if not options or all(option in question for option in options):
        return shown
    listed = "\n".join(f"{number}. {option}" for number, option in enumerate(options, 1))
    return f"{shown}\n\n{listed}" if shown else listed


def _broken(text: str, key: str, code: str, language: str) -> Ending:
    """Mark a partial answer as broken off, or say that there is none."""
    kept = guard.check(text).text
    if not kept.strip():
        return Ending((Reply(say(key, language), Tone.NOTICE),), str(code), Stage.FAILED)
    marked = f"{_closed(kept)}\n\n{say('run_partial', language)}"
    return Ending((Reply(marked),), str(code), Stage.FAILED)


def _cut(text: str, key: str, code: str, language: str) -> Ending:
    kept = guard.check(text).text
    note = say(key, language)
    return Ending(
        (Reply(f"{_closed(kept)}\n\n{note}" if kept.strip() else note),), str(code), Stage.FAILED
    )  # fmt: skip


def _closed(text: str) -> str:
    """Close a code fence that the cut left open, so that our note stands outside it."""
    fences = [line for line in text.split("\n") if line.lstrip().startswith("```")]
    return f"{text}\n```" if len(fences) % 2 else text
