"""What a Buzz bot is made of: a key, a relay, and channels it is added to."""

from threadline.core.bech32 import encode
from threadline.core.errors import CredentialsRejected
from threadline.core.setup import Registration, Step
from threadline.platforms.buzz.event import signer


def guide(app: Registration) -> tuple[Step, ...]:
    """Say what to do, in order."""
    credentials = app.credentials
    key = public_key(app)
    relay = credentials.base_url or "wss://relay.example.com"
    config = (
        "platforms:\n  buzz:\n    allow: {senders: [npub1…]}\n    apps:\n"
        f"      {credentials.app}: {{base_url: {relay}, options: {{relay_key: npub1…}}}}"
    )
    return (
        Step(
            "Make a key of the bot's own, or take a new one from any Nostr client; whoever has it"
            " can speak as the bot:",
            "openssl rand -hex 32",
        ),
        Step("Store the private key, as 64 hex characters or nsec1…:", app.store_secrets),
        Step(
            "Write into threadline.yaml the relay's address, exactly as the relay calls itself, who"
            " may talk (nobody may talk to a new bot), and the key that the relay signs with:",
            config,
        ),
        Step(
            "Have the workspace's administrator add the bot to the channels in which it shall"
            " answer, by its public key:",
            key or "(its public key is shown here once the private key is stored)",
        ),
    )


def public_key(app: Registration) -> str:
    """Give the bot's public key as npub1…, "" where no usable private key is stored."""
    try:
        return encode(bytes.fromhex(signer(app.credentials).pubkey), "npub")
    except CredentialsRejected:
        return ""
