"""The extension for VS Code, where the checkout has one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from .companions import licenses
from .programs import PROOFMARK
from .workspace import ROOT, DistError, Options, run, version

SOURCE = ROOT / "editors" / "vscode"


def build(options: Options) -> list[Path]:
    """Packs the extension with the program of this platform."""
    if not (SOURCE / "package.json").is_file():
        print("SKIPPED: extension: there is no editors/vscode", file=sys.stderr)
        return []
    if shutil.which("npm") is None:
        raise DistError("the extension needs Node with npm")
    stage = options.staging / "vscode"
    shutil.rmtree(stage, ignore_errors=True)
    # What an earlier build left in the checkout is not packed.
    shutil.copytree(SOURCE, stage, ignore=shutil.ignore_patterns("node_modules", "bin", "dist", "LICENSE.txt", "*.vsix"))
    for text in licenses(PROOFMARK, options):
        (stage / text.path).write_bytes(text.content)
    program = stage / "bin" / f"{PROOFMARK}{options.platform.suffix}"
    program.parent.mkdir()
    shutil.copy2(options.program(PROOFMARK), program)
    run(["npm", "ci", "--no-audit", "--no-fund"], cwd=stage)
    path = options.out / f"{PROOFMARK}-{version()}-{options.platform.name}.vsix"
    run(["npm", "run", "package", "--", "--target", options.platform.name, "--out", path], cwd=stage)
    return [path]
