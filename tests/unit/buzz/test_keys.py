import csv
from pathlib import Path

import pytest
from coincurve import PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.buzz.relay import US, credentials
from threadline.core import bech32
from threadline.core.errors import CredentialsRejected, PostRejected
from threadline.core.ids import AppName, PlatformName
from threadline.core.posting import Credentials
from threadline.platforms.buzz import frames
from threadline.platforms.buzz.event import CHAT, signer
from threadline.platforms.buzz.verify import _signed, verified

PUBKEY = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
NSEC = "nsec1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqps52s3re"
NPUB = "npub1lycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmus6gq266"
CHANNEL = "136852ee-63e1-49c2-8927-413b5ee8e5f7"
IDS = {
    "hello buzz": "6aa2ef0a72e39e52ac7c3680e6a76ed75c90340e684148da6221086b443d2089",
    'hé\n"q"\\\t你😀': "d89e662a9b389b5433c2da3115828c56d8fc6f27cd85a2b30bdb7f118211c29a",
    "a\x1bb": "1061373a5e5171c422d367c63bae9b44894e033978b6fea08363c969d1e7c4d8",
    "a\u2028b\x7f/": "08a0cee7c7ef3968fe3dbce8b2e269065fa4ab885889c97fe542a6ebb4c117ba",
}
# https://github.com/bitcoin/bips/blob/master/bip-0340/test-vectors.csv: those of 32-byte messages
VECTORS = [*csv.DictReader(Path(__file__).with_name("bip_340.csv").read_text().splitlines())]


def accepted(pubkey: str, signature: str, message: str) -> bool:
    """Tell whether a signature passes, as `verified` asks it."""
    try:
        return _signed(pubkey, signature, message)
    except ValueError:
        return False


def with_key(private_key: str) -> Credentials:
    """Give credentials with this private key."""
    secrets = {"private_key": private_key}
    return Credentials(PlatformName("buzz"), AppName("default"), secrets=secrets)


@pytest.mark.parametrize("spelled", [f"{3:064x}", NSEC, NSEC.upper(), f" {NSEC}\n"])
def test_a_private_key_is_read(spelled: str) -> None:
    """Hex and bech32 give the same key pair, whose secret half is never shown."""
    read = signer(with_key(spelled))
    assert read.pubkey == PUBKEY
    assert "0000003" not in repr(read)


@pytest.mark.parametrize("spelled", ["", "z" * 64, NSEC[:-1] + "q", NPUB, "0" * 64, "ff" * 32, "1"])
def test_a_wrong_private_key_is_refused(spelled: str) -> None:
    """What is no key pair is refused, and the error does not repeat it."""
    with pytest.raises(CredentialsRejected) as refused:
        signer(with_key(spelled))
    assert len(spelled) < 2 or spelled not in str(refused.value)


@pytest.mark.parametrize("spelled", [NPUB, PUBKEY, PUBKEY.upper()])
def test_a_public_key_has_one_spelling(spelled: str) -> None:
    """Bech32 and hex in any case are the same person."""
    assert bech32.hex_key(spelled, "npub") == PUBKEY


@given(st.binary(min_size=1, max_size=40))
def test_bech32_gives_back_what_it_spelled(payload: bytes) -> None:
    """Bytes survive being spelled, and a changed letter is noticed."""
    spelled = bech32.encode(payload, "npub")
    assert bech32.decode(spelled, "npub") == payload
    assert bech32.decode(spelled, "nsec") is None
    changed = spelled[:-1] + ("q" if spelled[-1] != "q" else "p")
    assert bech32.decode(changed, "npub") is None


@pytest.mark.parametrize(("content", "event_id"), IDS.items(), ids=range(len(IDS)))
def test_ids_are_those_of_the_standard(content: str, event_id: str) -> None:
    """An event's id is the hash of its canonical JSON, whatever characters it holds."""
    event = US.sign(1_700_000_000, CHAT, (("h", CHANNEL),), content)
    assert event.id == event_id
    assert verified(event.payload) == event


def test_the_proof_has_its_id() -> None:
    """The answer to a challenge is the event that the standard describes."""
    proof = frames.proof(US, "wss://buzz.example.com", "abc123", 1_700_000_001.9)
    assert proof.id == "ea5873c976baa37f63f92132899fd9e70ccf362a1658546320e4a0182aeae427"


def test_a_signature_is_the_same_each_time() -> None:
    """Signing adds no randomness, so that a repeated post is the very same event."""
    event = US.sign(1_700_000_000, CHAT, (("h", CHANNEL),), "hello buzz")
    assert str(event.payload["sig"]).startswith("e7713677f5531ec733b9a399c45335c1226095f2")


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["index"])
def test_signatures_are_those_of_bip_340(vector: dict[str, str]) -> None:
    """The published vectors are made and judged as published; none raises another error."""
    given, right = vector["signature"], vector["right"] == "TRUE"
    assert accepted(vector["public"], given, vector["message"]) is right
    if vector["secret"]:
        key = PrivateKey(bytes.fromhex(vector["secret"]))
        message, aux = (bytes.fromhex(vector[name]) for name in ("message", "aux"))
        assert key.sign_schnorr(message, aux).hex() == given
        assert key.public_key.format()[1:].hex() == vector["public"]


def test_all_vectors_are_there() -> None:
    """Fifteen are published for messages of this length, five of them right."""
    assert len(VECTORS) == 15
    assert sum(vector["right"] == "TRUE" for vector in VECTORS) == 5


@pytest.mark.parametrize("text", ["a <Memory> b", "<system-reminder>", "x<durable_context_data>y"])
def test_hidden_context_is_never_signed(text: str) -> None:
    """A text with a marker of hidden context is refused before anything is signed."""
    with pytest.raises(PostRejected):
        frames.said(US, "ch-1", text, 1)
    with pytest.raises(PostRejected):
        frames.edited(US, "ch-1", "id", text, 1)
    with pytest.raises(PostRejected):
        frames.said(US, "ch-1", "a file", 1, (("imeta", f"filename {text}"),))
    assert frames.said(US, "ch-1", "memory", 1).content == "memory"


def test_credentials_show_no_key() -> None:
    """Nothing printed of the credentials holds the private key."""
    assert f"{3:064x}" not in repr(credentials())
