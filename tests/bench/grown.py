"""Deliveries of GitHub with every field they have: recordings keep only what tells cases apart.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment
"""

import copy
import json
from typing import Any

REPOSITORY = (
    "archive", "assignees", "blobs", "branches", "clone", "collaborators", "comments", "commits",
    "compare", "contents", "contributors", "deployments", "downloads", "events", "forks",
    "git_commits", "git_refs", "git_tags", "git", "hooks", "issue_comment", "issue_events",
    "issues", "keys", "labels", "languages", "merges", "milestones", "mirror", "notifications",
    "pulls", "releases", "ssh", "stargazers", "statuses", "subscribers", "subscription", "svn",
    "tags", "teams", "trees",
)  # fmt: skip
ACCOUNT = (
    "events", "followers", "following", "gists", "organizations", "received_events", "repos",
    "starred", "subscriptions",
)  # fmt: skip
ITEM = ("comments", "events", "labels", "repository", "timeline")
PULL = ("comments", "commits", "diff", "issue", "patch", "review_comment", "statuses")
COUNTS = (
    "forks_count", "open_issues_count", "size", "stargazers_count", "watchers", "watchers_count",
    "forks", "open_issues",
)  # fmt: skip
SWITCHES = (
    "allow_forking", "archived", "disabled", "has_discussions", "has_downloads", "has_issues",
    "has_pages", "has_projects", "has_wiki", "is_template", "web_commit_signoff_required",
)  # fmt: skip
DATES = ("created_at", "pushed_at", "updated_at")
REACTIONS = ("+1", "-1", "confused", "eyes", "heart", "hooray", "laugh", "rocket", "total_count")


def grown(body: str) -> str:
    """Complete a delivery."""
    payload = json.loads(body)
    for one in _accounts(payload):
        one |= {"gravatar_id": "", **_urls(f"users/{one['login']}", ACCOUNT)}
    repository = payload["repository"]
    name = f"repos/{repository['full_name']}"
    repository |= {
        **_urls(name, REPOSITORY), **dict.fromkeys(COUNTS, 1234), **dict.fromkeys(SWITCHES, True),
        **dict.fromkeys(DATES, "2026-09-21T14:13:20Z"), "homepage": None, "language": "TypeScript",
        "license": None, "topics": [], "custom_properties": {},
    }  # fmt: skip
    number = payload.get("issue", payload.get("pull_request"))["number"]
    for kind, urls in (("issue", ITEM), ("pull_request", PULL), ("comment", ())):
        if kind in payload:
            payload[kind] |= _urls(f"{name}/{kind}s/{number}", urls)
            payload[kind]["reactions"] = dict.fromkeys(REACTIONS, 0)
    if "pull_request" in payload:
        _complete_pull(payload["pull_request"], repository)
    return json.dumps(payload, separators=(",", ":"))


def _complete_pull(pull: Any, repository: Any) -> None:
    links = _urls("repos/acme/widgets/pulls/7", PULL)
    pull["_links"] = {name: {"href": url} for name, url in links.items()}
    for side in ("head", "base"):
        pull[side] |= {
            "user": copy.deepcopy(pull["user"]),
            "repo": {name: value for name, value in repository.items() if name not in SWITCHES},
        }


def _accounts(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [account for one in inner for account in _accounts(one)]
    return [value, *found] if isinstance(value, dict) and "login" in value else found


def _urls(owner: str, names: tuple[str, ...]) -> dict[str, str]:
    return {f"{name}_url": f"https://api.github.com/{owner}/{name}{{/other}}" for name in names}
