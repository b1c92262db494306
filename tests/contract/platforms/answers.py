"""What agents write: Markdown that every platform has to post whole."""

import re

from hypothesis import strategies as st

WORD = re.compile(r"[A-Za-z0-9\u4e00-\u9fff]+")
ADDRESS = re.compile(r"\]\([^)]*\)|^\s*\[[^\]]*\]: .*$|&\w+;|\]\[\w+\]", re.MULTILINE)
ANSWERS = {
    "a word": "hello",
    "styles": (
        "# Title\n\n**bold** _italic_ ~~gone~~ `code` and [link](https://example.com/a?b=c&d=e)"
    ),
    "lists": (
        "- one\n- two\n  - inner\n    continued\n\n"
        "1. first\n2. second\n\n   more\n\n- [x] done\n- [ ] open"
    ),
    "quote": "> quoted **text**\n> second line\n>\n> > deeper\n\nafter",
    "table": "| Name | Value |\n|------|------:|\n| alpha | 1 |\n| beta `x` | 22 |",
    "wide table": "\n".join(
        (
            "| " + " | ".join(f"column{n}" for n in range(12)) + " |",
            "|" + "---|" * 12,
            "| " + " | ".join(f"value{n} goes here" for n in range(12)) + " |",
        )
    ),
    "fence": "before\n\n```python\ndef f(x):\n    return x * 2  # **not bold**\n```\n\nafter",
    "fence in a list": "1. run\n\n   ```sh\n   make run\n   ```\n\n2. done",
    "open fence": "so far:\n\n```js\nlet a = 1",
    "four ticks": "````\n```\ninner\n```\n````",
    "characters of markup": (
        "2 * 3 * 4 < 5 & 6 > __init__ a_b_c <b>html</b> &amp; \\* $x$ # no [x] (y) {z}"
    ),
    "broken markup": "**open _both `tick [link](",
    "chinese": "**粗体**文字：你好，世界。\n\n- 第一\n- 第二",
    "emoji": "👍" * 30 + " 👨‍👩‍👧‍👦 🇩🇪",
    "long line": "x" * 12_000,
    "long emoji": "😀" * 9_000,
    "long prose": "A sentence of words that goes on. " * 900,
    "long paragraphs": "\n\n".join(f"Paragraph {n} with **bold** words." for n in range(700)),
    "long code": "```python\n" + "\n".join(f"value_{n} = {n}" for n in range(1500)) + "\n```\ndone",
    "long list": "\n".join(f"- item {n} with `code`" for n in range(900)),
    "only a rule": "---",
    "reference": (
        "see [1] and [the text][page]\n\n"
        "[1]: https://example.com/one\n[page]: https://example.com/two"
    ),
    "deep quotes": ">" * 60 + " down here",
    "deep list": "\n".join("  " * n + f"- level{n}" for n in range(60)),
    "lone surrogate": "broken \ud83d text",
    "controls": "a\x00b\x1bc\ufffed",
}
WORDS = st.text(alphabet="abcXYZ019 你😀", min_size=1, max_size=12).map(lambda t: t.strip() or "w")
INLINE = st.one_of(
    WORDS,
    WORDS.map(lambda t: f"**{t}**"),
    WORDS.map(lambda t: f"*{t}*"),
    WORDS.map(lambda t: f"`{t}`"),
    WORDS.map(lambda t: f"[{t}](https://example.com/)"),
)
LINE = st.lists(INLINE, min_size=1, max_size=5).map(" ".join)
BLOCK = st.one_of(
    LINE,
    LINE.map(lambda t: f"## {t}"),
    LINE.map(lambda t: f"> {t}"),
    st.lists(LINE, min_size=1, max_size=4).map(lambda ls: "\n".join(f"- {t}" for t in ls)),
    st.lists(WORDS, min_size=1, max_size=80).map(lambda ls: "```\n" + "\n".join(ls) + "\n```"),
    st.integers(1, 3000).map(lambda n: "long " * n),
)
MARKDOWN = st.lists(BLOCK, min_size=1, max_size=6).map("\n\n".join)


def words(text: str, *, source: bool = False) -> list[str]:
    """Give the words; of a Markdown source without addresses, HTML entities and code languages."""
    if source:
        text = ADDRESS.sub("] ", text)
        text = re.sub(r"^(\s*(?:`{3,}|~{3,}))\w+", r"\1", text, flags=re.MULTILINE)
        text = re.sub(r"^\s*\d+\.|\[[x ]\]", " ", text, flags=re.MULTILINE)
    return WORD.findall(text)


def squeezed(text: str) -> str:
    """Drop what a cut or a layout may change: white space."""
    return re.sub(r"\s+", "", text)
