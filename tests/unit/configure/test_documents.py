"""The documents beside the code, held against it."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import BaseModel

from tests.unit.configure.compiling import LOCAL, compiled
from threadline.app.configure import shapes
from threadline.app.configure.kinds import AGENT_SECRETS, KINDS
from threadline.app.configure.schema import schema_text
from threadline.app.configure.shapes import ALLOW_WORDS, FileShape, Shape
from threadline.core.settings import Busy, ReplyMode
from threadline.core.texts import LANGUAGES
from threadline.platforms.github.choose import MENTION_USUAL, USUAL_ACTIONS, WHEN_NONE_WRITTEN

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
SAMPLE = (ROOT / "threadline.example.yaml").read_text(encoding="utf-8")
SHAPES = [one for one in vars(shapes).values() if isinstance(one, type) and issubclass(one, Shape)]


def test_the_schema_for_editors_is_current() -> None:
    """docs/threadline.schema.json is what `threadline config schema` prints."""
    assert (ROOT / "docs/threadline.schema.json").read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("text", [*EXAMPLES, SAMPLE])
def test_every_example_compiles_and_fits_the_schema(text: str) -> None:
    """What the guide shows can be used as it stands, and no editor marks it."""
    compiled(text)
    jsonschema.validate(_plain(text), json.loads(schema_text()))


def _plain(text: str) -> object:
    """Read YAML as JSON Schema sees it: keys are text."""
    return json.loads(json.dumps(yaml.safe_load(text)))


@pytest.mark.parametrize(
    "text",
    [
        "langage: en",
        "agents: {a: {}}",
        "language: de",
        "agents: {a: }",
        "bindings: {b: {platform: x}}",
    ],
)
def test_the_schema_refuses_what_the_compiler_refuses(text: str) -> None:
    """An editor marks the ordinary mistakes while they are made."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(_plain(text), json.loads(schema_text()))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_key_stands_in_the_guide(shape: type[BaseModel]) -> None:
    """The guide has a row for each key, and the schema a sentence."""
    for name, field in shape.model_fields.items():
        assert f"\n| `{name}` |" in GUIDE
        assert field.description


@pytest.mark.parametrize(
    ("name", "default"),
    [(name, field.default) for name, field in shapes.LimitsShape.model_fields.items()],
)
def test_the_guide_tells_the_limits_as_they_are(name: str, default: float) -> None:
    """The numbers in the guide are those of the code."""
    assert f"\n| `{name}` | `{int(default)}` |" in GUIDE


def test_the_guide_names_every_secret() -> None:
    """Each secret a person may be asked for stands in the guide."""
    secrets = [*AGENT_SECRETS, *(one for kind in KINDS.values() for one in kind.secrets)]
    section = GUIDE.split("## Secrets")[1].split("\n## ")[0]
    assert [one.name for one in secrets if f"`{one.name}`" not in section] == []


def test_the_guide_names_every_choice() -> None:
    """Each word that may be written stands in the guide."""
    events = [event for kind in KINDS.values() for event in kind.events]
    for word in [*Busy, *ReplyMode, *ALLOW_WORDS, *LANGUAGES, *KINDS, *events]:
        assert f"`{word}`" in GUIDE


def test_the_guide_tells_githubs_defaults_as_they_are() -> None:
    """Which actions and mentions are usual is GitHub's business; the guide says it rightly."""
    assert {str(event): set(actions) for event, actions in USUAL_ACTIONS.items()} == {
        "issues": {"opened"},
        "pull_request": {"opened"},
        "issue_comment": {"created"},
        "pull_request_review_comment": {"created"},
        "pull_request_review": {"submitted"},
    }
    assert "\n| `actions` | `opened`, of comments `created`, of reviews `submitted` |" in GUIDE
    assert {str(event) for event in MENTION_USUAL} == {
        "issue_comment",
        "pull_request_review_comment",
    }
    assert {one.event for one in WHEN_NONE_WRITTEN} == set(KINDS["github"].events)


def test_the_languages_are_those_of_the_chat_texts() -> None:
    """What may be written as language is what there are sentences for."""
    (written,) = [FileShape.model_fields["language"].annotation]
    assert getattr(written, "__args__", ()) == LANGUAGES


def test_the_sample_file_uses_no_default_of_this_machine() -> None:
    """The file to start from means the same on any machine."""
    names = [one.name for one in compiled(SAMPLE, LOCAL).settings.bindings]
    assert names[:2] == ["team-room", "widgets"]
