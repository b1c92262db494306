"""What a webhook's first answer waits for: the imports of ingest."""

import subprocess
import sys

import pytest

from tests.architecture.source import HANDLERS, PACKAGE, ROOT

HEAVY = (
    "asyncio", "aws_lambda_powertools", "boto3", "botocore", "httpx", "langgraph_sdk", "lark_oapi",
    "pydantic", "requests", "slack_bolt", "slack_sdk", "telegram",
)  # fmt: skip
NOT_BEFORE_THE_FIRST_ANSWER = (
    "decimal", "email", "http.client", "logging", "pathlib", "random", "secrets",
    "threadline.app.world", "threadline.core.agent", "threadline.core.envelope",
    "threadline.core.records", "threadline.core.settings", "threadline.local", "uuid",
)  # fmt: skip
"""What costs a cold start more than it is worth there, by its whole name."""
ONLY_WHEN_ADDRESSED = ("coincurve", "cryptography", "msgspec")
PLATFORMS = PACKAGE / "platforms"
CODECS = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for name in ("verify.py", "parse.py")
    for path in PLATFORMS.glob(f"*/{name}")
)
SHOW_LOADED = "import sys, {module}; print(*sys.modules)"


def test_ingest_is_where_the_stack_looks_for_it() -> None:
    """As soon as there are functions there is functions/ingest/handler.py."""
    assert not HANDLERS.exists() or (HANDLERS / "ingest" / "handler.py").exists()


@pytest.mark.skipif(not HANDLERS.exists(), reason="needs functions/")
def test_ingest_starts_light() -> None:
    """A fresh process that imports ingest has loaded no SDK, event loop or codec's library."""
    assert loaded_by("functions.ingest.handler").isdisjoint({*HEAVY, *ONLY_WHEN_ADDRESSED})


def test_ingest_loads_only_what_it_needs_of_ours() -> None:
    """Nor has it loaded the values of turns and runs, or the logging that only a failure needs."""
    wanted = "functions.ingest.handler, threadline.backends.light.ports"
    assert modules_loaded_by(f"{wanted}, threadline.backends.light.composing").isdisjoint(
        NOT_BEFORE_THE_FIRST_ANSWER
    )


@pytest.mark.parametrize("module", CODECS)
def test_a_codec_is_light(module: str) -> None:
    """Verifying and parsing one platform's deliveries loads no SDK and no event loop."""
    assert loaded_by(module).isdisjoint(HEAVY)


def test_what_is_loaded_is_noticed() -> None:
    """A heavy import is seen, also where another module brings it in."""
    assert "asyncio" in loaded_by("concurrent.futures, asyncio.events")


def loaded_by(modules: str) -> set[str]:
    """Return the top-level packages that a fresh interpreter has loaded after an import."""
    return {name.partition(".")[0] for name in modules_loaded_by(modules)}


def modules_loaded_by(modules: str) -> set[str]:
    """Return the whole names of what a fresh interpreter has loaded after an import."""
    code = SHOW_LOADED.format(module=modules)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())
