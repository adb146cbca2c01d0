"""The wheels: the module with the command line, and the render worker as a second package."""

from __future__ import annotations

import base64
import hashlib
import sys
from pathlib import Path

from . import notices
from .companions import licenses
from .packing import Entry, tree, zipped
from .programs import WORKER
from .workspace import ROOT, Options, repository, run, version

PYTHON = ROOT / "bindings" / "python"
SOURCE = ROOT / "packaging" / "python-render"


def module(options: Options) -> list[Path]:
    """Builds the module with maturin; on Linux, zig links it with glibc 2.17."""
    # A name that `license-files` of the package covers, whether the file is there or not.
    text = PYTHON / "LICENSE-THIRD-PARTY.txt"
    text.write_text(notices.text("proofmark-python", options))
    before = set(options.out.glob("proofmark_rs-*.whl"))
    try:
        if options.platform.is_linux:
            run([PYTHON / "wheel.sh", options.out], env={"PROFILE": options.profile})
        else:
            where = ["--profile", options.profile, "--target", options.platform.triple, "--out", options.out]
            run([sys.executable, "-m", "maturin", "build", "--locked", *where], cwd=PYTHON)
    finally:
        text.unlink()
    return sorted(set(options.out.glob("proofmark_rs-*.whl")) - before) or sorted(
        options.out.glob("proofmark_rs-*.whl")
    )


def _record(entries: list[Entry], path: str) -> Entry:
    lines = []
    for entry in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(entry.content).digest()).rstrip(b"=").decode()
        lines.append(f"{entry.path},sha256={digest},{len(entry.content)}\n")
    return Entry(path, "".join([*lines, f"{path},,\n"]).encode())


def worker(options: Options) -> Path:
    """Packs the render worker, which needs no compilation for Python."""
    name, tag = f"proofmark_render-{version()}", f"py3-none-{options.platform.wheel}"
    info = f"{name}.dist-info"
    companions = licenses(WORKER, options)
    head = [
        "Metadata-Version: 2.4",
        "Name: proofmark-render",
        f"Version: {version()}",
        "Summary: The render worker of Proofmark: PDF, SVG, PNG and HTML from valid documents",
        f"Project-URL: Repository, {repository()}",
        "License-Expression: MIT OR Apache-2.0",
        *(f"License-File: {one.path}" for one in companions),
        "Requires-Python: >=3.10",
        "Description-Content-Type: text/markdown",
    ]
    about = "\n".join(head) + "\n\n" + (SOURCE / "README.md").read_text()
    tags = [f"Tag: py3-none-{one}" for one in options.platform.wheel.split(".")]
    wheel = "\n".join(["Wheel-Version: 1.0", "Generator: tools/dist", "Root-Is-Purelib: false", *tags]) + "\n"
    entries = tree(SOURCE / "proofmark_render", "proofmark_render")
    program = f"proofmark_render/bin/{WORKER}{options.platform.suffix}"
    entries += [
        Entry.of(program, options.program(WORKER), executable=True),
        *(Entry(f"{info}/licenses/{one.path}", one.content) for one in companions),
        Entry(f"{info}/METADATA", about.encode()),
        Entry(f"{info}/WHEEL", wheel.encode()),
    ]
    path = options.out / f"{name}-{tag}.whl"
    path.write_bytes(zipped([*entries, _record(entries, f"{info}/RECORD")]))
    return path


def build(options: Options) -> list[Path]:
    """Makes the wheel of the module, and with `--render` that of the worker."""
    made = module(options)
    return [*made, worker(options)] if options.render else made
