"""The script of the GitHub action, with the environment of a runner: it installs from a release and reports what `check` reports."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..workspace import ROOT, version
from .common import Context, clean_environment, documents, expect, folder
from .hooks import BROKEN, git, repository

SCRIPT = ROOT / "packaging" / "action" / "run.sh"


@dataclass
class Outcome:
    """What a run of the action leaves."""

    code: int
    annotations: str
    outputs: dict[str, str]
    summary: str


def release(context: Context, at: Path) -> Path:
    """A release with the artifacts, as the releases of a repository are laid out."""
    folder_of_version = at / f"v{version()}"
    folder_of_version.mkdir(parents=True)
    for name in (context.file(f"proofmark-{{v}}-{context.platform.triple}.*").name, "SHA256SUMS"):
        shutil.copy(context.out / name, folder_of_version)
    return folder_of_version


def run(context: Context, work: Path, at: Path, **inputs: str) -> Outcome:
    """Runs the script as `action.yml` does."""
    runner = work / "runner"
    shutil.rmtree(runner, ignore_errors=True)
    runner.mkdir()
    systems = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}
    system, processor = context.platform.npm
    environment = clean_environment(
        GITHUB_ACTION_PATH=str(ROOT),
        GITHUB_OUTPUT=str(runner / "output"),
        GITHUB_STEP_SUMMARY=str(runner / "summary"),
        GITHUB_ACTIONS="true",
        RUNNER_TEMP=str(runner),
        RUNNER_OS=systems[system],
        RUNNER_ARCH=processor.upper(),
        PROOFMARK_RELEASES=(work / "releases").as_uri(),
        INPUT_VERSION=version(),
        **inputs,
    )
    done = subprocess.run(
        ["bash", SCRIPT],
        cwd=at,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    output = (runner / "output").read_text() if (runner / "output").exists() else ""
    summary = (runner / "summary").read_text() if (runner / "summary").exists() else ""
    return Outcome(done.returncode, done.stdout, dict(line.split("=", 1) for line in output.splitlines()), summary)


def _everything(context: Context, work: Path) -> None:
    at = documents(work)
    outcome = run(context, work, at, INPUT_PATHS="markdown mermaid", INPUT_SUMMARY="true")
    words = ["check", "markdown", "mermaid", "--format"]
    code, annotations = context.plain.run([*words, "github"], at)
    expect(
        outcome.code == 0 and outcome.outputs["exit-code"] == str(code) == "1", f"the exit code is {outcome.outputs}"
    )
    expect(outcome.annotations == annotations.decode(), "the annotations differ from those of the command")
    sarif = Path(outcome.outputs["sarif"]).read_bytes()
    expect(sarif == context.plain.run([*words, "sarif"], at)[1], "the SARIF report differs from that of the command")
    expect(
        outcome.summary == context.plain.run([*words, "markdown"], at)[1].decode(),
        "the summary differs from the report",
    )
    report = context.plain.run([*words, "jsonl"], at)[1].decode()
    expect(int(outcome.outputs["findings"]) == report.count('"fingerprint"'), f"{outcome.outputs['findings']} findings")
    clean = run(context, work, at, INPUT_PATHS="markdown", INPUT_ARGUMENTS="--exit-zero --select YM101")
    expect(clean.outputs["exit-code"] == "0", f"with arguments the exit code is {clean.outputs['exit-code']}")


def _changes(context: Context, work: Path) -> None:
    at = work / "changes"
    repository(at, {"old.md": BROKEN, "docs/a.md": "# A\n", "main.py": "print(1)\n"})
    since = git(at, "rev-parse", "HEAD").strip()
    (at / "docs/new file.md").write_text(BROKEN)
    (at / "main.py").write_text("print(2)\n")
    (at / "docs/a.md").unlink()
    git(at, "add", "--all")
    git(at, "commit", "--quiet", "--message", "Change files")
    outcome = run(context, work, at, INPUT_CHANGED_ONLY="true", CHANGED_SINCE=since)
    expect(
        outcome.outputs["files"] == "1" and outcome.outputs["exit-code"] == "1", f"of the changes: {outcome.outputs}"
    )
    expect("docs/new file.md" in outcome.annotations and "old.md" not in outcome.annotations, outcome.annotations)
    same = git(at, "rev-parse", "HEAD").strip()
    outcome = run(context, work, at, INPUT_CHANGED_ONLY="true", CHANGED_SINCE=same)
    expect(
        outcome.outputs["files"] == "0" and outcome.outputs["exit-code"] == "0", f"without changes: {outcome.outputs}"
    )
    outcome = run(context, work, at, INPUT_CHANGED_ONLY="true", CHANGED_SINCE="0" * 40)
    expect(
        outcome.outputs["files"] == "2" and "::notice" in outcome.annotations, f"for a new branch: {outcome.outputs}"
    )


def trial(context: Context) -> None:
    """Annotations, SARIF, summary and outputs, changed files only, and a release with another hash."""
    with folder() as work:
        released = release(context, work / "releases")
        _everything(context, work)
        _changes(context, work)
        archive = next(path for path in released.iterdir() if path.name != "SHA256SUMS")
        with archive.open("ab") as file:
            file.write(b"x")
        outcome = run(context, work, work / "documents", INPUT_PATHS="markdown")
        expect(
            outcome.code == 2 and "does not have the hash" in outcome.annotations,
            f"a changed archive was run: {outcome}",
        )
