import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threadline.text.mentions import bare, mentioned, silence

PIECES = (
    "@bot", "@Bot[bot]", "@other", "`", "``", "```", "~~~", " ", "\n", "\n\n", "> ", "_", "*", "**",
    "https://", "/", "x", "<code>", "</code>", "<!--", "-->", "\\", "[", "](", "](y)", ")", "    ",
    "- ", "|", "1. ", "\r", "\t", "<div>", "</div>", ".", "-", "&", "é", "请",
)  # fmt: skip
WRITTEN = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@pytest.mark.parametrize(
    "text",
    [
        "@bot",
        "hello @Bot, look",
        "(@bot)",
        "@bot.",
        "@bot[bot]",
        "请@bot看看",
        "**@bot**",
        "_@bot_",
        "~~@bot~~",
        "- @bot",
        "# @bot",
        "| a |\n|---|\n| @bot |",
        "> quoted\n\n@bot",
        "`code` @bot",
        "```\ncode\n```\n@bot",
        "<details>\n\n@bot\n\n</details>",
        "<blockquote>\n\nquoted\n\n</blockquote>\n\n@bot",
        "a <!-- hidden --> @bot",
        "see https://x.example/ @bot",
        "@other, @bot",
    ],
)
def test_a_call_is_heard(text: str) -> None:
    """A login in the writer's own words is mentioned, whatever stands round it."""
    assert "bot" in mentioned(text)


@pytest.mark.parametrize(
    "text",
    [
        "bot",
        "@bot-x",
        "@bot_x",
        "@x-bot",
        "me@bot",
        "me@bot.example",
        "@bot.example",
        "x-@bot",
        "x/@bot",
        "@bot/team",
        "@bot@elsewhere.example",
        "> @bot",
        "> > deep @bot",
        "- > @bot",
        "`@bot`",
        "``a ` @bot``",
        "```\n@bot\n```",
        "~~~\n@bot",
        "    @bot",
        "https://x.example/@bot",
        "https://x.example/?to=@bot",
        "www.x.example?to=@bot",
        "<https://x.example/@bot>",
        "[@bot](https://x.example)",
        "![@bot](https://x.example)",
        "[text](https://x.example/@bot)",
        "<!-- @bot -->",
        "a <!-- @bot --> b",
        "<!--\n\n@bot\n\n-->",
        "<code>@bot</code>",
        "<pre>\n@bot\n</pre>",
        "<blockquote>\n\n@bot\n\n</blockquote>",
    ],
)
def test_what_is_no_call_is_not_heard(text: str) -> None:
    """Quotes, code, addresses, links, comments, teams and longer names mention nobody of ours."""
    assert "bot" not in mentioned(text)


def test_every_name_called_is_given() -> None:
    """All logins come back as they are compared: lower case, without `[bot]`."""
    assert mentioned("@One @two[bot] and @THREE") == {"one", "two", "three"}
    assert bare("@Helper[bot]") == bare("helper") == "helper"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ask @bot.", "ask @\u200bbot."),
        ("@Bot[bot] and @other", "@\u200bBot[bot] and @other"),
        ("_@bot_", "_@\u200bbot_"),
        ("`@bot` @bot", "`@bot` @\u200bbot"),
        ("```py\n@bot\ndef f(): ...\n```\n@bot", "```py\n@bot\ndef f(): ...\n```\n@\u200bbot"),
        ("https://x.example/?to=@bot", "https://x.example/?to=@bot"),
        ("me@bot.example", "me@bot.example"),
        ("@bot-x @bot/team @bot_x", "@bot-x @bot/team @bot_x"),
        ("nobody", "nobody"),
    ],
)
def test_a_name_is_written_without_a_call(text: str, expected: str) -> None:
    """An invisible space breaks the call; code, addresses and other names stay as they are."""
    assert silence(text, {"bot"}) == expected


@given(WRITTEN)
@settings(max_examples=300)
def test_silence_is_silent_and_loses_nothing(text: str) -> None:
    """Whatever the Markdown, a silenced login is no longer called and nothing visible changes."""
    quiet = silence(text, {"bot"})
    assert "bot" not in mentioned(quiet)
    assert lines(quiet.replace("\u200b", "")) == lines(text)


@given(WRITTEN)
@settings(max_examples=100)
def test_people_stay_called(text: str) -> None:
    """Silencing one login leaves every other mention standing."""
    assert mentioned(text) - {"bot"} <= mentioned(silence(text, {"bot"}))


@given(st.text(max_size=300))
@settings(max_examples=100)
def test_any_text_can_be_read(text: str) -> None:
    """No text whatever makes reading or silencing fail."""
    assert "bot" not in mentioned(silence(text + "@bot", {"bot"}))


def lines(text: str) -> str:
    """Write line ends one way."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
