import pytest

from tests.unit.configure.compiling import faults
from threadline.app.configure.secrecy import redact, secret_name, secret_value

SECRETS = [
    "123456789:AAE-abcdefghijklmnopqrstuvwxyz0123456",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
    "xoxb-1234567890-abcdefghij",
    "sk-proj-0123456789abcdef0123",
    "lsv2_pt_0123456789abcdef0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2ln",
    "-----BEGIN RSA PRIVATE KEY-----",
    "https://user:hunter2@agent.example.com",
]


@pytest.mark.parametrize("value", SECRETS)
def test_vendors_secrets_are_recognised(value: str) -> None:
    """A secret in its vendor's own shape is one wherever it stands, and is blotted out."""
    assert secret_value(f"before {value} after")
    assert secret_value(redact(f"before {value} after")) is False
    assert not any(part in redact(value) for part in ("0123456789ab", "hunter2", "abcdefghij"))


@pytest.mark.parametrize(
    "value", ["http://127.0.0.1:2024", "-1001234567890", "acme/widgets", "12:30", "task-1", ""]
)
def test_ordinary_values_are_no_secrets(value: str) -> None:
    """Addresses, ids and names pass."""
    assert not secret_value(value)


@pytest.mark.parametrize(
    ("key", "secret"),
    [
        ("bot_token", True),
        ("github_token", True),
        ("apiKey", True),
        ("api-key", True),
        ("webhook_secret", True),
        ("password", True),
        ("private_key", True),
        ("max_tokens", False),
        ("tokenizer", False),
        ("secretary", False),
        ("model_name", False),
    ],
)
def test_keys_that_name_secrets_are_recognised(key: str, *, secret: bool) -> None:
    """A key that ends in what a secret is called names one; a count of tokens does not."""
    assert secret_name(key) is secret


@pytest.mark.parametrize(
    "line",
    [
        "session: {context: {api_key: plainword}}",
        "session: {context: {password: 12345678}}",
        "session: {context: {note: 'use ghp_0123456789abcdefghijABCDEFGHIJ012345'}}",
        "session: {context: {ghp_0123456789abcdefghijABCDEFGHIJ012345: 1}}",
        "session: {context: {list: [1, xoxb-1234567890-abcdefghij]}}",
        "# ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "agents: {a: {url: 'https://user:hunter2@agent.example.com'}}",
        "platforms: {telegram: {bot_token: '123456789:AAE-abcdefghijklmnopqrstuvwxyz0123456'}}",
        "xoxb-1234567890-abcdefghij: {",
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_repeated(line: str) -> None:
    """Secrets are never in the file: its line is told, comments included, its value is not."""
    said = "\n".join(faults("language: en\n" + line))
    assert "threadline.yaml:2: " in said
    for part in ("plainword", "12345678", "0123456789ab", "abcdefghij", "hunter2"):
        assert part not in said
    if "{" not in line[-1]:
        assert "secrets are never in this file" in said


@pytest.mark.parametrize(
    "line",
    [
        "session: {context: {max_tokens: 4096, use_token: true, token_budget: 100}}",
        "session: {context: {api_key: null, secret: ''}}",
    ],
)
def test_counts_and_switches_are_no_secrets(line: str) -> None:
    """What only sounds like a secret is taken."""
    said = faults(line + "\nlanguage: de")
    assert said == ["threadline.yaml:2: language: write one of: en, zh"]
