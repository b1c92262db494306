"""Where a stack's image rests: a repository of the account's own registry (ECR).

https://docs.aws.amazon.com/AmazonECR/latest/APIReference/Welcome.html
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError, NoRegionError

from threadline.backends.aws.errors import code_of
from threadline.core.errors import ThreadlineError

if TYPE_CHECKING:
    import boto3

KEPT: Final = 20
NOT_KNOWN: Final = "RepositoryNotFoundException"
EXPIRES: Final = {
    "rules": [
        {
            "rulePriority": 1,
            "description": f"the newest {KEPT} stay",
            "selection": {
                "tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": KEPT,
            },
            "action": {"type": "expire"},
        }
    ]
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Registry:
    """One repository of the account and region that a session works in."""

    session: "boto3.Session"
    name: str

    @property
    def host(self) -> str:
        """The address of the account's registry. Raises ThreadlineError."""
        with _told("sts:GetCallerIdentity"):
            account = self.session.client("sts").get_caller_identity()["Account"]
        region = str(self.session.region_name)
        partition = self.session.get_partition_for_region(region)
        suffix = "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com"
        return f"{account}.dkr.ecr.{region}.{suffix}"

    def make(self) -> bool:
        """Make the repository where it is not there; tell whether it was not.

        Its tags never move and it forgets old images. Raises ThreadlineError.
        """
        ecr = self._client()
        try:
            with _told("ecr:DescribeRepositories", but=NOT_KNOWN):
                ecr.describe_repositories(repositoryNames=[self.name])
        except ClientError:
            with _told("ecr:CreateRepository"):
                ecr.create_repository(
                    repositoryName=self.name, imageTagMutability="IMMUTABLE",
                    imageScanningConfiguration={"scanOnPush": True},
                )  # fmt: skip
            with _told("ecr:PutLifecyclePolicy"):
                policy = json.dumps(EXPIRES)
                ecr.put_lifecycle_policy(repositoryName=self.name, lifecyclePolicyText=policy)
            return True
        return False

    def password(self) -> str:
        """Give what the user `AWS` logs in with for twelve hours. Raises ThreadlineError."""
        with _told("ecr:GetAuthorizationToken"):
            (granted,) = self._client().get_authorization_token()["authorizationData"]
        return base64.b64decode(granted["authorizationToken"]).decode().partition(":")[2]

    def digest(self, tag: str) -> str:
        """Give the digest of the image that bears a tag. Raises ThreadlineError."""
        with _told("ecr:DescribeImages"):
            (image,) = self._client().describe_images(
                repositoryName=self.name, imageIds=[{"imageTag": tag}]
            )["imageDetails"]
        return str(image["imageDigest"])

    def _client(self) -> Any:
        return self.session.client("ecr")


@contextmanager
def _told(action: str, but: str = "") -> Iterator[None]:
    """Turn what AWS refuses into a line for a person; an error with the code `but` stays."""
    try:
        yield
    except NoRegionError:
        raise ThreadlineError("no AWS region: export AWS_DEFAULT_REGION=eu-central-1") from None
    except (BotoCoreError, ClientError) as error:
        code = code_of(error)
        if code == but:
            raise
        raise ThreadlineError(
            f"AWS does not let us call {action} ({code}):"
            " does `aws sts get-caller-identity` answer, and may you do that?"
        ) from None
