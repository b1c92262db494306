"""Ed25519 as Discord signs, held against published vectors and another library."""

from dataclasses import replace

import nacl.signing
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.platforms.discord import CREDENTIALS, PUBLIC, SEED
from threadline.core.errors import DeliveryStale, SignatureInvalid
from threadline.core.message import Webhook
from threadline.platforms.discord import PLATFORM
from threadline.platforms.discord.verify import SIGNATURE, TIME, sign

NOW = 1_700_000_000.0
AT = "1700000000"
PING = b'{"type":1}'
SIGNED_PING = (
    "c1098e97d711377f30225d53d94b89d43537f92e5b3afaddc590781b1f9f9d4b"
    "2eeab335d370be3b9a090bc61a85b86448bc140dcd195f1569c2bff181257607"
)
RFC_8032 = (
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
)


def request(body: bytes, signature: str, at: str = AT) -> Webhook:
    """Make a signed request."""
    return Webhook("POST", "/", {}, {SIGNATURE: signature, TIME: at}, body)


def test_a_ping_signed_elsewhere_is_accepted() -> None:
    """A signature made by other code over time and body is taken, and ours is the same."""
    PLATFORM.verify(request(PING, SIGNED_PING), CREDENTIALS, NOW)
    assert sign(PING, AT, SEED) == SIGNED_PING


@pytest.mark.parametrize(("seed", "public", "message", "signature"), RFC_8032)
def test_published_vectors_agree(seed: str, public: str, message: str, signature: str) -> None:
    """RFC 8032's signatures are ours, and its keys accept what they signed."""
    assert sign(bytes.fromhex(message), "", seed) == signature
    keys = {**CREDENTIALS.secrets, "public_key": public}
    untimed = request(bytes.fromhex(message), signature, at="")
    with pytest.raises(DeliveryStale):  # the signature is right, and says nothing of the time
        PLATFORM.verify(untimed, replace(CREDENTIALS, secrets=keys), NOW)


@given(st.binary(max_size=300), st.integers(0, 10**9))
def test_another_library_signs_what_we_accept(body: bytes, number: int) -> None:
    """What PyNaCl signs is accepted, and with one bit changed it is not."""
    key = nacl.signing.SigningKey(bytes.fromhex(SEED))
    signature = bytearray(key.sign(AT.encode() + body).signature)
    PLATFORM.verify(request(body, signature.hex()), CREDENTIALS, NOW)
    signature[number % 64] ^= 1 << (number % 8)
    with pytest.raises(SignatureInvalid):
        PLATFORM.verify(request(body, signature.hex()), CREDENTIALS, NOW)


@pytest.mark.parametrize(
    "key", ["", " ", "00", PUBLIC[:-2], PUBLIC + "00", "g" * 64, "ä" * 64, "0" * 64]
)
def test_a_key_that_is_none_accepts_nothing(key: str) -> None:
    """An absent, cut, foreign or weak key never opens the door."""
    secrets = {**CREDENTIALS.secrets, "public_key": key}
    with pytest.raises(SignatureInvalid):
        PLATFORM.verify(request(PING, SIGNED_PING), replace(CREDENTIALS, secrets=secrets), NOW)


@pytest.mark.parametrize("apart", [-301.0, 301.0])
def test_an_old_interaction_is_refused(apart: float) -> None:
    """Five minutes away from now a right signature is no longer taken."""
    PLATFORM.verify(request(PING, SIGNED_PING), CREDENTIALS, NOW + apart * 0.99)
    with pytest.raises(DeliveryStale):
        PLATFORM.verify(request(PING, SIGNED_PING), CREDENTIALS, NOW + apart)


@pytest.mark.parametrize("at", ["", "now", "1700000000.5", "-1700000000", "१७००००००००", "9" * 13])
def test_a_time_that_is_none_is_stale(at: str) -> None:
    """A signed time that cannot be read is far away."""
    key = nacl.signing.SigningKey(bytes.fromhex(SEED))
    signature = key.sign(at.encode() + PING).signature.hex()
    with pytest.raises(DeliveryStale):
        PLATFORM.verify(request(PING, signature, at), CREDENTIALS, NOW)
