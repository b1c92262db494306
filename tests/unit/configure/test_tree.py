import pytest

from threadline.app.configure.tree import MAX_BYTES, MAX_DEPTH, Tree, read
from threadline.core.errors import ConfigError


def tree(text: str) -> Tree:
    """Read text."""
    return read(text.encode(), "threadline.yaml")


def fault(source: bytes) -> str:
    """Read what cannot be read; give all that is said."""
    with pytest.raises(ConfigError) as caught:
        read(source, "threadline.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("2026-01-01", "2026-01-01"),
        ("0123", "0123"),
        ("0x1f", "0x1f"),
        ("1_000", "1_000"),
        ("+5", "+5"),
        (".inf", ".inf"),
        ("1e999", "1e999"),
        ("9" * 5000, "9" * 5000),
        ("'1'", "1"),
        ('"true"', "true"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("-1001234567890", -1001234567890),
        ("0", 0),
        ("2.5", 2.5),
        ("1e3", 1000.0),
    ],
)
def test_scalars_are_what_they_look_like(written: str, value: object) -> None:
    """A word stays a word: only true, false, null and numbers as JSON writes them are more."""
    found = tree(f"key: {written}").root["key"]
    assert found == value
    assert type(found) is type(value)


def test_every_key_and_entry_has_its_line() -> None:
    """A fault can name the line of any key, and of the key above it where there is none."""
    found = tree("# first\na:\n  b:\n    - x\n    - y\nc: {d: 1}\n")
    assert found.line(("a",)) == 2
    assert found.line(("a", "b", 1)) == 5
    assert found.line(("c", "d")) == 6
    assert found.line(("a", "missing", "deeper")) == 2
    assert found.line(("nowhere",)) == 1


@pytest.mark.parametrize("empty", ["", "\n\n", "# only words\n", "---\n", "~", "\ufeff"])
def test_an_empty_file_is_an_empty_tree(empty: str) -> None:
    """A file with nothing in it is a configuration: everything is at its default."""
    assert tree(empty).root == {}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (b"a: 1\na: 2", "threadline.yaml:2: a: written twice, first in line 1"),
        (b"a:\n  b: {c: 1, c: 2}", "threadline.yaml:2: a.b.c: written twice"),
        (b"a:\n\tb: 1", "threadline.yaml:2: a tab where YAML wants spaces"),
        (b"a: &x 1\nb: *x", "threadline.yaml:1: anchors and aliases"),
        (b"b: *x", "threadline.yaml:1: anchors and aliases"),
        (b"b:\n  <<: {a: 1}", "threadline.yaml:2: b: merge keys"),
        (b"a: !!python/object/apply:os.getcwd []", "threadline.yaml:1: tags"),
        (b"a: !secret x", "threadline.yaml:1: tags"),
        (b"a: 1\nb: \xff", "threadline.yaml:2: not UTF-8"),
        ("a: 1".encode("utf-16"), "threadline.yaml:1: not UTF-8"),
        (b"a: 1\nb: \x00", "threadline.yaml:2: a character that YAML does not allow"),
        (b'a: 1\nb: "\\0"', "threadline.yaml:2: b: holds characters that cannot be printed"),
        (b'a: "\\uD800"', "threadline.yaml:1: a: holds characters that cannot be printed"),
        (b'"\\0": 1', "threadline.yaml:1: a key with characters that cannot be printed"),
        (b'a: "\\UFFFFFFFF"', "threadline.yaml: an escape or directive"),
        (b"%YAML 1." + b"9" * 5000 + b"\n---\na: 1", "threadline.yaml: an escape or directive"),
        (b"a: b: c", "threadline.yaml:1: not YAML: mapping values are not allowed here"),
        (b"a: {", "threadline.yaml:1: not YAML"),
        (b"? [a, b]\n: c", "threadline.yaml:1: a key must be a word"),
        (b"'': c", "threadline.yaml:1: a key must be a word"),
        (b"- a\n- b", "threadline.yaml:1: the file must hold `key: value` lines"),
        (b"word", "threadline.yaml:1: the file must hold `key: value` lines"),
        (b"a: 1\n---\nb: 2", "threadline.yaml:2: not YAML: but found another document"),
        (b"[" * 100_000, f"threadline.yaml:1: nested deeper than {MAX_DEPTH} levels"),
        (b"a: " * (MAX_BYTES // 2), "threadline.yaml: the file is larger than 256,000 bytes"),
    ],
    ids=lambda value: None if isinstance(value, str) else str(value[:24]),
)
def test_what_cannot_be_read_is_said(source: bytes, said: str) -> None:
    """YAML that is broken, dangerous or too much is a fault with its line, never a stack trace."""
    assert fault(source).startswith(said)


def test_expansion_is_refused_before_it_happens() -> None:
    """A file of a few lines cannot grow into gigabytes."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert fault("\n".join(lines).encode()) == (
        "threadline.yaml:1: anchors and aliases (`&`, `*`) are not read: write the value"
    )


def test_several_faults_of_one_file_come_together() -> None:
    """What can be told apart from one reading is told at once, in the order of lines."""
    said = fault(b"a: 1\na: 2\nb: {<<: x}\n? [c]\n: d\n")
    assert [line.split(":")[1] for line in said.splitlines()] == ["2", "3", "4"]
