"""What the pipeline tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import planted
from tests.pipeline.agent_server import AgentServer, agent_server


@pytest.fixture(autouse=True)
def nothing_planted(tmp_path: Path) -> Iterator[None]:
    """Let no test leave a secret in what it wrote, or somebody's words in a log."""
    with planted.watching(tmp_path):
        yield


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """One server with the demo agent for every test that does not end it."""
    with agent_server(tmp_path_factory.mktemp("agent")) as server:
        yield server
