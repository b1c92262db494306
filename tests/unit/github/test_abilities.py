import subprocess
import sys

import pytest

from threadline.core.platform import (
    Chooses,
    Edits,
    ExchangesToken,
    FetchesFiles,
    Posts,
    ReadsHistory,
    ReceivesHttp,
    Signals,
    Stamps,
    UploadsFiles,
)
from threadline.platforms.github import PLATFORM

ABLE = (ReceivesHttp, Posts, Edits, Signals, ExchangesToken, ReadsHistory, Chooses, Stamps)
VERIFY = (
    "from threadline.core.message import Webhook as W; from threadline.core.posting import "
    "Credentials as C; from contextlib import suppress\n"
    "with suppress(Exception): p.verify(W('POST', '/', {}, {}, b''), C('github', 'x'), 0)\n"
)
PARSE = "p.parse(W('POST', '/', {}, {'x-github-event': 'issues'}, b'{}'), C('github', 'x'), 0)\n"


@pytest.mark.parametrize("ability", ABLE, ids=lambda ability: ability.__name__)
def test_github_can(ability: type) -> None:
    """Each ability that is asked for by type is there."""
    assert isinstance(PLATFORM, ability)


@pytest.mark.parametrize("ability", [FetchesFiles, UploadsFiles])
def test_github_cannot(ability: type) -> None:
    """Files on GitHub are links in the text: there is nothing to fetch or upload."""
    assert not isinstance(PLATFORM, ability)


def test_a_webhook_loads_what_it_needs() -> None:
    """Verifying loads the standard library alone, parsing msgspec too; neither reads Markdown."""
    verified, parsed = loaded(VERIFY), loaded(VERIFY + PARSE)
    assert {"msgspec", "markdown_it", "cryptography"}.isdisjoint(verified)
    assert {"markdown_it", "cryptography", "urllib.request"}.isdisjoint(parsed)
    assert "msgspec" in parsed


def loaded(calls: str) -> set[str]:
    """Give the modules that a fresh process has loaded after some calls."""
    code = f"import sys\nfrom threadline.platforms.github import PLATFORM as p\n{calls}"
    code += "print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return set(done.stdout.split())
