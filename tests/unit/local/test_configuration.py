from dataclasses import replace
from pathlib import Path

import pytest

from threadline.app.configure.surroundings import Compiled, Surroundings
from threadline.core.errors import ConfigError
from threadline.local.configuration import Configuration

AROUND = Surroundings(
    namespace="6ba7b811-9dad-11d1-80b4-00c04fd430c8", local=True, demo_url="http://127.0.0.1:1"
)


class Kept:
    """What was published, and surroundings that can change."""

    def __init__(self, file: Path) -> None:
        self.published: list[Compiled] = []
        self.around = AROUND
        self.configuration = Configuration(file, lambda: self.around, self.published.append)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give the place of a file that is not there yet."""
    return tmp_path / "threadline.yaml"


def test_a_change_of_the_file_is_published_once(file: Path) -> None:
    """Every state of the file is compiled once; a look without a change does nothing."""
    kept = Kept(file)
    assert kept.configuration.refresh() is not None
    assert kept.configuration.refresh() is None
    file.write_text("language: zh\n")
    compiled = kept.configuration.refresh()
    assert compiled is not None
    assert compiled.settings.language == "zh"
    assert kept.configuration.refresh() is None
    assert [one.settings.language for one in kept.published] == ["en", "zh"]


def test_a_faulty_file_is_said_once_and_changes_nothing(file: Path) -> None:
    """Faults are raised once for each state of the file; what was published stays."""
    kept = Kept(file)
    kept.configuration.refresh()
    file.write_text("languages: zh\n")
    with pytest.raises(ConfigError, match="languages"):
        kept.configuration.refresh()
    assert kept.configuration.refresh() is None
    assert len(kept.published) == 1
    file.write_text("language: zh\n")
    assert kept.configuration.refresh() is not None


def test_a_secret_that_appears_is_a_change(file: Path) -> None:
    """A platform goes on when its secrets come, without a word in the file."""
    kept = Kept(file)
    before = kept.configuration.refresh()
    kept.around = replace(AROUND, present={"telegram/default": frozenset({"bot_token"})})
    after = kept.configuration.refresh()
    assert before is not None
    assert after is not None
    on = [{row.platform for row in one.platforms if row.on} for one in (before, after)]
    assert on[1] - on[0] == {"telegram"}
