"""The numbers that stored items and queue messages carry, so that code of two ages can meet."""

from typing import Final

SCHEMA: Final = 1
READABLE_SCHEMAS: Final = frozenset({1})
