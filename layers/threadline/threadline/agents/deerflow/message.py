"""The message of a turn as the Gateway takes it: uploads are marks on it, not text in it."""

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from threadline.agents.prompt import human_message
from threadline.core.agent import RunRequest, StoredFile
from threadline.core.command import CommandName
from threadline.core.json import Json, JsonObject

UPLOADS: Final = "/mnt/user-data/uploads/"
"""Where the agent finds what was uploaded to its thread."""
BOOTSTRAP: Final = "Set up this workspace: ask me what you need to know, then begin."
"""What is said where `/bootstrap` came without a word of its own."""


def message(request: RunRequest, choice: JsonObject | None) -> JsonObject:
    """Make the message; `choice` is the option it picks of the question it answers."""
    uploaded = tuple(file for file in request.prompt.files if is_uploaded(file))
    others = tuple(file for file in request.prompt.files if not is_uploaded(file))
    marks: dict[str, Json] = {}
    if uploaded:
        marks["files"] = [_mark(file) for file in uploaded]
    if choice is not None:
        marks["human_input_response"] = choice
    text = request.prompt.text
    if request.order is not None and request.order.name is CommandName.BOOTSTRAP:
        text = text or BOOTSTRAP
    plain = human_message(replace(request.prompt, text=text, files=others), request.turn)
    return {**plain, "additional_kwargs": marks} if marks else plain


def is_uploaded(file: StoredFile) -> bool:
    """Tell a file that lies in the agent's own folder."""
    return file.link.startswith(UPLOADS)


def _mark(file: StoredFile) -> JsonObject:
    return {
        "filename": PurePosixPath(file.link).name,
        "size": file.blob.size,
        "path": file.link,
        "status": "uploaded",
    }
