"""A thin cut of the same on AWS's backends: moto is a hundred times slower than SQLite."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.faults.aws import KINDS_ON_AWS, ON_AWS, SchedulesOnAws
from tests.faults.runner import how
from tests.faults.single import Case, run, undisturbed

SCHEDULES = 15


def cut(operation: str) -> list[Case]:
    """Give a call of an operation for each kind of fault: in other turns, and other ones of each.

    The first calls have what repeating does not help with: nobody was told of anything yet.
    """
    turns = [one for one in ON_AWS if operation in undisturbed(one).points]
    turns.sort(key=lambda one: len(undisturbed(one).points))
    cases = []
    for turn, kind in enumerate(KINDS_ON_AWS):
        scenario = turns[turn % len(turns)]
        calls = [at for at, one in enumerate(undisturbed(scenario).points) if one == operation]
        cases.append(Case(scenario, calls[turn // 2 % len(calls)], kind))
    return cases


OPERATIONS = (
    "dynamodb.batch_get_item", "dynamodb.get_item", "dynamodb.put_item", "dynamodb.query",
    "dynamodb.transact_write_items", "s3.list_objects_v2",
    "secretsmanager.get_secret_value", "sqs.send_message_batch",
)  # fmt: skip


def test_every_operation_is_tried() -> None:
    """The cut names each operation of AWS's that a turn uses, and no other."""
    used = {point for one in ON_AWS for point in undisturbed(one).points}
    assert {f"aws.{one}" for one in OPERATIONS} == {one for one in used if one.startswith("aws.")}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_single_faults_break_nothing_on_aws(operation: str) -> None:
    """Whatever goes wrong with one call to AWS: one run, its answer once, nothing stuck."""
    outcomes = [run(case) for case in cut(f"aws.{operation}")]
    assert [(str(one.case), one.point, one.violations) for one in outcomes if one.violations] == []
    assert {one.point for one in outcomes} == {f"aws.{operation}"}


def test_schedules_break_nothing_on_aws() -> None:
    """Messages, edits, commands and faults in any order: the promise holds."""
    run_state_machine_as_test(SchedulesOnAws, settings=how(SCHEDULES))
