"""A Feishu bot of `threadline serve`: the vendor's library, the demo agent, one card."""

import json
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.serving import serving, until
from tests.stubs.feishu import FeishuStub
from tests.stubs.feishu_socket import FeishuSockets

pytestmark = [pytest.mark.langgraph, pytest.mark.lark]

ADA = "oc_ada"


def new_app(root: Path, feishu: FeishuStub) -> Path:
    """Write what a person has who just made an app: its id and its secret."""
    (root / ".threadline").mkdir(mode=0o700)
    (root / "threadline.yaml").write_text(
        f"platforms: {{feishu: {{apps: {{default: {{base_url: '{feishu.url}'}}}}}}}}\n"
    )
    secrets = root / ".threadline" / "secrets.json"
    secrets.write_text(json.dumps({"feishu/default": dict(feishu.secrets)}))
    secrets.chmod(0o600)
    return root


def test_a_new_app_answers_over_its_long_connection(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """From the id and the secret alone: connected, acknowledged, answered in one card."""
    with FeishuStub() as feishu, FeishuSockets() as sockets:
        feishu.add_chat(ADA)
        feishu.socket_url = sockets.url
        root = new_app(tmp_path, feishu)
        with serving(root, {"THREADLINE_AGENT_URL": demo_server.url}) as served:
            served.says("feishu/default is connected")
            event = feishu.say(ADA, "hello from the phone")
            sent = [sockets.send(event) for _ in range(2)]
            until(lambda: len(sockets.answers) == 2, "the acknowledgements")
            until(lambda: feishu.shown(ADA)[0].reactions == ["OK", "DONE"], "the reactions")
            served.says("run_ended")
            assert served.interrupt() == 0
        question, answer = feishu.shown(ADA)
        assert answer.text == "You said: hello from the phone"
        assert answer.parent == question.id
        assert answer.edits >= 1
        assert sockets.answers == dict.fromkeys(sent, 200)
        text = "".join(served.said)
        text += "".join(path.read_text() for path in (root / ".threadline" / "log").iterdir())
        assert feishu.secrets["app_secret"] not in text
        assert "from the phone" not in text
