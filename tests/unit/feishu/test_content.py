"""What a message holds, by its type: words, files to fetch, and what is only named."""

from typing import Any

import pytest

from tests.unit.feishu.events import changed, files_of, holding, message_of, text_of
from threadline.core.message import Ignored
from threadline.core.reasons import Reason


def line(*elements: dict[str, Any]) -> dict[str, Any]:
    """Make a post of one line."""
    return {"title": "", "content": [list(elements)]}


def said(words: str) -> dict[str, Any]:
    """Make an element of text."""
    return {"tag": "text", "text": words}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (line(said("one "), said("two")), "one two"),
        ({"title": " Title ", "content": [[said("body")]]}, "Title\n\nbody"),
        ({"title": "Title", "content": [[]]}, "Title"),
        ({"content": [[said("one")], [said("two")]]}, "one\ntwo"),
        ({"zh_cn": {"title": "", "content": [[said("一")]]}}, "一"),
        (line({"tag": "a", "href": "https://a.example", "text": "a"}), "[a](https://a.example)"),
        (line({"tag": "a", "href": "https://a.example"}), "[https://a.example](https://a.example)"),
        (line({"tag": "a", "text": "no address"}), "no address"),
        (line({"tag": "at", "user_id": "ou_1", "user_name": "Lin"}, said(" hi")), "@Lin hi"),
        (line({"tag": "at", "user_id": "all"}, said(" hi")), "@all hi"),
        (line({"tag": "emotion", "emoji_type": "SMILE"}), ":SMILE:"),
        (line(said("a"), {"tag": "hr"}), "a---"),
        (line({"tag": "code_block", "language": "PYTHON", "text": "x = 1\n"}),
         "```python\nx = 1\n```"),
        (line({"tag": "note", "elements": [said("small")]}), "small"),
        (line({"tag": "md", "text": "**bold**"}), "**bold**"),
        (line(said("\ud83d cut")), "\ufffd cut"),
        ({"title": 7, "content": [said("not in a line"), 7, [7]]}, "not in a line"),
    ],
)  # fmt: skip
def test_a_post_reads_as_markdown(content: Any, text: str) -> None:
    """Title, links, code, names and whatever else has words in it."""
    assert text_of("post", content) == text


def test_files_of_a_post_stand_where_they_were() -> None:
    """A picture and a film are fetched, and their place in the text is kept."""
    content = line(
        said("see "), {"tag": "img", "image_key": "img_v3_aaaabbbbcccc"}, said(" and "),
        {"tag": "media", "file_key": "file_v3_dddd", "image_key": "img_v3_e"},
    )  # fmt: skip
    message = message_of(holding("post", content))
    first, second = message.files
    assert message.text == f"see [{first.name}] and [{second.name}]"
    assert [one.id for one in message.files] == ["image:img_v3_aaaabbbbcccc", "file:file_v3_dddd"]
    assert all(one.message == message.id for one in message.files)


@pytest.mark.parametrize(
    ("kind", "content", "identity", "name", "mime", "image"),
    [
        ("image", {"image_key": "img_v3_1"}, "image:img_v3_1", "feishu-image-img_v3_1.jpg",
         "image/jpeg", True),
        ("file", {"file_key": "file_v3_1", "file_name": "报告.pdf"}, "file:file_v3_1", "报告.pdf",
         "application/pdf", False),
        ("file", {"file_key": "file_v3_1", "file_name": "../../etc/a.png"}, "file:file_v3_1",
         "a.png", "image/png", True),
        ("file", {"file_key": "file_v3_1", "file_name": ".."}, "file:file_v3_1",
         "feishu-file-file_v3_1.bin", "application/octet-stream", False),
        ("audio", {"file_key": "file_v3_1", "duration": 2000}, "file:file_v3_1",
         "feishu-audio-file_v3_1.opus", "audio/ogg", False),
        ("media", {"file_key": "file_v3_1", "file_name": "a.mov", "image_key": "img_1"},
         "file:file_v3_1", "a.mov", "application/octet-stream", False),
    ],
)  # fmt: skip
def test_files_are_fetched_by_key(
    kind: str, content: Any, identity: str, name: str, mime: str, image: bool
) -> None:
    """Each kind of resource has its id, a name that is safe, and its own message's id."""
    message = message_of(holding(kind, content))
    (file,) = message.files
    assert (file.id, file.name, file.image) == (identity, name, image)
    assert file.mime == mime or kind == "media"
    assert (file.message, file.problem) == (message.id, "")


@pytest.mark.parametrize("kind", ["image", "file", "audio", "media"])
def test_a_file_without_a_key_cannot_be_had(kind: str) -> None:
    """What cannot be asked for is a file with a problem, so that its sender hears of it."""
    (file,) = files_of(kind, {})
    assert file.problem == "unsupported"


@pytest.mark.parametrize(
    "kind",
    ["sticker", "share_chat", "share_user", "merge_forward", "folder", "hongbao", "todo", "vote",
     "video_chat", "share_calendar_event", "calendar", "general_calendar", "interactive",
     "of_next_year"],
)  # fmt: skip
def test_what_cannot_be_taken_is_named(kind: str) -> None:
    """Its type is what the agent and the sender hear of it."""
    message = message_of(holding(kind, {"file_key": "file_1"}))
    assert [(one.name, one.problem) for one in message.files] == [(kind, "unsupported")]
    assert message.text == ""


def test_a_card_gives_its_words() -> None:
    """A card that somebody forwards is read; buttons and pictures are not."""
    elements = [[{"tag": "text", "text": "Build failed"}], [{"tag": "button", "text": "Retry"}]]
    assert text_of("interactive", {"title": "CI", "elements": elements}).startswith("CI\n\nBuild")


def test_a_place_is_told_in_words() -> None:
    """Name and coordinates."""
    content = {"name": "Office", "longitude": "116.3", "latitude": "39.9"}
    assert text_of("location", content) == "Office 39.9 116.3"


@pytest.mark.parametrize("content", ["", "no JSON", "[]", "[" * 100_000, '{"text": 7}'])
def test_content_that_cannot_be_read_holds_nothing(content: str) -> None:
    """A text without text is no message."""
    parsed = changed("message.p2p", content=content)
    assert isinstance(parsed, Ignored)
    assert parsed.reason is Reason.NO_CONTENT


def test_what_feishu_says_itself_is_no_message() -> None:
    """Notices that somebody joined are written by nobody."""
    parsed = holding("system", {"template": "{from_user} invited {to_chatters}"})
    assert isinstance(parsed, Ignored)
    assert parsed.reason is Reason.NO_CONTENT
