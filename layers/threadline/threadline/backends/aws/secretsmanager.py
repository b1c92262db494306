"""Secrets in Secrets Manager, each entry a JSON object of strings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from threadline.backends.aws.patience import Patience
from threadline.backends.light.secret_cache import SecretCache, values_of

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager.client import SecretsManagerClient
    from mypy_boto3_secretsmanager.type_defs import ListSecretsRequestTypeDef


class SecretsManagerSecrets:
    """Secrets whose names in the account are a prefix and the entry.

    An entry that is scheduled for deletion counts as absent; writing it brings it back.
    """

    def __init__(self, client: SecretsManagerClient, prefix: str, patience: Patience) -> None:
        self._client = client
        self._prefix = prefix
        self._patience = patience
        self._cache = SecretCache(patience.clock, self._read)

    def get(self, entry: str, *, fresh: bool = False) -> Mapping[str, str]:
        return self._cache.get(entry, fresh=fresh)

    def put(self, entry: str, values: Mapping[str, str]) -> None:
        name, text = self._prefix + entry, json.dumps(dict(values))
        errors = self._client.exceptions

        def write() -> None:
            try:
                self._client.put_secret_value(SecretId=name, SecretString=text)
            except errors.ResourceNotFoundException:
                self._client.create_secret(Name=name, SecretString=text)
            except errors.InvalidRequestException:
                self._client.restore_secret(SecretId=name)
                self._client.put_secret_value(SecretId=name, SecretString=text)

        self._patience.call(f"write the secret {entry}", write)
        self._cache.forget(entry)

    def entries(self) -> tuple[str, ...]:
        asked: ListSecretsRequestTypeDef = {
            "Filters": [{"Key": "name", "Values": [self._prefix]}],
            "MaxResults": 100,
        }
        found: list[str] = []
        while True:
            answer = self._patience.call(
                "list secrets", partial(self._client.list_secrets, **asked)
            )
            found += [one.get("Name", "") for one in answer["SecretList"]]
            if not (token := answer.get("NextToken")):
                break
            asked["NextToken"] = token
        names = [name for name in found if name.startswith(self._prefix)]
        return tuple(sorted(name.removeprefix(self._prefix) for name in names))

    def _read(self, entry: str) -> Mapping[str, str]:
        errors = self._client.exceptions
        absent = (errors.ResourceNotFoundException, errors.InvalidRequestException)
        read: Callable[[], str] = partial(self._text, self._prefix + entry, absent)
        text = self._patience.call(f"read the secret {entry}", read)
        return values_of(entry, text) if text else {}

    def _text(self, name: str, absent: tuple[type[Exception], ...]) -> str:
        try:
            return self._client.get_secret_value(SecretId=name).get("SecretString", "")
        except absent:
            return ""
