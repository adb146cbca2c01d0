"""Where corpora and results are: a folder of this machine, or a URL of an object store or a server.

URLs (`s3://`, `gs://`, `https://`, `hf://`, ...) are read and written with fsspec, where it is installed. `file://` is a path.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Protocol, Union
from urllib.parse import unquote, urlsplit

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import TypeAlias

#: A path, or a URL that is not one of a file on this machine.
Location: TypeAlias = Union[Path, str]  # noqa: UP007 - it is evaluated by Python 3.10

#: Seconds after which a file that was not completed belongs to no process any more.
ABANDONED = 24 * 3600

#: What file systems say about the version of a file.
_VERSION = ("ETag", "etag", "mtime", "LastModified", "last_modified", "modified", "updated", "generation", "created", "blob_id")

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

#: Packages that fsspec needs for a scheme.
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "hf": "huggingface_hub", "http": "aiohttp", "https": "aiohttp"}


class NoFileSystem(ValueError):
    """A URL cannot be read, since what reads its scheme is not installed."""


@dataclass(frozen=True)
class Entry:
    """A file of a corpus, or a folder that cannot be read."""

    #: The path relative to the corpus, with `/`.
    name: str
    size: int
    #: Differs when the file has changed.
    changed: int
    #: Why it cannot be read.
    error: str | None = None


class Place(Protocol):
    """A folder with files, whose names are relative to it."""

    def entries(self, without: Location | None = None) -> Iterator[Entry]:
        """The files of a corpus, except those that are hidden or below the folder `without`."""
        ...

    def entry(self, name: str) -> Entry:
        """A file of a corpus."""
        ...

    def open(self, name: str) -> IO[bytes]:
        """A file to read."""
        ...

    def arrow_file(self, name: str) -> Any:
        """The same as pyarrow reads it best."""
        ...

    def names(self) -> list[str]:
        """The names of the files in the folder itself; none where it does not exist."""
        ...

    def writing(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """A file to write, which is there when it is complete, and not before."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        ...

    def remove_abandoned(self) -> None:
        """Remove what processes have left that were killed while they wrote."""
        ...


def location(text: str) -> Location:
    """The location that a user names by a path or a URL."""
    if not _SCHEME.match(text):
        return Path(text).absolute()
    parts = urlsplit(text)
    if parts.scheme.lower() == "file":
        if parts.netloc not in ("", "localhost"):
            raise ValueError(f"`{text}` names a file of another machine")
        return Path(unquote(parts.path)).absolute()
    return text.rstrip("/")


def at(place: Location) -> Place:
    """The folder at a location."""
    return _Local(place) if isinstance(place, Path) else _Remote(place)


def inside(folder: Location, name: str) -> Location:
    """The location with this name in a folder."""
    return folder / name if isinstance(folder, Path) else f"{folder}/{name}"


def same(one: Location, other: Location) -> bool:
    """Whether two locations are the same one."""
    if isinstance(one, Path) and isinstance(other, Path):
        return one.resolve() == other.resolve()
    return one == other


def corpus(place: Location, endings: tuple[str, ...]) -> tuple[Place, str | None]:
    """The folder of a corpus, and the name of its file where it is a single one. `endings` are those of data files."""
    if isinstance(place, Path):
        if place.is_dir():
            return _Local(place), None
        return _Local(place.parent), place.name
    remote = _Remote(place)
    # Servers cannot say what is a folder.
    if not place.endswith(endings) and remote.is_folder():
        return remote, None
    folder, _, name = place.rpartition("/")
    return _Remote(folder), name


