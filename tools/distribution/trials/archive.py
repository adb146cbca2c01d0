"""The archives, unpacked."""

from __future__ import annotations

import json
import shutil
import struct
import tarfile
import zipfile
from pathlib import Path

from ..release import RELEASE
from .common import Context, Program, expect, folder, note, succeeds

# The largest program, in bytes, of the profile that is released.
MOST = 36_000_000
SHELLS = {"bash": "proofmark", "zsh": "_proofmark", "fish": "proofmark.fish"}


def unpack(path: Path, at: Path) -> Path:
    """Unpacks an archive; the folder in it."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(at)
    else:
        with tarfile.open(path) as archive:
            archive.extractall(at, filter="data")
    return next(one for one in at.iterdir() if path.name.startswith(one.name))


def is_static(program: Path) -> bool:
    """Whether a program for Linux needs neither a loader nor libraries."""
    content = program.read_bytes()
    (offset,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    kinds = [struct.unpack_from("<I", content, offset + index * size)[0] for index in range(count)]
    interpreter = 3
    return content[:4] == b"\x7fELF" and interpreter not in kinds


def trial(context: Context) -> None:
    """The program and the files beside it."""
    with folder() as work:
        unpacked = unpack(context.file(f"proofmark-{{v}}-{context.platform.triple}.*"), work)
        names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}
        wanted = {"LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-NOTICES.txt", "README.md", "man/proofmark.1"}
        wanted |= {f"completions/{name}" for name in SHELLS.values()}
        expect(wanted <= names, f"the archive does not have {sorted(wanted - names)}")
        program = unpacked / f"proofmark{context.platform.suffix}"
        expect(not context.platform.is_linux or is_static(program), "the program is not static")
        if json.loads((context.out / RELEASE).read_text())["profile"] == "dist":
            expect(program.stat().st_size <= MOST, f"the program has {program.stat().st_size} bytes, more than {MOST}")
        context.same(Program([program]), work)
        for shell, name in SHELLS.items():
            if shutil.which(shell):
                succeeds([shell, "-n", unpacked / "completions" / name])
            else:
                note(f"`{shell}` is not installed")


def trial_render(context: Context) -> None:
    """The worker beside the program."""
    with folder() as work:
        unpacked = unpack(context.file(f"proofmark-{{v}}-{context.platform.triple}.*"), work)
        worker = unpack(context.file(f"proofmark-render-{{v}}-{context.platform.triple}.*"), work)
        name = f"proofmark-render{context.platform.suffix}"
        expect(not context.platform.is_linux or is_static(worker / name), "the worker is not static")
        shutil.move(worker / name, unpacked / name)
        context.renders(Program([unpacked / f"proofmark{context.platform.suffix}"]), work)
