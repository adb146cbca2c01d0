"""The npm packages: a launcher, and a package per platform with the program. Rendering is a second pair."""

from __future__ import annotations

import json
from pathlib import Path

from .companions import licenses
from .packing import Entry, gzipped, tar, tree
from .programs import PROOFMARK, WORKER
from .workspace import PLATFORMS, ROOT, Options, description, repository, version

SOURCES = ROOT / "packaging" / "npm"
# The launcher, the start of its platform packages' names, and the program in these.
FAMILIES = (("proofmark", "@proofmark/cli", PROOFMARK), ("render", "@proofmark/render", WORKER))


def file_name(package: str) -> str:
    """What `npm pack` calls the archive of a package."""
    return f"{package.removeprefix('@').replace('/', '-')}-{version()}.tgz"


def _pack(options: Options, manifest: dict, entries: list[Entry]) -> Path:
    content = Entry("package.json", (json.dumps(manifest, indent=2) + "\n").encode())
    path = options.out / file_name(manifest["name"])
    path.write_bytes(gzipped(tar(sorted([content, *entries], key=lambda one: one.path), prefix="package/")))
    return path


def launcher_manifest(folder: str, start: str) -> dict:
    """The manifest of a launcher, with the packages of all platforms."""
    manifest = json.loads((SOURCES / folder / "package.json").read_text())
    manifest["optionalDependencies"] = {f"{start}-{name}": version() for name in sorted(PLATFORMS)}
    return manifest


def platform_manifest(package: str, start: str, options: Options) -> dict:
    """The manifest of the package with a program; npm installs it only where it can run."""
    system, processor = options.platform.npm
    return {
        "name": f"{start}-{options.platform.name}",
        "version": version(),
        "description": f"{package} for {options.platform.name}: {description()}",
        "license": "MIT OR Apache-2.0",
        "repository": {"type": "git", "url": f"git+{repository()}.git"},
        "type": "commonjs",
        "exports": {"./package.json": "./package.json"},
        "os": [system],
        "cpu": [processor],
        "preferUnplugged": True,
    }


def build(options: Options) -> list[Path]:
    """Makes the launchers and the packages of this platform."""
    made = []
    for folder, start, package in FAMILIES[: 2 if options.render else 1]:
        own = [entry for entry in tree(SOURCES / folder, "") if entry.path != "/package.json"]
        own = [Entry(one.path.lstrip("/"), one.content, 0o755 if one.path.endswith(".js") else 0o644) for one in own]
        companions = licenses(package, options)
        made.append(_pack(options, launcher_manifest(folder, start), own + companions[:-1]))
        program = Entry.of(f"bin/{package}{options.platform.suffix}", options.program(package), executable=True)
        readme = f"# {start}-{options.platform.name}\n\nThe program `{package}` for the package `{PROOFMARK}`.\n"
        manifest = platform_manifest(package, start, options)
        made.append(_pack(options, manifest, [program, Entry("README.md", readme.encode()), *companions]))
    return made
