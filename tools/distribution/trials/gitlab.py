"""The component for GitLab, run by `gitlab-ci-local` with the shell of this machine in place of the image."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from ..workspace import ROOT
from .common import Context, Skipped, clean_environment, expect, folder, need
from .hooks import BROKEN, repository

COMPONENT = ROOT / "packaging" / "gitlab" / "templates" / "proofmark.yml"


def trial(context: Context) -> None:
    """The job fails for a broken document, and its report is that of the command."""
    runner = need("gitlab-ci-local")
    need("rsync")
    if subprocess.run([runner, "--version"], capture_output=True, check=False).returncode:
        raise Skipped("`gitlab-ci-local` does not start; it needs Node 22")
    with folder() as work:
        project = work / "project"
        include = "include:\n  - local: templates/proofmark.yml\n    inputs: {paths: docs}\n"
        files = {".gitlab-ci.yml": include, "templates/proofmark.yml": COMPONENT.read_text(), "docs/plan.md": BROKEN}
        repository(project, files)
        (work / "bin").mkdir()
        shutil.copy2(str(context.plain.command[0]), work / "bin" / "proofmark")
        environment = clean_environment(PATH=f"{work / 'bin'}:{os.environ['PATH']}")
        words = [runner, "--force-shell-executor", "--no-color", "proofmark"]
        done = subprocess.run(
            words,
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        expect(done.returncode != 0 and "YM101" in done.stdout, f"the job does not report the finding:\n{done.stdout}")
        found = list(Path(project).rglob("gl-code-quality-report.json"))
        expect(len(found) >= 1, f"the job left no report:\n{done.stdout}")
        _, expected = context.plain.run(["check", "docs", "--format", "gitlab"], project)
        expect(found[0].read_bytes() == expected, "the report differs from that of the command")
