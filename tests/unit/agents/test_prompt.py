"""What the agent is given to read."""

from threadline.agents.prompt import as_text, human_message
from threadline.core.agent import InlineImage, Prompt, StoredFile
from threadline.core.http import BlobRef
from threadline.core.ids import TurnId

TURN = TurnId("turn-1")
PDF = StoredFile("plan.pdf", "application/pdf", BlobRef("b", 3), link="https://x.example/plan.pdf")
ZIP = StoredFile("logs.zip", "application/zip", BlobRef("z", 3))
LOST = StoredFile("huge.bin", "application/octet-stream", BlobRef("", 0), problem="too_large")
DOT = InlineImage("image/png", b"\x89PNG")


def test_text_alone_stays_as_it_is() -> None:
    """A message of nothing but text goes out as a string under the turn's id."""
    assert human_message(Prompt("hello"), TURN) == {
        "type": "human",
        "id": "turn-1",
        "content": "hello",
    }


def test_files_are_links_in_the_text() -> None:
    """Each file is a line: with its link, without one, or with the reason it is not there."""
    assert human_message(Prompt("Read", files=(PDF, ZIP, LOST)), TURN)["content"] == (
        "Read\n\nAttached files:\n"
        "- plan.pdf (application/pdf): https://x.example/plan.pdf\n"
        "- logs.zip (application/zip)\n"
        "- huge.bin: could not be read (too_large)"
    )


def test_images_are_blocks_after_the_text() -> None:
    """Images follow the text; without any text there is no empty block."""
    block = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
    words = {"type": "text", "text": "Look"}
    assert human_message(Prompt("Look", (DOT, DOT)), TURN)["content"] == [words, block, block]
    assert human_message(Prompt("", (DOT,)), TURN)["content"] == [block]


def test_an_answer_is_all_text() -> None:
    """What goes back into a waiting graph is one string that owns up to what it leaves out."""
    assert as_text(Prompt("blue")) == "blue"
    assert as_text(Prompt("", (DOT,), (PDF,))) == (
        "Attached files:\n"
        "- image (image/png), which cannot be shown here\n"
        "- plan.pdf (application/pdf): https://x.example/plan.pdf"
    )
