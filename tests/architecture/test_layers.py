"""What import-linter needs in order to see every import."""

from tests.architecture.source import PACKAGE, ROOT, files, short

PACKAGES = (PACKAGE, ROOT / "functions", ROOT / "long_running")


def test_every_folder_of_code_is_a_package() -> None:
    """No folder lacks its __init__.py: the modules in it would escape the rules on imports."""
    folders = {
        path.parent for path in files(".py") if any(path.is_relative_to(p) for p in PACKAGES)
    }
    assert folders
    assert not {short(folder) for folder in folders if not (folder / "__init__.py").exists()}
