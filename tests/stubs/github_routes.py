"""The calls a strict GitHub answers, by method and path."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.stubs.github_apps import check_permission, registered_by_form
from tests.stubs.github_state import (
    Answer,
    Comment,
    Conversation,
    Refusal,
    State,
    body_of,
    not_found,
    react,
    refused,
)
from tests.stubs.github_tokens import Grant, Tokens


@dataclass(frozen=True, slots=True)
class Routes:
    """Each method takes the Authorization header, the parameters and the parts of its path."""

    state: State
    tokens: Tokens
    url: str

    def issue_token(self, authorization: str, parameters: Any, installation: str) -> Answer:
        """Give an installation token out."""
        self.tokens.check_claim(authorization)
        return self.tokens.issue(int(installation), parameters)

    def show_app(self, authorization: str, _: Any) -> Answer:
        """Show the App to itself."""
        self.tokens.check_claim(authorization)
        told = self.tokens.app.told(int(self.tokens.app_id), len(self.tokens.installations))
        return Answer(200, told)

    def show_hook(self, authorization: str, _: Any) -> Answer:
        """Show the App where its webhook goes."""
        self.tokens.check_claim(authorization)
        return Answer(200, self.tokens.app.hook)

    def change_hook(self, authorization: str, parameters: Any) -> Answer:
        """Change where the App's webhook goes; its secret is kept and never shown."""
        self.tokens.check_claim(authorization)
        return Answer(200, self.tokens.app.change_hook(parameters))

    def list_deliveries(self, authorization: str, parameters: Any) -> Answer:
        """List the App's deliveries, newest first."""
        self.tokens.check_claim(authorization)
        return Answer(200, self.tokens.app.deliveries[: int(parameters.get("per_page", "30"))])

    def register(self, authorization: str, parameters: Any, owner: str) -> Answer:
        """Let a person register an App by its manifest, for themselves or an organisation."""
        del authorization
        return registered_by_form(self.tokens.app, owner, parameters)

    def exchange_code(self, authorization: str, _: Any, code: str) -> Answer:
        """Hand over a new App's secrets; nobody has to be known for that."""
        if authorization:
            raise Refusal(refused(401, "Bad credentials"))
        tokens = self.tokens
        return tokens.app.exchanged(code, int(tokens.app_id), tokens.private_key)

    def show_account(self, authorization: str, _: Any) -> Answer:
        """Show whose token it is, and a classic one's scopes."""
        grant = self.tokens.grant(authorization)
        told = {"x-oauth-scopes": grant.scopes} if grant.scopes else {}
        return Answer(200, {"login": grant.login, "id": 1, "type": "User"}, told)

    def find_installation(self, authorization: str, _: Any, repository: str) -> Answer:
        """Tell where the App is installed."""
        self.tokens.check_claim(authorization)
        for number, ids in self.tokens.installations.items():
            if self.state.repository(repository).id in ids:
                return Answer(200, {"id": number, "app_id": int(self.tokens.app_id)})
        raise not_found()

    def find_user(self, authorization: str, _: Any, login: str) -> Answer:
        """Show an account."""
        self.tokens.grant(authorization)
        if login.removesuffix("[bot]") in self.state.apps and login.endswith("[bot]"):
            return Answer(200, {"login": login, "type": "Bot"})
        if login in self.state.people:
            return Answer(200, {"login": login, "type": "User"})
        raise not_found()

    def list_comments(
        self, authorization: str, parameters: Any, repository: str, number: str
    ) -> Answer:
        """List a conversation, oldest first; this list knows no other order."""
        self._bearer(authorization, repository)
        every = [
            c for c in self.state.conversation(repository, int(number)).comments if not c.review
        ]
        return self._page(every, parameters, f"/repos/{repository}/issues/{number}/comments")

    def list_review_comments(
        self, authorization: str, parameters: Any, repository: str, number: str
    ) -> Answer:
        """List the comments on a diff."""
        self._bearer(authorization, repository)
        where = self.state.conversation(repository, int(number), pull=True)
        every = [c for c in where.comments if c.review]
        if parameters.get("sort") == "created" and parameters.get("direction") == "desc":
            every.reverse()
        return self._page(every, parameters, f"/repos/{repository}/pulls/{number}/comments")

    def _page(self, every: list[Comment], parameters: Mapping[str, str], path: str) -> Answer:
        size = min(int(parameters.get("per_page", "30")), 100)
        page, last = int(parameters.get("page", "1")), max(-(-len(every) // size), 1)
        shown = [comment.shown() for comment in every[(page - 1) * size : page * size]]
        query = f"{self.url}{path}?per_page={size}&page="
        links = f'<{query}{page + 1}>; rel="next", <{query}{last}>; rel="last"'
        return Answer(200, shown, {"link": links} if page < last else {})

    def add_comment(
        self, authorization: str, parameters: Any, repository: str, number: str
    ) -> Answer:
        """Comment in a conversation."""
        where = _open(self.state.conversation(repository, int(number)))
        grant = self._writer(authorization, repository, pull=where.pull)
        return Answer(
            201, self.state.add(where, grant.login, body_of(parameters, "IssueComment")).shown()
        )

    def add_reply(
        self, authorization: str, parameters: Any, repository: str, number: str, comment: str
    ) -> Answer:
        """Reply in a review thread, to the comment that began it."""
        grant = self._writer(authorization, repository, pull=True, review=True)
        where = _open(self.state.conversation(repository, int(number), pull=True))
        at, first = self.state.comment(repository, int(comment), review=True)
        if at is not where or first.reply_to is not None:
            raise not_found()
        body = body_of(parameters, "PullRequestReviewComment")
        made = self.state.add(where, grant.login, body, review=True, reply_to=first.id)
        return Answer(201, made.shown())

    def change_comment(
        self, authorization: str, parameters: Any, repository: str, kind: str, number: str
    ) -> Answer:
        """Change a comment of one's own."""
        review = kind == "pulls"
        where, comment = self.state.comment(repository, int(number), review=review)
        grant = self._writer(authorization, repository, pull=where.pull, review=review)
        if comment.author != grant.login:
            raise Refusal(refused(403, "Must have admin rights to Repository."))
        comment.body = body_of(parameters, "IssueComment")
        return Answer(200, comment.shown())

    def react_to_item(
        self, authorization: str, parameters: Any, repository: str, number: str
    ) -> Answer:
        """React to an issue or pull request."""
        where = self.state.conversation(repository, int(number))
        grant = self._writer(authorization, repository, pull=where.pull)
        return react(where.reactions, grant.login, parameters)

    def react_to_comment(
        self, authorization: str, parameters: Any, repository: str, kind: str, number: str
    ) -> Answer:
        """React to a comment."""
        review = kind == "pulls"
        where, comment = self.state.comment(repository, int(number), review=review)
        grant = self._writer(authorization, repository, pull=where.pull, review=review)
        return react(comment.reactions, grant.login, parameters)

    def _writer(
        self, authorization: str, repository: str, *, pull: bool, review: bool = False
    ) -> Grant:
        """Let in who may write there; in a pull request's conversation either permission does."""
        grant = self._bearer(authorization, repository)
        either = ("issues", "pull_requests") if pull and not review else ()
        one = "pull_requests" if review else "issues"
        check_permission(grant.permissions, *(either or (one,)))
        return grant

    def _bearer(self, authorization: str, repository: str) -> Grant:
        """Let in who may act in the repository; to anyone else it does not exist."""
        grant = self.tokens.grant(authorization)
        if self.state.repository(repository).id not in grant.repositories:
            raise not_found()
        return grant


def _open(conversation: Conversation) -> Conversation:
    if conversation.locked:
        raise Refusal(refused(403, "Unable to create comment because issue is locked."))
    return conversation


_REPOSITORY = r"/repos/([^/]+/[^/]+)"
ROUTES: tuple[tuple[str, str, Callable[..., Answer]], ...] = (
    ("POST", r"/app/installations/(\d+)/access_tokens", Routes.issue_token),
    ("GET", rf"{_REPOSITORY}/installation", Routes.find_installation),
    ("POST", r"(/organizations/[^/]+)?/settings/apps/new", Routes.register),
    ("GET", r"/app", Routes.show_app),
    ("GET", r"/app/hook/config", Routes.show_hook),
    ("PATCH", r"/app/hook/config", Routes.change_hook),
    ("GET", r"/app/hook/deliveries", Routes.list_deliveries),
    ("POST", r"/app-manifests/([^/]+)/conversions", Routes.exchange_code),
    ("GET", r"/user", Routes.show_account),
    ("GET", r"/users/([^/]+)", Routes.find_user),
    ("GET", rf"{_REPOSITORY}/issues/(\d+)/comments", Routes.list_comments),
    ("POST", rf"{_REPOSITORY}/issues/(\d+)/comments", Routes.add_comment),
    ("PATCH", rf"{_REPOSITORY}/(issues|pulls)/comments/(\d+)", Routes.change_comment),
    ("GET", rf"{_REPOSITORY}/pulls/(\d+)/comments", Routes.list_review_comments),
    ("POST", rf"{_REPOSITORY}/pulls/(\d+)/comments/(\d+)/replies", Routes.add_reply),
    ("POST", rf"{_REPOSITORY}/issues/(\d+)/reactions", Routes.react_to_item),
    (
        "POST",
        rf"{_REPOSITORY}/(issues|pulls)/comments/(\d+)/reactions",
        Routes.react_to_comment,
    ),
)
