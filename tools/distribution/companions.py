"""The files beside a program: licenses, notices, man pages, completions."""

from __future__ import annotations

import os
import subprocess

from . import notices
from .packing import Entry
from .programs import PROOFMARK, WORKER
from .workspace import LICENSES, ROOT, DistError, Options

# What a shell calls the file with completions.
SHELLS = {"bash": "proofmark", "zsh": "_proofmark", "fish": "proofmark.fish", "powershell": "_proofmark.ps1"}


def licenses(package: str, options: Options) -> list[Entry]:
    """The licenses of Proofmark, and those of what a program contains."""
    own = [Entry.of(name, ROOT / name) for name in LICENSES]
    return [*own, Entry(notices.FILE, notices.text(package, options).encode())]


def _output(options: Options, *arguments: str) -> bytes:
    program = options.program(PROOFMARK)
    try:
        done = subprocess.run(
            [program, *arguments], capture_output=True, check=True, env={**os.environ, "NO_COLOR": "1"}
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise DistError(f"`{program.name} {' '.join(arguments)}` does not run here: {error}") from error
    return done.stdout


def completions(options: Options) -> dict[str, bytes]:
    """Completions, by shell."""
    return {shell: _output(options, "completions", shell) for shell in SHELLS}


def man_pages(options: Options) -> list[Entry]:
    """One man page per command."""
    pages = options.staging / "man"
    _output(options, "man", "--each", str(pages))
    return [Entry.of(path.name, path) for path in sorted(pages.glob("*.1"))]


def worker_page() -> Entry:
    """The man page of the render worker, which people never start: `proofmark-render.1` is that of `proofmark render`."""
    text = (
        '.TH proofmark-render-worker 1 "" "" "Proofmark"\n.SH NAME\nproofmark\\-render\\-worker \\- lays out documents for proofmark\n'
        ".SH DESCRIPTION\nThe render worker of\n.BR proofmark (1),\nwhich starts it to render documents and diagrams.\n"
    )
    return Entry(f"{WORKER}-worker.1", text.encode())
