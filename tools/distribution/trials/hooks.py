"""The hooks in a repository with a broken document, under pre-commit and prek."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ..workspace import ROOT
from .common import Context, clean_environment, expect, folder, need, succeeds

BROKEN = "---\ntitle: Part 1: the plan\n---\n\n# Plan\n"
FIXED = '---\ntitle: "Part 1: the plan"\n---\n\n# Plan\n'
# What a framework reads and installs of this repository.
HOOK_FILES = (".pre-commit-hooks.yaml", "pyproject.toml")


def git(at: Path, *words: str) -> str:
    """Runs git in a folder, with an identity that no one has."""
    identity = ["-c", "user.name=trial", "-c", "user.email=trial@example.org", "-c", "commit.gpgsign=false"]
    return succeeds(["git", *identity, *words], cwd=at)


def repository(at: Path, files: dict[str, str]) -> None:
    """A repository with one commit."""
    at.mkdir()
    git(at, "init", "--quiet", "--initial-branch", "main")
    for name, content in files.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_text(content)
    git(at, "add", "--all")
    git(at, "commit", "--quiet", "--message", "Add files")


def _framework(context: Context, tool: str) -> None:
    runner = need(tool)
    with folder() as work:
        repository(work / "hooks", {name: (ROOT / name).read_text() for name in HOOK_FILES})
        git(work / "hooks", "tag", "v0")
        hooks = "".join(f"      - id: {name}\n" for name in ("proofmark-fix", "proofmark", "proofmark-snapshot"))
        configuration = f"repos:\n  - repo: {work / 'hooks'}\n    rev: v0\n    hooks:\n{hooks}"
        # The source file is of a kind that Proofmark does not read: a hook must not stumble over it.
        files = {"plan.md": BROKEN, "main.py": "print(1)\n", ".pre-commit-config.yaml": configuration}
        repository(work / "project", files)
        links = str(context.out)
        environment = clean_environment(
            PRE_COMMIT_HOME=str(work / "cache"),
            PREK_HOME=str(work / "cache"),
            UV_CACHE_DIR=str(work / "uv"),
            PIP_FIND_LINKS=links,
            UV_FIND_LINKS=links,
        )

        def run(*words: str) -> tuple[int, str]:
            done = subprocess.run(
                [runner, "run", "--all-files", *words],
                cwd=work / "project",
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout

        code, output = run("proofmark")
        expect(code == 1 and "YM101" in output, f"the check does not fail for the broken file:\n{output}")
        code, output = run("proofmark-fix")
        expect(
            code == 1 and (work / "project/plan.md").read_text() == FIXED,
            f"the fix does not repair the file:\n{output}",
        )
        git(work / "project", "add", "--all")
        for name in ("proofmark-fix", "proofmark"):
            code, output = run(name)
            expect(code == 0, f"{name} fails in the second run:\n{output}")
        code, output = run("proofmark-snapshot")
        expect(code == 1, f"the snapshot does not fail without a committed one:\n{output}")


def trial_pre_commit(context: Context) -> None:
    """The hooks under pre-commit."""
    _framework(context, "pre-commit")


def trial_prek(context: Context) -> None:
    """The hooks under prek."""
    _framework(context, "prek")
