"""What the pipeline tests share."""

from collections.abc import Iterator

import pytest

from tests.pipeline.agent_server import AgentServer, agent_server


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """One server with the demo agent for every test that does not end it."""
    with agent_server(tmp_path_factory.mktemp("agent")) as server:
        yield server
