"""A run's own part of a thread's messages, and what it comes to."""

import mimetypes
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from threadline.agents.messages import AssistantMessage, assistant_message, id_of, is_human
from threadline.agents.shapes import items, mapping, string
from threadline.core.agent import Artifact
from threadline.core.json import Json

PRESENTS_FILES: Final = "present_files"


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages one run added, oldest first."""

    messages: Sequence[Json]

    def beyond(self, known: Collection[str]) -> "Transcript":
        """Leave out messages whose ids were known before."""
        return Transcript([one for one in self.messages if id_of(one) not in known])

    def text(self) -> str:
        """Give the last text an assistant wrote that a person may read, "" for none."""
        return next((said.text for said in self._said() if said.text and not said.failed), "")

    def failure(self) -> str:
        """Say why the model failed where the run only looks like a success, "" otherwise."""
        last = next((said for said in self._said() if said.text), None)
        return last.text if last and last.failed else ""

    def artifacts(self) -> tuple[Artifact, ...]:
        """List the files the agent presented, each once, in the order of presenting."""
        paths = [
            string(path)
            for message in self.messages
            if assistant_message(message) is not None
            for call in items(mapping(message).get("tool_calls"))
            if mapping(call).get("name") == PRESENTS_FILES
            for path in items(mapping(mapping(call).get("args")).get("filepaths"))
        ]
        return tuple(_artifact(path) for path in dict.fromkeys(paths) if path)

    def _said(self) -> Sequence[AssistantMessage]:
        read = (assistant_message(message) for message in reversed(self.messages))
        return [message for message in read if message is not None]


def after_turn(messages: Sequence[Json], turn: str) -> Transcript | None:
    """Take what follows the message whose id is the turn's; None where it is not there."""
    for index, message in enumerate(messages):
        if id_of(message) == turn and is_human(message):
            return Transcript(messages[index + 1 :])
    return None


def since_last_human(messages: Sequence[Json]) -> Transcript:
    """Take what follows the last message of a person, or everything where there is none."""
    for index in range(len(messages) - 1, -1, -1):
        if is_human(messages[index]):
            return Transcript(messages[index + 1 :])
    return Transcript(messages)


def up_to_next_human(transcript: Transcript) -> Transcript:
    """Leave out what a later turn added."""
    for index, message in enumerate(transcript.messages):
        if is_human(message):
            return Transcript(transcript.messages[:index])
    return transcript


def _artifact(path: str) -> Artifact:
    name = PurePosixPath(path).name or path
    return Artifact(path, name, mimetypes.guess_type(name)[0] or "application/octet-stream")
