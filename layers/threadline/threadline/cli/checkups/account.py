"""The account and the stack: who asks, how the stack stands, how much may run at once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from threadline.cli import state
from threadline.core.errors import StoreUnavailable
from threadline.core.setup import Finding

if TYPE_CHECKING:
    import boto3

    from threadline.core.settings import Settings

FEW_INVOCATIONS: Final = 50
"""Invocations at once below which watch and dispatch may hold each other up."""

SOUND: Final = frozenset({"CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE"})
UNDER_WAY: Final = "_IN_PROGRESS"
AMAZON: Final = (".amazonaws.com", ".amazonaws.com.cn")


def look() -> Iterator[Finding]:
    """Look at account, stack and quota. Raises StoreUnavailable where nobody may ask."""
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    from threadline.backends.aws.errors import code_of

    session = boto3.Session()
    try:
        who = session.client("sts").get_caller_identity()
        yield Finding("account", f"{who['Account']} in {session.region_name}")
        yield from _stack(session)
        limits = session.client("lambda").get_account_settings()["AccountLimit"]
    except (BotoCoreError, ClientError) as error:
        what = f"AWS cannot be asked: {code_of(error)}"
        raise StoreUnavailable(f"{what}; does `aws sts get-caller-identity` answer?") from None
    most = int(limits["ConcurrentExecutions"])
    remedy = "ask for more: Service Quotas, AWS Lambda, Concurrent executions"
    yield Finding("invocations at once", str(most), remedy if most < FEW_INVOCATIONS else "")


def _stack(session: "boto3.Session") -> Iterator[Finding]:
    from threadline.backends.aws import stack

    name = state.stack.get()
    found = stack.described(session, name)
    remedy = ""
    if found.status.endswith(UNDER_WAY):
        remedy = "a deployment is under way: wait for its end, then ask again"
    elif found.status not in SOUND:
        remedy = "CloudFormation, the stack's page, Events: the first that failed; deploy again"
    yield Finding("stack", f"{name} is {found.status}", remedy)
    if absent := stack.lacking(found.outputs):
        seen = f"without {', '.join(absent)}: deployed from another version"
        yield Finding("outputs", seen, "sam build && sam deploy")


def address(settings: "Settings") -> Iterator[Finding]:
    """Compare the address that the settings tell platforms with the stack's own."""
    from threadline.backends.aws.names import PUBLIC_URL

    own, told = state.outputs().get(PUBLIC_URL, ""), settings.public_url
    if told == own:
        yield Finding("address", own)
    elif _is_amazons(told):
        seen = f"the settings say {told or 'none'}, and the stack is at {own}"
        yield Finding("address", seen, state.command("config push"))
    else:
        yield Finding("address", f"{told}, which must lead to {own}")


def _is_amazons(address: str) -> bool:
    host = address.partition("//")[2].partition("/")[0]
    return not host or host.endswith(AMAZON)
