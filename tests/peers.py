"""Programs of others that tests need, what is missing without them, and how to get them.

Every row is also a marker: `@pytest.mark.browser` on a test means that it cannot run without the
peer named so. Where the peer is absent the test skips and says this; in CI that is a failure.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Peer:
    """A program this project did not write; `find` returns its path, or None where it is absent."""

    what: str
    remedy: str
    find: Callable[[], Path | None]


def path_of(name: str) -> Path:
    """Return where a peer is; a test marked with its name is only run where there is one."""
    peer = PEERS[name]
    found = peer.find()
    if found is None:
        raise FileNotFoundError(missing(peer))
    return found


def missing(peer: Peer) -> str:
    """Return the line a skipped test shows."""
    return f"needs {peer.what}: {peer.remedy}"


def on_path(*programs: str) -> Callable[[], Path | None]:
    """Return a search for the first of some programs on PATH."""
    return lambda: next((Path(found) for name in programs if (found := shutil.which(name))), None)


def in_tools(relative: str) -> Callable[[], Path | None]:
    """Return a search for a file that set-up leaves under .tools."""
    return lambda: found if (found := ROOT / ".tools" / relative).exists() else None


def node_library() -> Path | None:
    """Return the folder of npm packages, where Node.js is there to run them too."""
    return in_tools("node/node_modules")() if shutil.which("node") else None


PEERS: Mapping[str, Peer] = {
    "browser": Peer("Chromium", "install chromium", on_path("chromium", "chromium-browser")),
    "node": Peer("packages of npm on Node.js", "install npm, then make setup", node_library),
    "langgraph": Peer("a LangGraph Server", "make setup", in_tools("agent/bin/langgraph")),
    "aws": Peer("the AWS emulator", "make setup", in_tools("aws/bin/ministack")),
    "lark": Peer("Feishu's own library", "make setup", in_tools("lark/bin/python")),
    "sam": Peer("the SAM command line", "make setup", in_tools("sam/bin/sam")),
}
