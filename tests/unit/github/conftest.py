"""A strict GitHub and the shipped HTTP driver for it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.contract.platforms.github import CREDENTIALS, TO
from tests.stubs.github import GitHubStub
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.http import Flow
from threadline.core.policy import Policy, guarded
from threadline.core.posting import Credentials, Destination


@dataclass(slots=True)
class Talk:
    """Runs flows of the platform against the stub, over HTTP and under the policy."""

    github: GitHubStub
    http: BlockingHttp
    clock: VirtualClock
    credentials: Credentials
    to: Destination = TO

    def run[T](self, flow: Flow[T]) -> T:
        """Drive a flow to its end."""
        policy = Policy(base_urls=(self.github.url,))
        return drive(guarded(flow, policy), self.http.perform, self.clock)

    def in_thread(self, comment: int, number: int = 7) -> Destination:
        """Give the destination of a review thread."""
        facts = {
            "number": str(number),
            "target": "review_comment",
            "target_id": str(comment),
            "thread": str(comment),
        }
        return replace(self.to, facts={**self.to.facts, **facts})


@pytest.fixture
def github() -> Iterator[GitHubStub]:
    """Start a GitHub with one issue and one pull request."""
    with GitHubStub() as stub:
        stub.add("acme/widgets", 42)
        stub.add("acme/widgets", 7, pull=True)
        yield stub


@pytest.fixture
def talk(github: GitHubStub, tmp_path: Path) -> Iterator[Talk]:
    """Give what runs flows, with a token of our own account."""
    http = BlockingHttp(FileBlobs(tmp_path))
    token = github.tokens.plain("acme-coder[bot]", "acme/widgets")
    credentials = replace(CREDENTIALS, base_url=github.url, secrets={"token": token})
    yield Talk(github, http, VirtualClock(), credentials)
    http.close()
