"""What the playground takes, and the names that both of its sides use."""

from typing import Final

MAX_TEXT: Final = 8_000
"""Characters of one message, a person's or the agent's."""

MAX_DELIVERY: Final = 100_000
MAX_FILE: Final = 5_000_000
MOST_FILES: Final = 4
EDIT_INTERVAL: Final = 0.2

TOKEN: Final = "api_token"  # noqa: S105 - the secret's name
TONE: Final = "tone"
"""The fact of a draft that says what it is: answer, question, notice or progress."""

OPTIONS: Final = "options"
"""The fact of a draft with the answers a question offers, as a JSON list."""

MOST_OPTIONS: Final = 12
LONGEST_OPTION: Final = 200

PERSON: Final = "you"
BOT: Final = "threadline"
"""The accounts of a chat; there are no others."""

NOWHERE: Final = "playground.invalid"
"""Where answers go while nobody serves the page: a name that never resolves (RFC 6761)."""
