"""The extension for VS Code, where the checkout has one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

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
    shutil.copytree(SOURCE, stage, ignore=shutil.ignore_patterns("node_modules", "bin", "dist", "*.vsix"))
    shutil.copy2(ROOT / "LICENSE-MIT", stage / "LICENSE.txt")
    program = stage / "bin" / f"{PROOFMARK}{options.platform.suffix}"
    program.parent.mkdir()
    shutil.copy2(options.program(PROOFMARK), program)
    run(["npm", "ci", "--no-audit", "--no-fund"], cwd=stage)
    run(["npm", "run", "check"], cwd=stage)
    run(["npm", "run", "bundle"], cwd=stage)
    path = options.out / f"{PROOFMARK}-{version()}-{options.platform.name}.vsix"
    names = ["--no-dependencies", "--allow-missing-repository", "--target", options.platform.name, "--out", path]
    run(["npx", "vsce", "package", *names], cwd=stage)
    return [path]
