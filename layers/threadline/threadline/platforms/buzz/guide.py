"""What a Buzz bot is made of: a key, a relay, and channels it is added to.

https://github.com/block/buzz/blob/main/NOSTR.md
"""

from typing import Final
from urllib.parse import urlsplit

from threadline.core.bech32 import encode, hex_key
from threadline.core.errors import CredentialsRejected
from threadline.core.setup import Registration, Step
from threadline.platforms.buzz.event import signer

RELAY: Final = "wss://relay.example.com"


def guide(app: Registration) -> tuple[Step, ...]:
    """Say what to do, in order."""
    credentials = app.credentials
    key = public_key(app)
    relay = credentials.base_url or RELAY
    config = (
        "platforms:\n  buzz:\n    allow: {senders: [npub1…]}\n    apps:\n"
        f"      {credentials.app}: {{base_url: {relay}, options: {{relay_key: …}}}}"
    )
    return (
        Step(
            "Make a key of the bot's own, or take a new one from any Nostr client; whoever has it"
            " can speak as the bot:",
            "openssl rand -hex 32",
        ),
        Step("Store the private key, as 64 hex characters or nsec1…:", app.store_secrets),
        Step(
            "Ask the relay for the key that it signs with; a relay without a fixed one has no"
            " `self`, and relay_key is left out then:",
            f"curl -sH 'Accept: application/nostr+json' {_over_http(relay)}",
        ),
        Step(
            "Write into threadline.yaml the relay's address, exactly as the relay calls itself, who"
            " may talk (nobody may talk to a new bot), and the relay's key:",
            config,
        ),
        Step(
            "Where the relay is closed, let its operator make the bot a member:",
            f"buzz-admin add-member --pubkey {_hex(key)}",
        ),
        Step(
            "Let an owner or admin of each channel in which it shall answer add the bot (its public"
            f" key is {key or 'shown here once the private key is stored'}):",
            f"buzz channels add-member --channel CHANNEL_UUID --pubkey {_hex(key)} --role bot",
        ),
    )


def public_key(app: Registration) -> str:
    """Give the bot's public key as npub1…, "" where no usable private key is stored."""
    try:
        return encode(bytes.fromhex(signer(app.credentials).pubkey), "npub")
    except CredentialsRejected:
        return ""


def _hex(key: str) -> str:
    return hex_key(key, "npub") or "PUBLIC_KEY"


def _over_http(relay: str) -> str:
    parts = urlsplit(relay)
    return parts._replace(scheme="http" if parts.scheme == "ws" else "https").geturl()
