"""Archives of the programs: tar.gz, on Windows zip, with man pages, completions and licenses."""

from __future__ import annotations

from pathlib import Path

from .companions import SHELLS, completions, licenses, man_pages, worker_page
from .packing import Entry, gzipped, tar, with_parents, zipped
from .programs import PROOFMARK, WORKER
from .workspace import ROOT, Options, version


def name(package: str, options: Options) -> str:
    """The name of an archive and of the folder in it; tools that install programs look for the triple."""
    return f"{package}-{version()}-{options.platform.triple}"


def entries(package: str, options: Options) -> list[Entry]:
    """The files of an archive, below its folder."""
    program = f"{package}{options.platform.suffix}"
    found = [Entry.of(program, options.program(package), executable=True), *licenses(package, options)]
    if package == WORKER:
        return [*found, Entry(f"man/{worker_page().path}", worker_page().content)]
    found += [Entry.of(one, ROOT / one) for one in ("README.md", "CHANGELOG.md")]
    found += [Entry(f"man/{page.path}", page.content) for page in man_pages(options)]
    scripts = completions(options)
    return found + [Entry(f"completions/{SHELLS[shell]}", scripts[shell]) for shell in SHELLS]


def build(options: Options) -> list[Path]:
    """Makes the archive of the program, and with `--render` that of the worker."""
    made = []
    for package in [PROOFMARK, WORKER] if options.render else [PROOFMARK]:
        base = name(package, options)
        files = [Entry(f"{base}/{one.path}", one.content, one.mode) for one in entries(package, options)]
        if options.platform.suffix:
            path, content = options.out / f"{base}.zip", zipped(sorted(files, key=lambda one: one.path))
        else:
            path, content = options.out / f"{base}.tar.gz", gzipped(tar(with_parents(files)))
        path.write_bytes(content)
        made.append(path)
    return made
