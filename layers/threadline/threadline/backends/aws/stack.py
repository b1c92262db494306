"""A deployed stack as a person's machine sees it: its outputs name its resources."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from threadline.backends.aws import names
from threadline.backends.aws.errors import code_of
from threadline.core.errors import StoreUnavailable

if TYPE_CHECKING:
    import boto3


def outputs(session: "boto3.Session", stack: str) -> Mapping[str, str]:
    """Read a stack's outputs. Raises StoreUnavailable where there is no such stack of ours."""
    try:
        answer = session.client("cloudformation").describe_stacks(StackName=stack)
    except (BotoCoreError, ClientError) as error:
        raise StoreUnavailable(f"the stack {stack} cannot be read: {code_of(error)}") from None
    listed = answer["Stacks"][0].get("Outputs", [])
    found = {str(one["OutputKey"]): str(one["OutputValue"]) for one in listed}
    if absent := [name for name in names.OUTPUTS if not found.get(name)]:
        raise StoreUnavailable(f"the stack {stack} does not name its {', '.join(absent)}")
    return found


def environ(outputs: Mapping[str, str]) -> Mapping[str, str]:
    """Give what the environment of the stack's functions says of the same resources."""
    return {variable: outputs[name] for name, variable in names.OUTPUTS.items()}
