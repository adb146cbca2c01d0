"""The extension for VS Code: its files, and the program that it starts. `.ci/editors` has the tests of an editor."""

from __future__ import annotations

import zipfile

from .common import Context, Program, Skipped, expect, folder

NAMES = ("extension/package.json", "extension/dist/extension.js", "extension/THIRD-PARTY-NOTICES.txt")


def trial(context: Context) -> None:
    """The bundled script and the licenses are there, and the program in it is the one of this release."""
    if not list(context.out.glob("*.vsix")):
        raise Skipped("there is no extension among the artifacts: `tools/dist extension` needs Node 20")
    path = context.file(f"proofmark-{{v}}-{context.platform.name}.vsix")
    program = f"extension/bin/proofmark{context.platform.suffix}"
    with folder() as work:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            missing = sorted({*NAMES, program} - names)
            expect(not missing, f"the extension does not have {missing}")
            archive.extract(program, work)
            mode = archive.getinfo(program).external_attr >> 16 & 0o777
        expect(not context.platform.is_linux or mode & 0o100, f"the program cannot be run: its mode is {mode:o}")
        (work / program).chmod(0o755)
        context.same(Program([work / program]), work)
