"""What looks like a secret: in a configuration it is refused, in a message it is blotted out."""

import re
from typing import Final

_NAMES: Final = re.compile(
    r"(?:^|[_.-])(?:token|secret|password|passwd|passphrase|credentials?|authorization"
    r"|api[_-]?key|private[_-]?key|access[_-]?key|secret[_-]?key|signing[_-]?key)s?$"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# The shapes in which the vendors give out their secrets.
_VALUES: Final = re.compile(
    r"\b[0-9]{6,12}:[A-Za-z0-9_-]{30,}"  # Telegram bot token
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"  # GitHub
    r"|\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}"  # Slack
    r"|\bsk-[A-Za-z0-9_-]{16,}|\blsv2_[A-Za-z0-9_]{16,}"  # model and LangSmith keys
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"  # AWS access key id
    r"|\beyJ[A-Za-z0-9_-]{8,400}\.eyJ[A-Za-z0-9_-]{8,}"  # JSON Web Token
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|\bnsec1[a-z0-9]{20,}"  # Nostr secret key
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"  # user and password in an address
)


def secret_name(key: str) -> bool:
    """Tell whether a key names a secret: `bot_token`, `apiKey`, but not `max_tokens`."""
    word = _CAMEL.sub("_", key).lower()
    return _NAMES.search(word) is not None and not word.endswith("tokens")


def secret_value(text: str) -> bool:
    """Tell whether a secret in a vendor's own shape stands in the text."""
    return _VALUES.search(text) is not None


def redact(text: str) -> str:
    """Blot out whatever `secret_value` would find."""
    return _VALUES.sub("…", text)
