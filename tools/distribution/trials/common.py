"""What all trials use: the plain program, an installed one, and the tasks that both must do alike."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..workspace import ROOT, Platform, version
from . import protocol

EXAMPLES = ("markdown", "mermaid", "quarto", "org", "qtype", "json", "toml")


class TrialError(AssertionError):
    """An artifact does not do what it must do."""


class Skipped(Exception):
    """A trial that cannot be done here; the message says what is missing."""


def expect(condition: object, message: str) -> None:
    """Fails the trial unless the condition holds."""
    if not condition:
        raise TrialError(message)


def need(tool: str) -> str:
    """The path of a tool without which the trial cannot be done."""
    found = shutil.which(tool)
    if found is None:
        raise Skipped(f"`{tool}` is not installed")
    return found


def note(message: str) -> None:
    """Reports a part of a trial that cannot be done here."""
    print(f"  SKIPPED: {message}", file=sys.stderr)


def succeeds(command: list, **options) -> str:
    """Runs a program that must succeed; its output, with standard error."""
    words = [str(word) for word in command]
    options = {"stdin": subprocess.DEVNULL, "text": True, "check": False, **options}
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    expect(done.returncode == 0, f"`{' '.join(words)}` ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


@contextmanager
def folder() -> Iterator[Path]:
    """An empty folder for as long as it is used."""
    with tempfile.TemporaryDirectory(prefix="proofmark-trial-") as path:
        yield Path(path)


def clean_environment(**variables: str) -> dict[str, str]:
    """An environment in which nothing of this checkout is found."""
    kept = ("HOME", "LANG", "PATH", "TMPDIR", "SSL_CERT_FILE", "PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX")
    base = {name: os.environ[name] for name in kept if name in os.environ}
    return {**base, "NO_COLOR": "1", "COLUMNS": "120", "SOURCE_DATE_EPOCH": "1700000000", **variables}


@dataclass
class Program:
    """An installed `proofmark`: how it is started. With a root, it runs in a container's files as a user without rights."""

    command: list
    environment: dict[str, str] = field(default_factory=clean_environment)
    root: Path | None = None
    user: int = 0

    def words(self, arguments: list[str]) -> list[str]:
        """The whole command line."""
        return [*(str(word) for word in self.command), *arguments]

    def _options(self, folder: Path) -> dict:
        if self.root is None:
            return {"cwd": folder, "env": self.environment}

        def enter() -> None:
            os.chroot(self.root)
            os.chdir("/" + folder.relative_to(self.root).as_posix())
            os.setgid(self.user)
            os.setuid(self.user)

        return {"env": self.environment, "preexec_fn": enter}

    def start(self, arguments: list[str], folder: Path) -> subprocess.Popen:
        """Starts the program for a conversation over its standard input and output."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(self.words(arguments), **pipes, **self._options(folder))

    def run(self, arguments: list[str], folder: Path) -> tuple[int, bytes]:
        """Runs the program in a folder: its exit code and standard output."""
        code, output, _ = self.run_with_errors(arguments, folder)
        return code, output

    def run_with_errors(self, arguments: list[str], folder: Path) -> tuple[int, bytes, str]:
        """The same, with what it wrote to standard error."""
        options = {"stdin": subprocess.DEVNULL, "capture_output": True, "check": False, "timeout": 300}
        done = subprocess.run(self.words(arguments), **options, **self._options(folder))
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def documents(at: Path) -> Path:
    """A folder with the examples of the repository, some of them wrong, for the program to work on."""
    target = at / "documents"
    for name in EXAMPLES:
        shutil.copytree(ROOT / "examples" / name, target / name)
    for path in [target, *target.rglob("*")]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    return target


def contents(at: Path) -> dict[str, str]:
    """The hashes of all files in a folder."""
    files = sorted(path for path in at.rglob("*") if path.is_file())
    return {path.relative_to(at).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def results(program: Program, work: Path) -> dict[str, object]:
    """What a program answers to the tasks of every trial."""
    at = documents(work)
    found: dict[str, object] = {"version": program.run(["--version"], at)}
    found["check"] = program.run(["check", "--isolated", "--format", "json", "."], at)
    found["serve"] = protocol.mcp(program.start(["serve", "--isolated", "--root", "."], at))
    found["lsp"] = protocol.lsp(program.start(["lsp", "--isolated"], at))
    found["fix"] = program.run(["fix", "--isolated", "--quiet", "--format", "concise", "."], at)
    found["fixed"] = contents(at)
    shutil.rmtree(at)
    return found


def rendered(program: Program, work: Path) -> dict[str, object]:
    """What a program makes of a letter: nothing and an exit code, or pages."""
    at = work / "pages"
    at.mkdir()
    at.chmod(0o777)
    shutil.copy(ROOT / "examples" / "letter.md", at)
    code, _ = program.run(["render", "letter.md", "--format", "svg", "--date", "2026-01-01"], at)
    pages = {name: digest for name, digest in contents(at).items() if name.endswith(".svg")}
    shutil.rmtree(at)
    return {"code": code, "pages": pages}


@dataclass
class Context:
    """What the trials of a run share."""

    out: Path
    platform: Platform
    plain: Program
    render: bool
    expected: dict[str, object] = field(default_factory=dict)
    expected_pages: dict[str, object] = field(default_factory=dict)

    def file(self, pattern: str) -> Path:
        """The one artifact whose name matches the pattern; `{v}` is the version."""
        found = sorted(self.out.glob(pattern.replace("{v}", version())))
        expect(len(found) == 1, f"{len(found)} files in {self.out} match {pattern}, not 1")
        return found[0]

    def same(self, program: Program, work: Path) -> None:
        """Compares an installed program with the plain one."""
        if not self.expected:
            with folder() as own:
                self.expected = results(self.plain, own)
            expect(self.expected["check"][0] == 1, "the examples have findings")
            expect(self.expected["fix"][0] in (0, 1), "the examples can be fixed")
        found = results(program, work)
        for task, value in self.expected.items():
            expect(
                found[task] == value,
                f"`{task}` differs from the plain program:\n{_shown(value)}\n---\n{_shown(found[task])}",
            )

    def renders(self, program: Program, work: Path) -> None:
        """Compares the pages of an installed program with those of the plain one."""
        if not self.expected_pages:
            with folder() as own:
                self.expected_pages = rendered(self.plain, own)
            expect(self.expected_pages["pages"], "the plain program renders the letter")
        expect(rendered(program, work) == self.expected_pages, "`render` differs from the plain program")

    def cannot_render(self, program: Program, work: Path, hint: str) -> None:
        """Expects a program without a worker to say how to install it."""
        at = work / "no-worker"
        at.mkdir()
        at.chmod(0o777)
        shutil.copy(ROOT / "examples" / "letter.md", at)
        code, _, errors = program.run_with_errors(["render", "letter.md"], at)
        expect(code == 2, f"`render` without a worker ends with {code}, not 2")
        expect(hint in errors, f"`render` without a worker does not say `{hint}`:\n{errors}")
        shutil.rmtree(at)


def _shown(value: object) -> str:
    if isinstance(value, tuple) and isinstance(value[1], bytes):
        return f"{value[0]} {value[1].decode(errors='replace')[:1500]}"
    return repr(value)[:1500]
