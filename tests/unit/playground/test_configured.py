from pathlib import Path

import pytest

from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Surroundings
from threadline.backends.clock import SystemClock
from threadline.backends.files import FileSecrets
from threadline.local.playground.delivering import ENTRY, make_secrets

HERE = Surroundings(
    namespace="7d6f3a52-2f5d-4d0e-9a53-6b0f2c1f7a11", demo_url="http://127.0.0.1:2024", local=True
)


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("", True),
        ("stage: dev", True),
        ("stage: prod", False),
        ("stage: prod\nplatforms: {playground: {enabled: true}}", True),
        ("platforms: {playground: {enabled: false}}", False),
    ],
)
def test_outside_dev_the_playground_has_to_be_switched_on(text: str, *, on: bool) -> None:
    """In stage dev it is there by itself, elsewhere only where the file says so."""
    compiled = compile_settings(text.encode(), HERE)
    (row,) = [one for one in compiled.platforms if one.platform == "playground"]
    assert row.on is on
    assert (compiled.settings.app("playground", "default") is not None) is on
    assert on or row.why


def test_secrets_are_made_once(tmp_path: Path) -> None:
    """What is missing is made, what is there stays, and a restart changes nothing."""
    secrets = FileSecrets(tmp_path / "secrets.json", SystemClock())
    made = iter(["one", "two"])
    make_secrets(secrets, lambda: next(made))
    assert secrets.get(ENTRY) == {"webhook_secret": "one", "api_token": "two"}
    make_secrets(secrets, lambda: "three")
    assert secrets.get(ENTRY) == {"webhook_secret": "one", "api_token": "two"}
    secrets.put(ENTRY, {"webhook_secret": "one"})
    make_secrets(secrets, lambda: "three")
    assert secrets.get(ENTRY) == {"webhook_secret": "one", "api_token": "three"}
