"""Any bytes may stand in the file."""

import string
from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Surroundings
from threadline.core.errors import ConfigError, Fault

AROUND = Surroundings(
    namespace="11111111-2222-4333-8444-555555555555",
    present={"telegram/default": frozenset({"bot_token"})},
    demo_url="http://127.0.0.1:21024",
    local=True,
)
KEYS = [
    "stage", "language", "public_url", "limits", "session", "agents", "platforms", "bindings",
    "telegram", "github", "default", "apps", "platform", "app", "agent", "url", "allow", "senders",
    "chats", "repositories", "triggers", "issues", "actions", "users", "config", "context",
    "recursion_limit", "transport", "busy", "reply", "[key]", "<<",
]  # fmt: skip
WORDS = [*KEYS, "everyone", "http://x", "en", "owner/name", "polling", "opened", "true", "null"]

leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=False), st.sampled_from(WORDS)
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=25,
)
punctuation = st.text(alphabet=string.printable + "\x85\u2028\ufeff\ud7ffé", max_size=200)


def compile_or_fault(source: bytes) -> None:
    """Compile; a ConfigError with faults is the only other end there is."""
    told: Sequence[Fault] | None = None
    try:
        compile_settings(source, AROUND)
    except ConfigError as error:
        told = error.faults
    if told is not None:
        assert told
        assert all(one.where.startswith("threadline.yaml") and one.what for one in told)


def write(value: object) -> str:
    """Write a value in YAML's flow style, keys unquoted."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {write(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(write(one) for one in value) + "]"
    return "null" if value is None else str(value).lower()


@given(st.binary(max_size=300))
def test_random_bytes_are_compiled_or_refused(source: bytes) -> None:
    """Random bytes never raise anything but ConfigError."""
    compile_or_fault(source)


@given(punctuation)
@example('"\\UFFFFFFFF"')
@example("%YAML 1." + "9" * 5000)
@example("[" * 2000)
@example("a: &a [*a]")
@example("? {a: b}\n: c")
def test_random_text_is_compiled_or_refused(text: str) -> None:
    """Random text, with YAML's own characters in it, never raises anything but ConfigError."""
    compile_or_fault(text.encode("utf-8", "surrogatepass"))


@given(st.dictionaries(st.sampled_from(KEYS), values, max_size=8))
@settings(max_examples=300)
def test_random_trees_of_known_words_are_compiled_or_refused(tree: dict[str, object]) -> None:
    """Known keys in the wrong places, with the wrong values, never raise anything else."""
    compile_or_fault("\n".join(f"{key}: {write(value)}" for key, value in tree.items()).encode())


@given(st.integers(0, 400), st.binary(min_size=1, max_size=3))
def test_a_damaged_file_is_compiled_or_refused(place: int, damage: bytes) -> None:
    """A good file with a few bytes changed anywhere never raises anything else."""
    good = (
        b"agents:\n  coder: {url: http://x}\nplatforms:\n  telegram:\n    allow: {senders: [1]}\n"
        b"bindings:\n  a: {platform: github, repositories: [a/b], triggers: {issues: }}\n"
        b"  b: {platform: telegram, chats: [-5], session: {users: {1: {config: {x: 1}}}}}\n"
    )
    place %= len(good)
    compile_or_fault(good[:place] + damage + good[place + len(damage) :])
