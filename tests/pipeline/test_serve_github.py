"""GitHub through `serve`: deliveries in, a real agent between, comments and reactions out."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.events import recording
from tests.pipeline.agent_server import AgentServer
from tests.pipeline.serving import Served, serving, until
from tests.stubs.github import GitHubStub
from tests.stubs.github_state import Comment
from threadline.core.ids import AppName
from threadline.core.posting import Credentials
from threadline.platforms.github import PLATFORM
from threadline.platforms.github.marker import is_ours

pytestmark = pytest.mark.langgraph

SECRET = "a-webhook-secret-of-nobody"
SIGNER = Credentials(PLATFORM.name, AppName("default"), secrets={"webhook_secret": SECRET})
CONFIGURATION = """\
agents:
  coder: {{url: "{agent}"}}
  reviewer: {{url: "{agent}"}}
platforms:
  github:
    apps:
      default: {{identity_name: "acme-coder[bot]", base_url: "{github}"}}
bindings:
  coder:
    platform: github
    agent: coder
    repositories: [acme/widgets]
    mention_login: acme-coder
  reviewer:
    platform: github
    agent: reviewer
    repositories: [Acme/Widgets]
    triggers:
      pull_request_review_comment: {{require_mention: false}}
"""


@dataclass(slots=True)
class Repository:
    """A served repository: what people write there, and what stands there afterwards."""

    github: GitHubStub
    served: Served

    def say(self, case: str, number: int, body: str, *, review: bool = False) -> Comment:
        """Write a comment as the recording's sender, and deliver it as GitHub does."""
        recorded = recording("github", case)
        payload: dict[str, Any] = recorded.payload
        where = self.github.add("acme/widgets", number)
        author = payload["sender"]["login"]
        comment = self.github.state.add(where, author, body, review=review)
        payload["comment"] |= {"id": comment.id, "body": body}
        payload["comment"] |= {"created_at": comment.created_at, "updated_at": comment.created_at}
        headers = {**recorded.webhook.headers, "x-github-delivery": f"delivery-{comment.id}"}
        for name in ("host", "content-length"):
            headers.pop(name)
        body_sent = json.dumps(payload).encode()
        request = replace(recorded.webhook, headers=headers, body=body_sent)
        signed = PLATFORM.stamp(request, SIGNER, 0.0)
        url = f"{self.served.url}/webhooks/github"
        answer = httpx.post(url, headers=dict(signed.headers), content=signed.body)
        assert answer.status_code == 200
        return comment

    def ours(self, number: int) -> list[Comment]:
        """Give the comments we made there."""
        return [c for c in self.github.comments("acme/widgets", number) if is_ours(c.body)]


@pytest.fixture
def repository(tmp_path: Path, demo_server: AgentServer) -> Iterator[Repository]:
    """Serve two agents on one repository, as an App."""
    with GitHubStub() as github:
        github.state.now = time.time()
        github.add("acme/widgets", 42)
        github.add("acme/widgets", 7, pull=True)
        github.tokens.install(3141592, "acme/widgets")
        text = CONFIGURATION.format(agent=demo_server.url, github=github.url)
        (tmp_path / "threadline.yaml").write_text(text)
        state = tmp_path / ".threadline"
        state.mkdir(mode=0o700)
        key = {"app_id": "990099", "private_key": github.tokens.private_key}
        stored = {"github/default": {"webhook_secret": SECRET, **key}}
        (state / "secrets.json").write_text(json.dumps(stored))
        (state / "secrets.json").chmod(0o600)
        with serving(tmp_path) as served:
            assert served.url
            yield Repository(github, served)


def test_a_mention_is_answered(repository: Repository) -> None:
    """A member's mention becomes a run; its answer is a comment, its progress reactions."""
    asked = repository.say("issue_comment.created", 42, "@acme-coder what is on today?")
    (answer,) = until(lambda: repository.ours(42), "an answer")
    assert answer.author == "acme-coder[bot]"
    assert "what is on today?" in answer.body
    done = ("acme-coder[bot]", "rocket")
    until(lambda: done in asked.reactions, "a rocket")


def test_a_review_comment_calls_two_agents(repository: Repository) -> None:
    """One comment on a diff that calls two agents gets an answer of each, in its thread."""
    asked = repository.say(
        "pull_request_review_comment.with_review", 7, "@acme-coder why?", review=True
    )
    until(lambda: len(repository.ours(7)) == 2, "two answers")
    assert {answer.reply_to for answer in repository.ours(7)} == {asked.id}


def test_strangers_bots_and_our_own_words_start_nothing(repository: Repository) -> None:
    """Neither a stranger nor a bot nor our own comment is answered; whoever may call still is."""
    own = f"<!-- threadline:{'0' * 32} -->\n@acme-coder again"
    repository.say("issue_comment.stranger", 42, "@acme-coder stranger")
    repository.say("issue_comment.other_bot", 42, "@acme-coder bot")
    repository.say("issue_comment.own", 42, own)
    repository.say("issue_comment.quoted_mention", 42, "> @acme-coder quoted")
    repository.say("issue_comment.created", 42, "@acme-coder member")
    until(lambda: len(repository.ours(42)) == 2, "the member's answer")
    assert "@\u200bacme-coder member" in repository.ours(42)[-1].body
