"""`Cargo.toml` has the version. Other manifests repeat it, because their readers look nowhere else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .workspace import ROOT, version

SEMANTIC = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?"


@dataclass(frozen=True)
class Copies:
    """How a file repeats the version: what is before it on its line, and how many times."""

    path: str
    before: str
    count: int = 1

    def _regex(self) -> re.Pattern[str]:
        return re.compile(f"(?m)({self.before})({SEMANTIC})")

    def mistakes(self, root: Path, expected: str) -> list[str]:
        """What differs from the expected version."""
        path = root / self.path
        if not path.is_file():
            return [f"{self.path} is missing"]
        found = [match[2] for match in self._regex().finditer(path.read_text())]
        wrong = sorted({one for one in found if one != expected})
        mistakes = [f"{self.path} has the version {one}, `Cargo.toml` has {expected}" for one in wrong]
        if len(found) != self.count:
            mistakes.append(
                f"{self.path} repeats the version {len(found)} times after `{self.before}`, not {self.count} times"
            )
        return mistakes

    def write(self, root: Path, new: str) -> None:
        """Replaces the version."""
        path = root / self.path
        path.write_text(self._regex().sub(rf"\g<1>{new}", path.read_text()))


WORKSPACE = Copies("Cargo.toml", r'^\[workspace\.package\]\nversion = "')
COPIES = (
    Copies("Cargo.toml", r'^proofmark-[a-z-]+ = \{ version = "', 17),
    Copies("bindings/python/Cargo.toml", r'^proofmark = \{ version = "'),
    Copies("bindings/python/pyproject.toml", r'"proofmark-render=='),
    Copies("pyproject.toml", r'^version = "'),
    Copies("pyproject.toml", r'"proofmark-rs=='),
    Copies("packaging/npm/proofmark/package.json", r'^  "version": "'),
    Copies("packaging/npm/proofmark/package.json", r'"@proofmark/render": "'),
    Copies("packaging/npm/render/package.json", r'^  "version": "'),
    Copies("packaging/mcpb/manifest.json", r'^  "version": "'),
    Copies("packaging/claude-code/.claude-plugin/plugin.json", r'^  "version": "'),
    Copies(".claude-plugin/marketplace.json", r'"version": "'),
    Copies("server.json", r'"version": "', 3),
    Copies("server.json", r'"identifier": "ghcr\.io/proofmark/proofmark:'),
    Copies("action.yml", r'^    default: "'),
    Copies("packaging/gitlab/templates/proofmark.yml", r'^      default: "'),
    Copies(".pre-commit-hooks.yaml", r"rev: v"),
)


def mistakes(root: Path = ROOT) -> list[str]:
    """The places with another version than `Cargo.toml`."""
    return [mistake for copies in COPIES for mistake in copies.mistakes(root, version())]


def write(new: str, root: Path = ROOT) -> None:
    """Sets the version everywhere."""
    if not re.fullmatch(SEMANTIC, new):
        raise ValueError(f"`{new}` is not a version such as 1.2.3 or 1.2.3-rc.1")
    for copies in (WORKSPACE, *COPIES):
        copies.write(root, new)
