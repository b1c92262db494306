import pytest

from tests.unit.local.test_explain import part
from threadline.app.explain import Journey
from threadline.app.journey import ended, faults
from threadline.app.logline import Step
from threadline.core.reasons import Reason
from threadline.core.records import PartState


def journey(*steps: Step, parts: tuple[PartState, ...] = ()) -> Journey:
    """Make a journey of steps, with parts in these states."""
    return Journey("d1", steps, parts=tuple(part(at, state) for at, state in enumerate(parts)))


def steps(*reasons: str, conversation: str = "c") -> list[Step]:
    """Make steps of one conversation, one a second."""
    return [Step(float(at), what, "", conversation) for at, what in enumerate(reasons)]


ANSWERED = ("starting", "run_created", "run success", "run_ended")


@pytest.mark.parametrize(
    ("reasons", "parts", "over"),
    [
        ((), (), False),
        (("starting",), (), False),
        (("starting", "run_created"), (PartState.SENT,), False),
        (("starting", "run_created", "first_text"), (PartState.SENT,), False),
        (ANSWERED, (PartState.SENT,), True),
        ((*ANSWERED, "post sent"), (PartState.SENT,), True),
        (ANSWERED, (PartState.SENT, PartState.PLANNED), False),
        (ANSWERED, (PartState.SENDING,), False),
        (("not_allowed",), (), True),
        (("queued", "starting", "agent_down"), (), False),
    ],
)
def test_a_journey_is_over_when_nothing_more_comes(
    reasons: tuple[str, ...], parts: tuple[PartState, ...], over: bool,
) -> None:  # fmt: skip
    """It is over when its last reason is an end and no part is open."""
    assert ended(journey(*steps(*reasons), parts=parts)) is over


def test_every_conversation_of_a_fan_out_must_end() -> None:
    """One delivery that reached two agents is over when both are."""
    one, other = steps(*ANSWERED, conversation="a"), steps("starting", conversation="b")
    assert not ended(journey(Step(0.0, "accepted"), *one, *other))
    other = steps("starting", "agent_rejected", conversation="b")
    assert ended(journey(Step(0.0, "accepted"), *one, *other))


def test_faults_are_told_from_ends() -> None:
    """A refusal by a rule is an end; a lost post or a failed run is a fault."""
    assert faults(journey(*steps("not_allowed"))) == ()
    assert faults(journey(*steps("starting", "agent_rejected"))) == ("agent_rejected",)
    assert faults(journey(Step(1.0, "run_ended", "run_failed"))) == ("run_failed",)
    assert faults(journey(*steps(*ANSWERED), parts=(PartState.UNKNOWN,))) == ("part 0 unknown: ",)


def test_every_reason_is_an_end_or_not() -> None:
    """No reason leaves `threadline replay` without a verdict."""
    assert all(isinstance(ended(journey(*steps(reason))), bool) for reason in Reason)
