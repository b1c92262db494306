from pathlib import Path

import pytest

from tests.events import recordings
from tests.unit.github.deliveries import message, put
from threadline.core.settings import ReplyMode
from threadline.platforms.github.closing import closing
from threadline.platforms.github.prompt import MOST_OF_A_BODY, shortened

GOLDEN = Path(__file__).resolve().parent.parent.parent / "golden" / "github"
DESCRIBED = [
    recorded.case for recorded in recordings("github") if recorded.expect["outcome"] == "accepted"
]


@pytest.mark.parametrize("case", DESCRIBED)
@pytest.mark.parametrize("reply", [ReplyMode.COMMENT, ReplyMode.LOG])
def test_the_agent_reads_what_happened(case: str, reply: ReplyMode) -> None:
    """Each event is described with its texts and addresses, and how an answer gets there."""
    found = message(case)
    golden = (GOLDEN / f"{case}.{reply}.md").read_text(encoding="utf-8")
    assert f"{found.prompt}\n\n{closing(found, reply)}\n" == golden


def test_a_golden_file_belongs_to_a_recording() -> None:
    """No golden file is left over from a recording that is gone."""
    known = {f"{case}.{reply}.md" for case in DESCRIBED for reply in ("comment", "log")}
    assert {path.name for path in GOLDEN.iterdir()} == known


def test_a_chat_reply_is_announced_as_a_comment() -> None:
    """GitHub has no answer that grows: a binding in chat mode posts a comment too."""
    found = message("issue_comment.created")
    assert closing(found, ReplyMode.CHAT) == closing(found, ReplyMode.COMMENT)


@pytest.mark.parametrize(
    ("path", "limit"),
    [(("comment", "body"), 4000), (("issue", "body"), 4000)],
)
def test_a_long_body_is_cut_and_says_so(path: tuple[str, str], limit: int) -> None:
    """A body over its limit is cut there, naming its length and where the rest can be read."""
    found = message("issue_comment.created", put(*path, value="word " * 2000))
    assert found.prompt.count("word ") <= limit // 5
    assert "10000 characters in all" in found.prompt
    assert "the rest at https://github.com/acme/widgets/issues/42" in found.prompt


def test_a_long_hunk_is_cut_and_says_so() -> None:
    """A diff hunk over 2000 characters is cut there."""
    long = put("comment", "diff_hunk", value="+line\n" * 1000)
    found = message("pull_request_review_comment.in_thread", long)
    assert found.prompt.count("+line") <= 2000 // 6
    assert "6000 characters in all" in found.prompt


def test_bodies_at_the_limit_stay_whole() -> None:
    """What fits stands verbatim; what does not is exactly as long as the limit."""
    fits = "x" * MOST_OF_A_BODY
    assert shortened(fits, MOST_OF_A_BODY, "https://x.example") == fits
    for where in (None, "https://x.example", "https://" + "x" * 5000):
        assert len(shortened(fits + "x", MOST_OF_A_BODY, where)) == MOST_OF_A_BODY


@pytest.mark.parametrize("body", [None, "", " \n"])
def test_an_empty_body_says_that_it_is_empty(body: str | None) -> None:
    """An issue without a description is described as one."""
    found = message("issues.opened", put("issue", "body", value=body))
    assert "Description:\n[empty]" in found.prompt
    assert found.text == (body or "")


def test_a_review_without_an_id_has_no_hint() -> None:
    """Where its comments are is told only of a review that can be named."""
    named = message("pull_request_review.submitted")
    assert "gh api repos/acme/widgets/pulls/7/reviews/1100000001/comments" in named.prompt
    nameless = message("pull_request_review.submitted", put("review", "id", value=0))
    assert "gh api" not in nameless.prompt
