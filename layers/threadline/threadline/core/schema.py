"""The numbers that stored items and queue messages carry, so that code of two ages can meet.

A version reads its own number and the one before. A new number is read by one version before any
version writes it: so a rollback by one version reads all there is.
"""

from typing import Final

SCHEMA: Final = 1
READABLE_SCHEMAS: Final = frozenset({1})
