"""The wheels in an empty virtual environment, without a package registry."""

from __future__ import annotations

import re
import shutil
import sys
import time
import venv
import zipfile
from pathlib import Path

from .common import Context, Program, clean_environment, expect, folder, note, succeeds

SECONDS = 5
GLIBC = (2, 17)


def install(context: Context, at: Path, *packages: str) -> Path:
    """A new environment with packages from the folder of artifacts and from nowhere else; the folder of its programs."""
    venv.create(at, with_pip=True)
    programs = at / ("Scripts" if sys.platform == "win32" else "bin")
    command = [
        programs / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--find-links",
        context.out,
        *packages,
    ]
    succeeds(command, env=clean_environment(PIP_DISABLE_PIP_VERSION_CHECK="1"))
    return programs


def newest_glibc(library: bytes) -> tuple[int, int]:
    """The newest version of glibc that a library asks for."""
    found = re.findall(rb"GLIBC_(\d+)\.(\d+)", library)
    return max((int(major), int(minor)) for major, minor in found)


def trial(context: Context) -> None:
    """The module, its commands, its size, and the C library that it needs."""
    wheel = context.file("proofmark_rs-{v}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for name in ("LICENSE-MIT", "LICENSE-APACHE", "LICENSE-THIRD-PARTY.txt"):
            expect(any(one.endswith(f"/licenses/{name}") for one in names), f"the wheel has no {name}")
        library = archive.read(next(one for one in names if one.endswith((".so", ".pyd"))))
    with folder() as work:
        start = time.monotonic()
        programs = install(context, work / "venv", "proofmark-rs")
        began = time.monotonic() - start
        program = Program([programs / "proofmark"])
        start = time.monotonic()
        (work / "a.md").write_text("---\ntitle: a: b\n---\n")
        expect(program.run(["check", "a.md"], work)[0] == 1, "the first check has findings")
        print(f"  environment and installation {began:.1f} s, first finding {time.monotonic() - start:.1f} s")
        context.same(program, work)
        for other in ([programs / "proofmark-rs"], [programs / "python", "-m", "proofmark_rs"]):
            expect(
                Program(other).run(["--version"], work) == program.run(["--version"], work),
                f"{other} is another program",
            )
        code = "import proofmark_rs as pm; print([one.id for one in pm.validate('---\\ntitle: a: b\\n---\\n', kind='markdown')])"
        expect("YM101" in succeeds([programs / "python", "-c", code], cwd=work), "the module finds YM101")
        context.cannot_render(program, work, "pip install 'proofmark-rs[render]'")
        if uvx := shutil.which("uvx"):
            command = [uvx, "--no-index", "--find-links", context.out, "proofmark-rs", "--version"]
            environment = clean_environment(UV_CACHE_DIR=str(work / "uv"))
            expect("proofmark" in succeeds(command, env=environment, cwd=work), "uvx starts the program")
        else:
            note("`uvx` is not installed")

    if context.platform.is_linux:
        expect(newest_glibc(library) <= GLIBC, f"the module needs glibc {newest_glibc(library)}")


def trial_render(context: Context) -> None:
    """The module with the package that it needs to render."""
    with folder() as work:
        programs = install(context, work / "venv", "proofmark-rs[render]")
        context.renders(Program([programs / "proofmark"]), work)
