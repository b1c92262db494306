from dataclasses import replace

import pytest

from tests.stubs.github import Fault
from tests.unit.github.conftest import Talk
from threadline.core.posting import Draft
from threadline.platforms.github import PLATFORM
from threadline.platforms.github.pings import MOST_LOOKED_UP

NONCE = "0123456789abcdef0123456789abcdef"


def posted(talk: Talk, text: str) -> str:
    """Post a text and give it as it stands, without the hidden line."""
    talk.run(PLATFORM.post(Draft(text), talk.to, talk.credentials, NONCE))
    return talk.github.comments("acme/widgets", 42)[-1].body.partition("\n")[2]


def test_a_bot_is_not_called(talk: Talk) -> None:
    """A mention of an app's account is silenced, with and without `[bot]`; people stay called."""
    talk.github.state.apps.add("helper")
    talk.github.state.people.add("mona-member")
    text = "@helper, @Helper[bot]: see @mona-member"
    assert posted(talk, text) == "@\u200bhelper, @\u200bHelper[bot]: see @mona-member"


def test_an_edit_does_not_call_a_bot_either(talk: Talk) -> None:
    """What is edited into a comment goes the same way."""
    talk.github.state.apps.add("helper")
    receipt = talk.run(PLATFORM.post(Draft("."), talk.to, talk.credentials, NONCE))
    talk.run(PLATFORM.edit(Draft("@helper"), receipt, talk.to, talk.credentials))
    assert talk.github.comments("acme/widgets", 42)[-1].body.endswith("\n@\u200bhelper")


def test_our_own_account_is_not_asked_about(talk: Talk) -> None:
    """Our own login is silenced without a look-up."""
    assert posted(talk, "Say @acme-coder again.") == "Say @\u200bacme-coder again."
    assert [call.method for call in talk.github.calls] == ["POST"]


def test_a_text_that_calls_nobody_costs_no_call(talk: Talk) -> None:
    """Only what would call somebody is looked up: code and addresses are not."""
    text = "```py\n@helper\n```\nme@example.org `@helper`"
    assert posted(talk, text) == text
    assert [call.method for call in talk.github.calls] == ["POST"]


@pytest.mark.parametrize("fault", [Fault.status(500), Fault.limited(9), Fault.drop("before")])
def test_who_cannot_be_looked_up_counts_as_a_bot(talk: Talk, fault: Fault) -> None:
    """Where GitHub does not say, the mention is silenced and the answer is posted all the same."""
    talk.github.state.people.add("mona-member")
    talk.github.fault("GET", "/users/", fault, times=9)
    assert posted(talk, "@mona-member") == "@\u200bmona-member"


def test_many_names_are_not_all_looked_up(talk: Talk) -> None:
    """Look-ups are bounded; the names beyond the bound are silenced."""
    names = [f"person-{at:02d}" for at in range(MOST_LOOKED_UP + 5)]
    talk.github.state.people.update(names)
    text = posted(talk, " ".join(f"@{name}" for name in names))
    assert text.count("\u200b") == 5
    assert len([call for call in talk.github.calls if call.method == "GET"]) == MOST_LOOKED_UP


def test_without_an_identity_all_are_looked_up(talk: Talk) -> None:
    """An account of ours that is not configured is found to be a bot like any other."""
    talk.github.state.apps.add("acme-coder")
    talk.credentials = replace(talk.credentials, identity_name="")
    assert posted(talk, "@acme-coder") == "@\u200bacme-coder"
