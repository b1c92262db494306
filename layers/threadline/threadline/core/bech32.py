"""Bech32, the spelling of Nostr keys that people copy: `npub1…` and `nsec1…`.

https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki
https://github.com/nostr-protocol/nips/blob/master/19.md
"""

from collections.abc import Iterable
from typing import Final

_LETTERS: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR: Final = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_CHECKSUM: Final = 6


def decode(text: str, prefix: str) -> bytes | None:
    """Give what a text with this prefix stands for; None where it is no such text."""
    head, found, tail = text.lower().rpartition("1")
    if not found or head != prefix or any(letter not in _LETTERS for letter in tail):
        return None
    values = [_LETTERS.index(letter) for letter in tail]
    if len(values) < _CHECKSUM or _polymod([*_expanded(prefix), *values]) != 1:
        return None
    return bytes(_regrouped(values[:-_CHECKSUM], 5, 8))


def encode(payload: bytes, prefix: str) -> str:
    """Spell bytes with this prefix; `decode` gives them back."""
    values = list(_regrouped(payload, 8, 5, rest=True))
    rest = _polymod([*_expanded(prefix), *values, *([0] * _CHECKSUM)]) ^ 1
    values += [rest >> 5 * (_CHECKSUM - 1 - number) & 31 for number in range(_CHECKSUM)]
    return f"{prefix}1{''.join(_LETTERS[value] for value in values)}"


def hex_key(text: str, prefix: str) -> str:
    """Give 32 bytes, written as hex in any case or as bech32, in lower-case hex; "" for others."""
    text = text.strip()
    try:
        payload = bytes.fromhex(text) if len(text) == 64 else decode(text, prefix)
    except ValueError:
        return ""
    return payload.hex() if payload is not None and len(payload) == 32 else ""


def _expanded(prefix: str) -> list[int]:
    codes = [ord(char) for char in prefix]
    return [*(code >> 5 for code in codes), 0, *(code & 31 for code in codes)]


def _polymod(values: Iterable[int]) -> int:
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, part in enumerate(_GENERATOR):
            if top >> bit & 1:
                check ^= part
    return check


def _regrouped(values: Iterable[int], size: int, into: int, *, rest: bool = False) -> list[int]:
    """Cut a row of `size`-bit numbers into `into`-bit ones; the bits left over fill one if kept."""
    held, bits, made = 0, 0, []
    for value in values:
        held, bits = held << size | value, bits + size
        while bits >= into:
            bits -= into
            made.append(held >> bits & (1 << into) - 1)
        held &= (1 << bits) - 1
    if rest and bits:
        made.append(held << into - bits & (1 << into) - 1)
    return made
