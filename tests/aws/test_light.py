from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.aws import ministack
from tests.aws.emulated import Emulated
from threadline.backends.light.account import Account
from threadline.backends.light.ports import LightBlobs, LightItems, LightQueue, LightSecrets
from threadline.core.errors import StoreUnavailable
from threadline.core.json import JsonObject
from threadline.core.ports import Expect, Item, Key, Outgoing, Put

pytestmark = pytest.mark.aws


@pytest.fixture
def account(emulated: Emulated) -> Iterator[Account]:
    """Give the same account as ingest sees it."""
    with closing(Account(environ(), emulated.clock)) as opened:
        yield opened


def test_what_is_sent_arrives_in_order(emulated: Emulated, account: Account) -> None:
    """More messages than one call takes arrive all, in order, with text in any script."""
    bodies = [f"message {number} {'é漢🎈' * number}" for number in range(12)]
    mailbox = LightQueue(account, url_of(emulated))
    mailbox.open()
    mailbox.send([Outgoing(b, group="g", dedup=f"d{n}") for n, b in enumerate(bodies)])
    first = emulated.fifo.receive(10, visibility=30)
    emulated.fifo.delete([one.receipt for one in first])
    second = emulated.fifo.receive(10, visibility=30)
    assert [one.body for one in (*first, *second)] == bodies


def test_a_repeated_send_is_one_message(emulated: Emulated, account: Account) -> None:
    """Sending the same again, as after a lost answer, leaves one message."""
    mailbox = LightQueue(account, url_of(emulated))
    for _ in range(3):
        mailbox.send([Outgoing("once", group="g", dedup="d")])
    assert len(emulated.fifo.receive(10, visibility=0)) == 1


def test_only_a_fifo_queue_will_do(account: Account) -> None:
    """A queue that would keep a repeated message is refused at once."""
    with pytest.raises(ValueError, match="FIFO"):
        LightQueue(account, "https://sqs.eu-central-1.amazonaws.com/1/runs")


@pytest.mark.parametrize("name", ["unaccepted/1", "mail/a b+c~(d)'é漢.json"])
def test_a_body_is_kept(emulated: Emulated, account: Account, name: str) -> None:
    """A body comes back under its name, whatever characters the name has."""
    expected = emulated.blobs.put("other", b"there is a bucket")
    ref = LightBlobs(account, emulated.name).put(name, b"\x00body\xff", "application/json")
    assert (ref.name, ref.size, ref.mime) == (name, 6, "application/json")
    assert emulated.blobs.get(name) == b"\x00body\xff"
    assert emulated.blobs.names("") == tuple(sorted([name, expected.name]))


def test_a_secret_is_read_and_kept(emulated: Emulated, account: Account) -> None:
    """An entry is read once a while, afresh at most once a minute, and {} where there is none."""
    secrets = LightSecrets(account, f"threadline/{emulated.name}/", emulated.clock)
    assert secrets.get("telegram/other") == {}
    emulated.secrets.put("telegram/default", {"token": "one"})
    assert secrets.get("telegram/default") == {"token": "one"}
    emulated.secrets.put("telegram/default", {"token": "two", "token.previous": "one"})
    assert secrets.get("telegram/default") == {"token": "one"}
    assert secrets.get("telegram/default", fresh=True) == {"token": "two", "token.previous": "one"}
    emulated.secrets.put("telegram/default", {"token": "three"})
    assert secrets.get("telegram/default", fresh=True)["token"] == "two"
    emulated.advance(61)
    assert secrets.get("telegram/default") == {"token": "three"}


def test_settings_are_read(emulated: Emulated, account: Account) -> None:
    """An item reads the same by either backend, and as absent once it has expired."""
    here, ends, nowhere = (Key("settings", "settings", sort) for sort in ("a", "b", "c"))
    attributes: JsonObject = {"text": "é", "number": 1.5, "list": [True, None, {"deep": 2}]}
    emulated.store.write(
        [
            Put(Item(here, attributes), Expect.ABSENT),
            Put(Item(ends, {}, expires_at=emulated.now() - 2), Expect.ABSENT),
        ]
    )
    tables = {"settings": f"{emulated.name}-settings"}
    found = LightItems(account, tables, emulated.clock).get([here, ends, nowhere])
    assert found == (*emulated.store.get([here]), None, None)


def test_temporary_credentials_are_accepted(emulated: Emulated) -> None:
    """What is signed with a session's keys and token is accepted, and not without the token."""
    sts = emulated.clients.session.client("sts", endpoint_url=emulated.clients.endpoint)
    with closing(sts):
        keys = sts.get_session_token()["Credentials"]
    given = environ(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"])
    url = url_of(emulated)
    with closing(Account(given, emulated.clock)) as temporary:
        LightQueue(temporary, url).send([Outgoing("x", group="g", dedup="d")])
    assert [one.body for one in emulated.fifo.receive(1, visibility=9)] == ["x"]
    del given["AWS_SESSION_TOKEN"]
    with closing(Account(given, emulated.clock)) as bare, pytest.raises(StoreUnavailable):
        LightQueue(bare, url).send([Outgoing("x", group="g", dedup="e")])


def test_a_refusal_says_why_and_nothing_else(emulated: Emulated) -> None:
    """A wrong key is an outage that names AWS's code, and neither key nor message."""
    wrong = Account(environ(secret="not/this+one"), emulated.clock)
    url = url_of(emulated)
    with closing(wrong), pytest.raises(StoreUnavailable) as caught:
        LightQueue(wrong, url).send([Outgoing("the message", group="g", dedup="d")])
    assert "SignatureDoesNotMatch" in str(caught.value)
    assert "not/this+one" not in str(caught.value)
    assert "the message" not in str(caught.value)


def test_overrides_name_one_service_or_all(emulated: Emulated) -> None:
    """A service's own override wins over the general one; without either it is the region's."""
    everywhere = {"AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_SECRETS_MANAGER": "http://b"}
    overridden = Account({**environ(), **everywhere}, emulated.clock)
    assert overridden.override("sqs") == "http://a"
    assert overridden.override("secretsmanager") == "http://b"
    assert overridden.regional("s3", "bucket.") == "https://bucket.s3.eu-central-1.amazonaws.com"
    china = Account({**environ(), "AWS_REGION": "cn-north-1"}, emulated.clock)
    assert china.regional("sqs") == "https://sqs.cn-north-1.amazonaws.com.cn"


def environ(key: str = "", secret: str = "", token: str = "") -> dict[str, str]:
    """Return a function's environment."""
    emulator = ministack.running()
    return {
        "AWS_REGION": ministack.REGION,
        "AWS_ENDPOINT_URL": emulator.endpoint,
        "AWS_ACCESS_KEY_ID": key or emulator.access_key,
        "AWS_SECRET_ACCESS_KEY": secret or emulator.secret_key,
        "AWS_SESSION_TOKEN": token,
    }


def url_of(emulated: Emulated) -> str:
    """Return the address of the mailbox queue."""
    return emulated.url_of("mailbox.fifo")
