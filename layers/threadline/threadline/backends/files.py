"""Blobs and secrets as files."""

import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from threadline.backends.durable import make_folder, replace_file
from threadline.backends.limits import check_blob_name, plain_path
from threadline.core.errors import StoreError, StoreUnavailable
from threadline.core.http import BlobRef
from threadline.core.keys import escape, unescape
from threadline.core.ports import Clock

CACHED_SECONDS: Final = 60.0
_BLOB: Final = "~"
_LONGEST_PART: Final = 250


class FileBlobs:
    """Blobs under a folder, one file each.

    A folder and a blob may have the same name, as in S3: file names end in `~`, which no escaped
    part of a name does. `link` makes the address of a name for some seconds, where there is one.
    """

    def __init__(self, folder: Path, link: Callable[[str, int], str] | None = None) -> None:
        self._folder = folder
        self._link = link

    def put(self, name: str, body: bytes, mime: str = "application/octet-stream") -> BlobRef:
        path = self._path(name)
        with _as_store_error(f"blob {name}"):
            try:
                replace_file(path, body)
            except FileNotFoundError:
                # `expire` took the folder away in between.
                replace_file(path, body)
        return BlobRef(name, len(body), mime)

    def get(self, name: str) -> bytes | None:
        path = self._path(name)
        with _as_store_error(f"blob {name}"):
            try:
                return path.read_bytes()
            except FileNotFoundError:
                return None

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            with _as_store_error(f"blob {name}"):
                self._path(name).unlink(missing_ok=True)

    def names(self, prefix: str, limit: int = 1000) -> tuple[str, ...]:
        inside = prefix.rpartition("/")[0]
        if inside and not plain_path(inside):
            return ()
        folder = self._folder.joinpath(*map(escape, inside.split("/"))) if inside else self._folder
        with _as_store_error("blobs"):
            found = [self._name(path) for path in _files(folder) if path.name.endswith(_BLOB)]
        return tuple(sorted(name for name in found if name.startswith(prefix))[: max(limit, 0)])

    def link(self, name: str, seconds: int) -> str:
        check_blob_name(name)
        return self._link(name, seconds) if self._link else ""

    def expire(self, before: float) -> None:
        """Remove what was last put before this time, in the file system's own epoch seconds.

        Folders go once they have been empty and untouched as long.
        """
        with _as_store_error("blobs"):
            for inside, folders, names in os.walk(self._folder, topdown=False):
                for path in (Path(inside, name) for name in (*names, *folders)):
                    with suppress(FileNotFoundError):
                        if path.stat().st_mtime < before:
                            _remove(path)

    def _path(self, name: str) -> Path:
        check_blob_name(name)
        parts = [escape(part) for part in name.split("/")]
        if max(map(len, parts)) > _LONGEST_PART:
            raise ValueError("a part of a blob's name is too long for a file")
        return self._folder.joinpath(*parts[:-1], parts[-1] + _BLOB)

    def _name(self, path: Path) -> str:
        parts = path.relative_to(self._folder).as_posix().removesuffix(_BLOB).split("/")
        return "/".join(map(unescape, parts))


@dataclass(frozen=True, slots=True)
class _Cached:
    values: Mapping[str, str] = field(repr=False)
    read_at: float
    asked_fresh_at: float


class FileSecrets:
    """Secrets in one JSON file of mode 600: `{entry: {name: value}}`.

    Raises StoreError, naming the remedy and never a value, where others may read the file or it
    cannot be understood.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._cache: dict[str, _Cached] = {}

    def get(self, entry: str, *, fresh: bool = False) -> Mapping[str, str]:
        now = self._clock.now()
        with self._lock:
            cached = self._cache.get(entry)
            asked_fresh_at = cached.asked_fresh_at if cached else float("-inf")
            again = fresh and now - asked_fresh_at >= CACHED_SECONDS
            if cached and now - cached.read_at < CACHED_SECONDS and not again:
                return cached.values
            values = self._read().get(entry, {})
            self._cache[entry] = _Cached(values, now, now if again else asked_fresh_at)
            return values

    def put(self, entry: str, values: Mapping[str, str]) -> None:
        with self._lock, self._alone():
            kept = {**self._read(), entry: dict(values)}
            body = json.dumps(kept, indent=2, ensure_ascii=False, sort_keys=True).encode()
            with _as_store_error(str(self._path)):
                replace_file(self._path, body)
            self._cache.pop(entry, None)

    def entries(self) -> tuple[str, ...]:
        return tuple(sorted(self._read()))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from changing another entry in between."""
        with _as_store_error(str(self._path)):
            make_folder(self._path.parent)
            lock = os.open(self._path.with_name(self._path.name + ".lock"), os.O_CREAT, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            os.close(lock)

    def _read(self) -> Mapping[str, Mapping[str, str]]:
        with _as_store_error(str(self._path)):
            try:
                file = self._path.open("rb")
            except FileNotFoundError:
                return {}
            with file:
                if os.fstat(file.fileno()).st_mode & 0o077:
                    raise StoreError(
                        f"{self._path} is open to others and is not read: chmod 600 {self._path}"
                    )
                body = file.read()
        return _understood(body, self._path)


def _remove(path: Path) -> None:
    if path.is_dir():
        with suppress(OSError):
            path.rmdir()
    else:
        path.unlink()


def _files(folder: Path) -> Iterator[Path]:
    for inside, _, names in os.walk(folder):
        yield from (Path(inside, name) for name in names)


def _understood(body: bytes, path: Path) -> Mapping[str, Mapping[str, str]]:
    try:
        match json.loads(body):
            case dict(entries) if all(map(_is_entry, entries.values())):
                return entries
    except ValueError:
        pass
    # Raised outside the handler: what was read must not hang on the error.
    raise StoreError(f"{path} is not of the form {{entry: {{name: value}}}}")


def _is_entry(values: object) -> bool:
    return isinstance(values, dict) and all(isinstance(value, str) for value in values.values())


@contextmanager
def _as_store_error(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"{what}: {error.strerror}") from error
