from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.buzz.bots import Bot, speaking


@pytest.fixture(params=[False, True], ids=["usual", "strict"])
def bot(request: Any, tmp_path: Path) -> Iterator[Bot]:
    """Give a bot at a relay, with and without enforced identities."""
    with speaking(tmp_path, strict=request.param) as found:
        yield found
