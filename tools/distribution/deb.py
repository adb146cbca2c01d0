"""Packages for Debian and its relatives. The programs are static, so the packages depend on nothing."""

from __future__ import annotations

import hashlib
import textwrap
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from .companions import completions, licenses, man_pages, worker_page
from .packing import Entry, ar, gzipped, tar, with_parents, xz
from .programs import PROOFMARK, WORKER
from .workspace import ROOT, DistError, Options, description, repository, timestamp, version

MAINTAINER = "Proofmark maintainers <maintainers@proofmark.dev>"
# Where Debian's shells look.
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/proofmark",
    "zsh": "usr/share/zsh/vendor-completions/_proofmark",
    "fish": "usr/share/fish/vendor_completions.d/proofmark.fish",
}
ABOUT = {
    PROOFMARK: "Proofmark reads Markdown with metadata, Quarto, Mermaid, Org, YAML, JSON and TOML, reports errors with "
    "their position and their fix, and serves editors (LSP) and agents (MCP).",
    WORKER: "The program that lays out documents for `proofmark render` and `proofmark draw`.",
}


def _copyright(package: str, options: Options) -> Entry:
    head = (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: proofmark\nSource: {repository()}\n\n"
        "Files: *\nCopyright: 2026 The Proofmark authors\nLicense: MIT or Apache-2.0\n"
        " Both are in this folder: LICENSE-MIT, LICENSE-APACHE.\n"
        " THIRD-PARTY-NOTICES.txt.gz has the licenses of what the program contains.\n"
    )
    return Entry(f"usr/share/doc/{package}/copyright", head.encode())


def _changelog(package: str) -> Entry:
    day = format_datetime(datetime.fromtimestamp(timestamp(), UTC))
    text = f"{package} ({version()}) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- {MAINTAINER}  {day}\n"
    return Entry(f"usr/share/doc/{package}/changelog.gz", gzipped(text.encode()))


def files(package: str, options: Options) -> list[Entry]:
    """The files that a package installs."""
    doc = f"usr/share/doc/{package}"
    found = [Entry.of(f"usr/bin/{package}", options.program(package), executable=True), _copyright(package, options)]
    found.append(_changelog(package))
    for text in licenses(package, options):
        is_long = text.path.startswith("THIRD")
        found.append(
            Entry(f"{doc}/{text.path}{'.gz' if is_long else ''}", gzipped(text.content) if is_long else text.content)
        )
    pages = man_pages(options) if package == PROOFMARK else [worker_page()]
    found += [Entry(f"usr/share/man/man1/{page.path}.gz", gzipped(page.content)) for page in pages]
    if package == PROOFMARK:
        scripts = completions(options)
        found += [Entry(path, scripts[shell]) for shell, path in COMPLETIONS.items()]
        found.append(Entry(f"{doc}/CHANGELOG.md.gz", gzipped((ROOT / "CHANGELOG.md").read_bytes())))
    return found


def control(package: str, installed: int, options: Options) -> str:
    """The description of a package; its size is in kibibytes."""
    relation = f"Suggests: {WORKER}" if package == PROOFMARK else f"Enhances: {PROOFMARK}"
    short = description().split(":")[0] if package == PROOFMARK else "render worker of Proofmark"
    return (
        f"Package: {package}\nVersion: {version()}\nArchitecture: {options.platform.debian}\n"
        f"Maintainer: {MAINTAINER}\nInstalled-Size: {installed}\n{relation}\n"
        f"Section: text\nPriority: optional\nHomepage: {repository()}\n"
        f"Description: {short}\n{textwrap.fill(ABOUT[package], 78, initial_indent=' ', subsequent_indent=' ')}\n"
    )


def build(options: Options) -> list[Path]:
    """Makes the package of the program, and with `--render` that of the worker."""
    if options.platform.debian is None:
        raise DistError(f"Debian has no architecture for {options.platform.name}")
    made = []
    for package in [PROOFMARK, WORKER] if options.render else [PROOFMARK]:
        content = files(package, options)
        sums = "".join(f"{hashlib.md5(one.content).hexdigest()}  {one.path}\n" for one in content)
        size = sum(len(one.content) for one in content) // 1024 + 1
        about = [Entry("./control", control(package, size, options).encode()), Entry("./md5sums", sums.encode())]
        members = [
            ("debian-binary", b"2.0\n"),
            ("control.tar.gz", gzipped(tar(about))),
            ("data.tar.xz", xz(tar(with_parents(content), prefix="./"))),
        ]
        path = options.out / f"{package}_{version()}_{options.platform.debian}.deb"
        path.write_bytes(ar(members))
        made.append(path)
    return made