class _Local:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entries(self, without: Location | None = None) -> Iterator[Entry]:
        yield from self._below(self._folder, without)

    def _below(self, folder: Path, without: Location | None) -> Iterator[Entry]:
        try:
            paths = sorted(folder.iterdir())
        except OSError as error:
            if folder == self._folder:
                raise
            yield Entry(self._name(folder), 0, 0, reason(error))
            return
        for path in paths:
            if path.name.startswith(".") or path == without:
                continue
            if path.is_dir():
                yield from self._below(path, without)
            elif path.is_file():
                yield self.entry(self._name(path))

    def _name(self, path: Path) -> str:
        return path.relative_to(self._folder).as_posix()

    def entry(self, name: str) -> Entry:
        state = (self._folder / name).stat()
        return Entry(name, state.st_size, state.st_mtime_ns)

    def open(self, name: str) -> IO[bytes]:
        return (self._folder / name).open("rb")

    def arrow_file(self, name: str) -> Any:
        return pa.OSFile(str(self._folder / name))

    def names(self) -> list[str]:
        try:
            return sorted(os.listdir(self._folder))
        except FileNotFoundError:
            return []

    @contextlib.contextmanager
    def writing(self, name: str) -> Generator[IO[bytes], None, None]:
        path = self._folder / name
        partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                with partial.open("wb") as file:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                partial.replace(path)
            finally:
                # A full disk must not hide the error that has ended the file.
                with contextlib.suppress(OSError):
                    partial.unlink(missing_ok=True)
        except OSError as error:
            if error.errno is None:
                raise
            raise OSError(error.errno, error.strerror, str(path)) from error

    def remove(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def remove_abandoned(self) -> None:
        for name in self.names():
            path = self._folder / name
            with contextlib.suppress(FileNotFoundError):
                if name.startswith(".part-") and time.time() - path.stat().st_mtime > ABANDONED:
                    path.unlink()


class _Remote:
    """A folder of a file system that fsspec reads."""

    def __init__(self, url: str) -> None:
        scheme = url.partition("://")[0]
        wanted = " ".join(dict.fromkeys(["fsspec", _PACKAGES.get(scheme.lower(), "fsspec")]))
        try:
            import fsspec.core
        except ImportError as error:
            raise NoFileSystem(
                f"`{url}` is a URL, and fsspec, which reads and writes URLs, is not installed\nhint: pip install {wanted}"
            ) from error
        try:
            self._files, root = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise NoFileSystem(f"`{url}` cannot be read: {error}\nhint: pip install {wanted}") from error
        self._url = url
        self._root: str = root.rstrip("/")

    def is_folder(self) -> bool:
        with self._named():
            return bool(self._files.isdir(self._root))

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextlib.contextmanager
    def _named(self, name: str = "") -> Generator[None, None, None]:
        """Clients of object stores raise errors of their own, which rarely have the URL."""
        try:
            yield
        except OSError as error:
            if error.errno is None:
                raise type(error)(f"{self._at(name)}: {error}") from error
            raise type(error)(error.errno, error.strerror, self._at(name)) from error
        except Exception as error:
            raise OSError(f"{self._at(name)}: {error}") from error

    def _at(self, name: str) -> str:
        return f"{self._url}/{name}" if name else self._url

    def entries(self, without: Location | None = None) -> Iterator[Entry]:
        left_out = f"{_Remote(without)._root}/" if isinstance(without, str) else None
        with self._named():
            found: dict[str, dict[str, Any]] = self._files.find(self._root, detail=True)
        for path, state in sorted(found.items()):
            name = path[len(self._root) :].lstrip("/")
            hidden = any(part.startswith(".") for part in PurePosixPath(name).parts)
            if not hidden and not (left_out and path.startswith(left_out)):
                yield _entry(name, state)

    def entry(self, name: str) -> Entry:
        with self._named(name):
            return _entry(name, self._files.info(self._path(name)))

    def open(self, name: str) -> IO[bytes]:
        with self._named(name):
            file: IO[bytes] = self._files.open(self._path(name), "rb")
        return file

    def arrow_file(self, name: str) -> Any:
        return pa.PythonFile(self.open(name), "r")

    def names(self) -> list[str]:
        self._files.invalidate_cache()
        try:
            with self._named():
                found = self._files.ls(self._root, detail=False)
        except FileNotFoundError:
            return []
        return sorted(str(path).rpartition("/")[2] for path in found)

    @contextlib.contextmanager
    def writing(self, name: str) -> Generator[IO[bytes], None, None]:
        # Object stores show a file when all of it is there, but would also keep the first half after an error.
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "complete"
            with path.open("wb") as file:
                yield file
            with self._named(name):
                self._files.makedirs(self._root, exist_ok=True)
                self._files.put_file(str(path), self._path(name))

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError), self._named(name):
            self._files.rm_file(self._path(name))

    def remove_abandoned(self) -> None:
        """Nothing: the files are written elsewhere first."""


def _entry(name: str, state: dict[str, Any]) -> Entry:
    version = json.dumps([str(state[key]) for key in _VERSION if state.get(key) is not None])
    return Entry(name, int(state.get("size") or 0), int(hashlib.sha256(version.encode()).hexdigest()[:15], 16))


def reason(error: Exception) -> str:
    """Why something cannot be read, without the path, which is known."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__

