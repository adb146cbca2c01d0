"""Archives that are the same, byte for byte, for the same content: no clock, no user, and files in order."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import time
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .workspace import timestamp


@dataclass(frozen=True)
class Entry:
    """A file, folder or symbolic link in an archive; its path has `/` and is relative."""

    path: str
    content: bytes = b""
    mode: int = 0o644
    link: str | None = None
    is_folder: bool = False

    @classmethod
    def of(cls, path: str, file: Path, *, executable: bool = False) -> Entry:
        """A file with the content of another one."""
        return cls(path, file.read_bytes(), 0o755 if executable else 0o644)


def folder(path: str, mode: int = 0o755) -> Entry:
    """A folder of an archive."""
    return Entry(path, mode=mode, is_folder=True)


def tree(root: Path, at: str) -> list[Entry]:
    """The files below a folder, as entries below `at`."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return [Entry.of(f"{at}/{path.relative_to(root).as_posix()}", path) for path in files]


def with_parents(entries: Iterable[Entry]) -> list[Entry]:
    """The entries in order, each after the folders that contain it."""
    known: dict[str, Entry] = {entry.path: entry for entry in entries}
    for path in list(known):
        for parent in Path(path).parents:
            if parent != Path():
                known.setdefault(parent.as_posix(), folder(parent.as_posix()))
    return [known[path] for path in sorted(known)]


def tar(entries: Iterable[Entry], *, prefix: str = "") -> bytes:
    """An uncompressed tar archive."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry in entries:
            info = tarfile.TarInfo(prefix + entry.path)
            info.mtime, info.mode, info.size = timestamp(), entry.mode, len(entry.content)
            info.uname = info.gname = "root"
            if entry.is_folder:
                info.type, info.size = tarfile.DIRTYPE, 0
            elif entry.link is not None:
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, entry.link, 0o777
            archive.addfile(info, io.BytesIO(entry.content))
    return target.getvalue()


def gzipped(content: bytes) -> bytes:
    """The content, compressed, without a time."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def xz(content: bytes) -> bytes:
    """The content, compressed by xz: smaller than by gzip, and slower."""
    return lzma.compress(content, preset=9)


def zipped(entries: Iterable[Entry]) -> bytes:
    """A zip archive with the permissions of its files."""
    # The format has no times before 1980.
    moment = time.gmtime(max(timestamp(), 315_532_800))[:6]
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for entry in entries:
            info = zipfile.ZipInfo(entry.path, moment)
            info.create_system = 3
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100000 | entry.mode) << 16
            archive.writestr(info, entry.content)
    return target.getvalue()


def ar(members: Iterable[tuple[str, bytes]]) -> bytes:
    """An archive in the format of `ar`, which Debian's packages have."""
    parts = [b"!<arch>\n"]
    for name, content in members:
        header = f"{name:<16}{timestamp():<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
        parts += [header.encode("ascii"), content, b"\n" * (len(content) % 2)]
    return b"".join(parts)
