"""Files: a person's into the agent's folder, the agent's out of it."""

import hashlib
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from threadline.agents.answers import content
from threadline.agents.calls import thread_path
from threadline.agents.deerflow.caller import Caller
from threadline.agents.deerflow.message import UPLOADS
from threadline.agents.shapes import items, mapping, string
from threadline.core.agent import Artifact, StoredFile
from threadline.core.errors import AgentRejected
from threadline.core.http import Flow, HttpRequest, Joined, ask
from threadline.core.ids import ThreadId

OUTPUTS: Final = "/mnt/user-data/outputs/"
"""Nothing outside it is ever fetched, whatever the agent presents."""
TIMEOUT: Final = 120.0
LONGEST_NAME: Final = 200
"""Of the 255 bytes that a name may have, so that the tag fits in."""

_REFUSED: Final = frozenset('"\\<>')


def attach(thread: ThreadId, file: StoredFile, caller: Caller) -> Flow[StoredFile]:
    """Upload a file and give it its place in the agent's folder as link.

    An image becomes a file like any other: the agent looks at it where its model can see.
    Unchanged where a personal access token speaks, which may not upload. Raises AgentError.
    """
    if caller.personal or file.problem:
        return file
    call = upload(thread, file, caller)
    told = mapping(content(call.label, (yield from ask(call))))
    for stored in items(told.get("files")):
        path = string(mapping(stored).get("virtual_path"))
        if path.startswith(UPLOADS):
            return replace(file, image=False, link=path)
    raise AgentRejected("the agent did not take the file")


def upload(thread: ThreadId, file: StoredFile, caller: Caller) -> HttpRequest:
    """Send a file as a form; sending it twice does no harm, since its name is its own."""
    boundary = hashlib.sha256(file.blob.name.encode()).hexdigest()
    head = (
        f"--{boundary}\r\n"
        f'Content-Disposition: form-data; name="files"; filename="{own_name(file)}"\r\n'
        f"Content-Type: {_in_a_line(file.mime) or 'application/octet-stream'}\r\n\r\n"
    )
    return HttpRequest(
        "POST",
        caller.url(f"{thread_path(thread)}/uploads"),
        "upload file",
        {**caller.headers, "content-type": f"multipart/form-data; boundary={boundary}"},
        Joined((head.encode(), file.blob, f"\r\n--{boundary}--\r\n".encode())),
        timeout=TIMEOUT,
        repeatable=True,
    )


def own_name(file: StoredFile) -> str:
    """Give a name that no other upload has: the Gateway may replace what bears the same one."""
    name = _in_a_line(PurePosixPath(file.name.replace("\\", "/")).name).strip(". ")
    stem, dot, ending = (name or "file").rpartition(".")
    if not stem:
        stem, dot, ending = ending, "", ""
    tag = hashlib.sha256(file.blob.name.encode()).hexdigest()[:6]
    room = LONGEST_NAME - len(f"{dot}{ending[:20]}".encode())
    cut = stem.encode()[:room].decode(errors="ignore")
    return f"{cut}-{tag}{dot}{ending[:20]}"


def download(thread: ThreadId, artifact: Artifact, caller: Caller) -> HttpRequest | None:
    """Give the request that reads an artifact, None for what may not be read."""
    inside = artifact.path.startswith(OUTPUTS) and ".." not in artifact.path.split("/")
    if caller.personal or not inside:
        return None
    path = f"{thread_path(thread)}/artifacts{quote(artifact.path)}"
    return HttpRequest(
        "GET", caller.url(path), "download artifact", caller.headers,
        timeout=TIMEOUT, repeatable=True,
    )  # fmt: skip


def _in_a_line(text: str) -> str:
    """Keep a value inside its quotes and its line."""
    kept = "".join(char for char in text if char.isprintable() and char not in _REFUSED)
    return kept.encode("utf-8", "replace").decode()
