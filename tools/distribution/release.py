"""What accompanies the artifacts: their hashes, the bill of materials, and a manifest that says what each is for."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

from .workspace import ROOT, Options, commit, run, timestamp, version
from .workspace import manifest as cargo_manifest

SUMS = "SHA256SUMS"
RELEASE = "release.json"

# How the files of a channel are named, and how a user installs them once they are published.
CHANNELS = (
    ("pypi", r"proofmark_rs-.*\.whl", "pip install proofmark-rs"),
    ("pypi-render", r"proofmark_render-.*\.whl", "pip install 'proofmark-rs[render]'"),
    (
        "npm-render",
        r"proofmark-render(-(linux|darwin|win32)-\w+)?-[\d.]+\.tgz",
        "npm install proofmark @proofmark/render",
    ),
    ("npm", r"proofmark(-cli-\w+-\w+)?-[\d.]+\.tgz", "npm install proofmark"),
    ("mcpb", r"proofmark-.*\.mcpb", "open the file with the client"),
    ("deb-render", r"proofmark-render_.*\.deb", "apt install ./{file}"),
    ("deb", r"proofmark_.*\.deb", "apt install ./{file}"),
    ("archive-render", r"proofmark-render-.*\.(tar\.gz|zip)", "unpack beside proofmark"),
    ("archive", r"proofmark-.*\.(tar\.gz|zip)", "cargo binstall proofmark"),
    ("image", r"proofmark-.*\.oci\.tar", "docker load --input {file}"),
    ("editor", r"proofmark-.*\.vsix", "code --install-extension {file}"),
    ("sbom", r"proofmark-.*\.cdx\.json", ""),
)


def sha256(path: Path) -> str:
    """The hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def channel(name: str) -> tuple[str, str] | None:
    """The channel of an artifact and how to install it."""
    for kind, pattern, command in CHANNELS:
        if re.fullmatch(pattern, name):
            return kind, command.format(file=name)
    return None


def artifacts(out: Path) -> list[Path]:
    """The files of a release, without those that describe them."""
    return sorted(path for path in out.iterdir() if path.is_file() and channel(path.name))


def sbom(options: Options) -> list[Path]:
    """Writes the bill of materials (CycloneDX)."""
    path = options.out / f"proofmark-{version()}.cdx.json"
    run([sys.executable, ROOT / ".ci" / "supply-chain", "--sbom", path])
    return [path]


def release(options: Options) -> list[Path]:
    """Writes the manifest of the release."""
    entries = []
    for path in artifacts(options.out):
        kind, command = channel(path.name)
        entries.append(
            {
                "file": path.name,
                "channel": kind,
                "size": path.stat().st_size,
                "sha256": sha256(path),
                "install": command,
            }
        )
    about = {
        "name": "proofmark",
        "version": version(),
        "commit": commit(),
        "timestamp": timestamp(),
        "profile": options.profile,
        "rust": cargo_manifest()["workspace"]["package"]["rust-version"],
        "artifacts": entries,
    }
    path = options.out / RELEASE
    path.write_text(json.dumps(about, indent=2) + "\n")
    return [path]


def sums(options: Options) -> list[Path]:
    """Writes the hashes, as `sha256sum --check` reads them."""
    described = [path for path in (options.out / RELEASE,) if path.is_file()]
    lines = [f"{sha256(path)}  {path.name}\n" for path in artifacts(options.out) + described]
    path = options.out / SUMS
    path.write_text("".join(lines))
    return [path]


def mistakes(out: Path, required: set[str]) -> list[str]:
    """What is wrong with a folder of artifacts: missing channels and files, other hashes and sizes."""
    found = []
    about = json.loads((out / RELEASE).read_text())
    if about["version"] != version():
        found.append(f"{RELEASE} has the version {about['version']}, the workspace {version()}")
    for entry in about["artifacts"]:
        path = out / entry["file"]
        if not path.is_file():
            found.append(f"{entry['file']} is missing")
        elif path.stat().st_size != entry["size"] or sha256(path) != entry["sha256"]:
            found.append(f"{entry['file']} is not the file that {RELEASE} describes")
    found += [
        f"{path.name} is not in {RELEASE}"
        for path in artifacts(out)
        if not any(e["file"] == path.name for e in about["artifacts"])
    ]
    listed = dict(reversed(line.split("  ", 1)) for line in (out / SUMS).read_text().splitlines())
    for name, digest in listed.items():
        path = out / name
        if not path.is_file() or sha256(path) != digest:
            found.append(f"{name} does not have the hash in {SUMS}")
    unlisted = {entry["file"] for entry in about["artifacts"]} - set(listed)
    found += [f"{name} is not in {SUMS}" for name in sorted(unlisted)]
    channels = {entry["channel"] for entry in about["artifacts"]}
    found += [f"there is no artifact for the channel {name}" for name in sorted(required - channels)]
    return found
