"""A deployed stack as a person's machine sees it: its outputs name its resources."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from threadline.backends.aws import names
from threadline.backends.aws.errors import code_of
from threadline.core.errors import StoreUnavailable

if TYPE_CHECKING:
    import boto3


@dataclass(frozen=True, slots=True)
class Described:
    """How a stack stands and what it names."""

    status: str
    outputs: Mapping[str, str]


def described(session: "boto3.Session", stack: str) -> Described:
    """Read a stack. Raises StoreUnavailable where there is none."""
    try:
        answer = session.client("cloudformation").describe_stacks(StackName=stack)
    except (BotoCoreError, ClientError) as error:
        raise StoreUnavailable(f"the stack {stack} cannot be read: {code_of(error)}") from None
    (one,) = answer["Stacks"][:1]
    listed = one.get("Outputs", [])
    found = {str(output["OutputKey"]): str(output["OutputValue"]) for output in listed}
    return Described(str(one.get("StackStatus", "")), found)


def outputs(session: "boto3.Session", stack: str) -> Mapping[str, str]:
    """Read a stack's outputs. Raises StoreUnavailable where there is no such stack of ours."""
    found = described(session, stack).outputs
    if absent := lacking(found):
        raise StoreUnavailable(f"the stack {stack} does not name its {', '.join(absent)}")
    return found


def lacking(outputs: Mapping[str, str]) -> tuple[str, ...]:
    """Name the outputs that this version wants and a stack does not have."""
    return tuple(name for name in names.OUTPUTS if not outputs.get(name))


def environ(outputs: Mapping[str, str]) -> Mapping[str, str]:
    """Give what the environment of the stack's functions says of the same resources."""
    return {variable: outputs[name] for name, variable in names.OUTPUTS.items()}
