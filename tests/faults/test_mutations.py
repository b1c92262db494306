from pathlib import Path

import pytest

from tests.faults.mutate import PATCHES, applies


def test_there_are_enough_mutations() -> None:
    """At least fourteen wrong changes are kept for the harness to find."""
    assert len(PATCHES) >= 14


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_each_mutation_still_applies(patch: Path) -> None:
    """A wrong change that no longer fits the code proves nothing, so it has to be renewed."""
    assert applies(patch)
