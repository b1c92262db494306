"""Blobs in an S3 bucket."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import batched
from typing import TYPE_CHECKING, Final

from threadline.backends import limits
from threadline.backends.aws.patience import Patience, Unfinished
from threadline.core.http import BlobRef

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_s3.type_defs import ListObjectsV2RequestTypeDef

PAGE: Final = 1000


class S3Blobs:
    """Blobs as objects of one private bucket; a link is a presigned GET and needs no account.

    Without the right to list the bucket, S3 answers 403 for a name that is not there.
    """

    def __init__(self, client: S3Client, bucket: str, patience: Patience) -> None:
        self._client = client
        self._bucket = bucket
        self._patience = patience

    def put(self, name: str, body: bytes, mime: str = "application/octet-stream") -> BlobRef:
        limits.check_blob_name(name)
        store = partial(
            self._client.put_object, Bucket=self._bucket, Key=name, Body=body, ContentType=mime
        )
        self._patience.call("put blob", store)
        return BlobRef(name, len(body), mime)

    def get(self, name: str) -> bytes | None:
        limits.check_blob_name(name)

        def read() -> bytes | None:
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=name)
            except self._client.exceptions.NoSuchKey:
                return None
            with answer["Body"] as body:
                return body.read()

        return self._patience.call("get blob", read)

    def delete(self, names: Iterable[str]) -> None:
        wanted = tuple(names)
        for name in wanted:
            limits.check_blob_name(name)
        for batch in batched(wanted, PAGE, strict=False):
            self._patience.call("delete blobs", partial(self._delete, batch))

    def names(self, prefix: str, limit: int = 1000) -> tuple[str, ...]:
        asked: ListObjectsV2RequestTypeDef = {"Bucket": self._bucket, "Prefix": prefix}
        found: list[str] = []
        while len(found) < limit:
            asked["MaxKeys"] = min(limit - len(found), PAGE)
            page = partial(self._client.list_objects_v2, **asked)
            answer = self._patience.call("list blobs", page)
            found += [one["Key"] for one in answer.get("Contents", []) if "Key" in one]
            if not (token := answer.get("NextContinuationToken")):
                break
            asked["ContinuationToken"] = token
        return tuple(found)

    def link(self, name: str, seconds: int) -> str:
        limits.check_blob_name(name)
        return self._client.generate_presigned_url(
            "get_object", Params={"Bucket": self._bucket, "Key": name}, ExpiresIn=seconds
        )

    def _delete(self, names: Iterable[str]) -> None:
        answer = self._client.delete_objects(
            Bucket=self._bucket,
            Delete={"Objects": [{"Key": name} for name in names], "Quiet": True},
        )
        if failed := {one.get("Code", "unknown") for one in answer.get("Errors", [])}:
            raise Unfinished(", ".join(sorted(failed)))
