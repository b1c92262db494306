import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.aws import ministack
from tests.aws.emulated import Emulated
from tests.aws.flaky import Flaky, before, error
from tests.aws.functions import running
from tests.aws.test_artifact import NAMESPACE, stamped
from tests.contract.platforms.enrolled import KNOCKING, accepted
from threadline.app.settings_items import store_settings
from threadline.backends.clock import VirtualClock
from threadline.backends.light.account import Account
from threadline.backends.light.starting import in_lambda
from threadline.core.ids import AppName, PlatformName
from threadline.core.settings import AppSettings, Settings

TELEGRAM, SLACK, DISCORD = (
    AppSettings(platform=PlatformName(name), app=AppName("default"), transport=transport)
    for name, transport in (("telegram", "webhook"), ("slack", "webhook"), ("discord", "gateway"))
)
WITHIN = 20.0


@pytest.fixture
def configured(emulated: Emulated) -> Emulated:
    """Give an account in which two apps get webhooks and a third holds a socket."""
    settings = Settings(version="1", namespace=NAMESPACE, apps=(TELEGRAM, SLACK, DISCORD))
    store_settings(emulated.store, settings, emulated.now())
    for one in KNOCKING:
        emulated.secrets.put(
            f"{one.credentials.platform}/{one.credentials.app}", one.credentials.secrets
        )
    emulated.blobs.put("there/is", b"a bucket")
    return emulated


@pytest.fixture
def asked() -> Iterator[Flaky]:
    """Stand before the emulator and hear what is asked."""
    with before(ministack.running().endpoint) as heard:
        yield heard


@pytest.mark.sam
@pytest.mark.aws
def test_the_first_delivery_makes_one_call(
    built: Path, configured: Emulated, asked: Flaky, tmp_path: Path
) -> None:
    """Settings and the secrets of webhooks are read as it starts; a delivery is one send."""
    there = {"AWS_ENDPOINT_URL": asked.url}
    with running(built, configured, "IngestFunction", tmp_path / "ingest", **there) as function:
        ends = time.monotonic() + WITHIN
        while len(asked.calls) < 3 and time.monotonic() < ends:
            time.sleep(0.02)
        assert asked.calls == ["GetItem", "GetSecretValue", "GetSecretValue"], function.output()
        answer = function.invoke(delivery())
        assert answer["statusCode"] == 200, function.output()
    assert asked.calls[3:] == ["SendMessageBatch"]


@pytest.mark.sam
@pytest.mark.aws
def test_trouble_at_the_start_is_no_end(
    built: Path, configured: Emulated, asked: Flaky, tmp_path: Path
) -> None:
    """Where AWS does not answer while ingest starts, the first delivery tries again."""
    asked.faults += [error(500, "InternalServerError")]
    there = {"AWS_ENDPOINT_URL": asked.url}
    with running(built, configured, "IngestFunction", tmp_path / "ingest", **there) as function:
        answer = function.invoke(delivery())
        assert answer["statusCode"] == 200, function.output()
    assert asked.calls[-1] == "SendMessageBatch"
    assert asked.calls.count("GetItem") == 2


@pytest.mark.sam
@pytest.mark.aws
def test_nothing_is_frozen_into_a_snapshot(
    built: Path, configured: Emulated, asked: Flaky, tmp_path: Path
) -> None:
    """With SnapStart nothing is fetched before the snapshot is taken: it would be old later."""
    there = {"AWS_ENDPOINT_URL": asked.url, "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}
    with running(built, configured, "IngestFunction", tmp_path / "ingest", **there) as function:
        assert function.invoke({"isBase64Encoded": True, "body": "?"})["statusCode"] == 400
        assert asked.calls == []
        answer = function.invoke(delivery())
        assert answer["statusCode"] == 200, function.output()
    assert asked.calls == ["GetItem", "GetSecretValue", "SendMessageBatch"]


@pytest.mark.parametrize(("override", "loaded"), [("", True), ("http://127.0.0.1:1", False)])
def test_certificates_are_loaded_where_they_are_wanted(override: str, loaded: bool) -> None:
    """What TLS trusts is loaded at the start, unless no service is reached by TLS."""
    keys = {"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "secret"}
    environ = {**keys, "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": override}
    account = Account(environ, VirtualClock())
    account.endpoint("sqs")
    account.trust()
    assert ("_tls" in vars(account)) is loaded


def test_outside_lambda_nothing_is_prepared() -> None:
    """A process that Lambda did not start asks AWS for nothing."""
    assert not in_lambda({"AWS_REGION": "eu-central-1"})
    assert in_lambda({"AWS_LAMBDA_FUNCTION_NAME": "ingest"})


def delivery() -> dict[str, Any]:
    """Give a delivery of Telegram, as if it came now."""
    telegram = next(one for one in KNOCKING if one.credentials.platform == "telegram")
    return stamped(telegram, accepted(telegram))
