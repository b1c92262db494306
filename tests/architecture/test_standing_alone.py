"""What a repository that stands alone does not mention."""

import re

import pytest

from tests.architecture.source import files, short

# Put together here, since this file is read too.
INDEXES = ("pypi" + ".org", "pythonhosted" + ".org", "registry." + "npmjs", "npmjs" + ".com")
ARCHIVES = ("deb." + "debian", "proxy." + "golang")
FORBIDDEN = {
    "a package index": "|".join(re.escape(host) for host in (*INDEXES, *ARCHIVES)),
    "a folder of one machine": r"(?<![\w.}])/(?:work|root)/",
    "a folder beside the checkout": r"\.\./shared\b",
    "a numbering that is explained elsewhere": r"§ ?\d|\b(?:BC|CC)-\d\d\b",
}
BINARY = {".png", ".ico", ".jpg", ".gz", ".zip", ".woff2"}


@pytest.mark.parametrize("pattern", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_nothing_outside_is_named(pattern: str) -> None:
    """No file names something that only its writer had: a host, a folder, a case number."""
    found = {
        f"{short(path)}: {match[0]}"
        for path in files()
        if path.suffix not in BINARY
        and (match := re.search(pattern, path.read_text(encoding="utf-8")))
    }
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        "https://" + INDEXES[0] + "/simple",
        "/" + "work/main",
        "cp ../" + "shared/x .",
        "see \u00a75",
    ],
)
def test_a_mention_is_noticed(line: str) -> None:
    """Each pattern finds what it is there for."""
    assert any(re.search(pattern, line) for pattern in FORBIDDEN.values())
