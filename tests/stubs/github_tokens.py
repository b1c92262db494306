"""Who calls a strict GitHub: an App by its signed claim, or the bearer of a token."""

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key

from tests.stubs.github_apps import App, permitted
from tests.stubs.github_state import Answer, Refusal, State, not_found, refused

LONGEST_CLAIM = 600
TOKEN_LIFE = 3600


@functools.cache
def _key() -> RSAPrivateKey:
    """Make the App's key once: it takes longer than any test of it."""
    return generate_private_key(65537, 2048)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token may: act as `login` in `repositories` (ids) until `ends`, as it is permitted.

    `scopes` are those of a classic token; a fine-grained one has none.
    """

    login: str
    repositories: frozenset[int]
    ends: float
    permissions: dict[str, str] = field(default_factory=permitted)
    scopes: str = ""


@dataclass(slots=True)
class Tokens:
    """One App, its installations (each with the ids of its repositories), and every token."""

    state: State
    app: App = field(default_factory=App)
    app_id: str = "990099"
    login: str = "acme-coder[bot]"
    key: RSAPrivateKey = field(default_factory=_key)
    installations: dict[int, frozenset[int]] = field(default_factory=dict)
    grants: dict[str, Grant] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def private_key(self) -> str:
        """The App's key as its owner downloads it (PEM, PKCS #1)."""
        kind = serialization.PrivateFormat.TraditionalOpenSSL
        return self.key.private_bytes(
            serialization.Encoding.PEM, kind, serialization.NoEncryption()
        ).decode()

    def plain(self, login: str, *repositories: str, scopes: str = "") -> str:
        """Give out a token that a person made, a classic one where it has scopes."""
        token = f"{'ghp' if scopes else 'github_pat'}_{next(self.numbers):08d}"
        ends = self.state.now + 86_400
        self.grants[token] = Grant(login, self._ids(repositories), ends, scopes=scopes)
        return token

    def install(self, number: int, *repositories: str) -> None:
        """Install the App on repositories."""
        self.installations[number] = self._ids(repositories)

    def _ids(self, repositories: Iterable[str]) -> frozenset[int]:
        return frozenset(self.state.repository(name).id for name in repositories)

    def grant(self, authorization: str) -> Grant:
        """Find what a bearer may. Raises Refusal for an unknown or ended token."""
        found = self.grants.get(authorization.removeprefix("Bearer "))
        if found is None or found.ends <= self.state.now:
            raise Refusal(refused(401, "Bad credentials"))
        return found

    def check_claim(self, authorization: str) -> None:
        """Verify an App's claim as GitHub does. Raises Refusal."""
        claim = authorization.removeprefix("Bearer ")
        unread = Refusal(refused(401, "A JSON web token could not be decoded"))
        options: Any = {"verify_exp": False, "verify_iat": False, "require": ["exp", "iat", "iss"]}
        try:
            says = jwt.decode(claim, self.key.public_key(), algorithms=["RS256"], options=options)
        except jwt.PyJWTError:
            raise unread from None
        if says["iss"] != self.app_id or says["iat"] > self.state.now:
            raise unread
        if not self.state.now < says["exp"] <= self.state.now + LONGEST_CLAIM:
            raise Refusal(refused(401, "'Expiration time' claim ('exp') is too far in the future"))

    def issue(self, installation: int, parameters: Mapping[str, Any]) -> Answer:
        """Give out an installation token, narrowed to repositories by id or bare name."""
        installed = self.installations.get(installation)
        if installed is None:
            raise not_found()
        wanted = {*parameters.get("repository_ids", ()), *parameters.get("repositories", ())}
        known = [one for one in self.state.repositories.values() if one.id in installed]
        chosen = [r for r in known if not wanted or {r.id, r.name.partition("/")[2]} & wanted]
        if wanted and len(chosen) < len(wanted):
            raise Refusal(refused(422, "There is at least one repository that is not accessible"))
        token = f"ghs_{next(self.numbers):036d}"
        ends = self.state.now + TOKEN_LIFE
        ids, permissions = frozenset(r.id for r in chosen), dict(self.app.permissions)
        self.grants[token] = Grant(self.login, ids, ends, permissions)
        told = datetime.fromtimestamp(ends, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        body = {"token": token, "expires_at": told, "permissions": permissions}
        return Answer(201, body)
