"""Files of a Gateway's threads: uploads by form, artifacts by path."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from tests.stubs.deerflow_rules import Answer, Refused

UPLOADS = "/mnt/user-data/uploads/"
MOST_FILES = 10
LARGEST = 52_428_800


@dataclass(slots=True)
class Files:
    """What lies in the folder of each owner's thread, by the path that its agent sees."""

    newer: bool
    folders: dict[tuple[str, str], dict[str, bytes]] = field(default_factory=dict)

    def of(self, owner: str, thread: str) -> dict[str, bytes]:
        """Give a thread's folder; a thread that is not there has one too."""
        return self.folders.setdefault((owner, thread), {})

    def upload(self, owner: str, thread: str, kind: str, body: bytes) -> Answer:
        """Take a form with `files`."""
        parts = [(name, bytes_) for field_, name, bytes_ in form(kind, body) if field_ == "files"]
        if not parts:
            missing = {"type": "missing", "loc": ["body", "files"], "msg": "Field required"}
            raise Refused(422, [missing])
        if len(parts) > MOST_FILES:
            raise Refused(413, f"Too many files: maximum is {MOST_FILES}")
        taken = []
        for written, content in parts:
            name = PurePosixPath(written).name
            if len(content) > LARGEST:
                raise Refused(413, f"File too large: {name}")
            taken.append(self._keep(owner, thread, name, content))
        return Answer(200, {"success": True, "files": taken, "skipped_files": []})

    def artifact(self, owner: str, thread: str, path: str) -> Answer:
        """Hand a file out."""
        content = self.of(owner, thread).get(f"/{path}")
        if content is None:
            raise Refused(404, f"Artifact not found: {path}")
        return Answer(200, content, {"content-type": "text/plain; charset=utf-8"})

    def _keep(self, owner: str, thread: str, name: str, content: bytes) -> dict[str, Any]:
        folder, stem, dot, ending = self.of(owner, thread), *_split(name)
        number = 0
        while self.newer and UPLOADS + name in folder:
            number += 1
            name = f"{stem}_{number}{dot}{ending}"
        folder[UPLOADS + name] = content
        return {
            "filename": name, "size": len(content), "virtual_path": UPLOADS + name,
            "artifact_url": f"/api/threads/{thread}/artifacts{UPLOADS}{name}",
        }  # fmt: skip


def _split(name: str) -> tuple[str, str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, dot, ending) if stem else (name, "", "")


def form(kind: str, body: bytes) -> list[tuple[str, str, bytes]]:
    """Read a form: the field, the file's name and its content, of each part."""
    boundary = kind.partition("boundary=")[2].strip('"').encode()
    first, *parts, last = body.split(b"--" + boundary)
    if not boundary or first or last.strip() != b"--":
        raise Refused(400, "There was an error parsing the body")
    found = []
    for part in parts:
        head, _, content = part.removeprefix(b"\r\n").removesuffix(b"\r\n").partition(b"\r\n\r\n")
        names: Mapping[str, str] = dict(re.findall(r'\b(name|filename)="([^"]*)"', head.decode()))
        found.append((names["name"], names.get("filename", ""), content))
    return found
