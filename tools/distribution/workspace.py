"""The repository, its version, and the options of a run."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LICENSES = ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")


class DistError(Exception):
    """A step cannot be done. The message says why and what to do."""


@cache
def manifest() -> dict:
    """The manifest of the workspace."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text())


def version() -> str:
    """The version of everything that is released; `Cargo.toml` is the only place where a person changes it."""
    return manifest()["workspace"]["package"]["version"]


def repository() -> str:
    """The address of the repository, without a slash at its end."""
    return manifest()["workspace"]["package"]["repository"]


def description() -> str:
    """One line on what Proofmark does."""
    return manifest()["package"]["description"]


def run(command: list, *, env: dict[str, str] | None = None, cwd: Path = ROOT, capture: bool = False) -> str:
    """Runs a program that must succeed, and returns what it wrote if asked to."""
    words = [str(word) for word in command]
    print("+", " ".join(words), file=sys.stderr, flush=True)
    environment = {**os.environ, **(env or {})}
    output = subprocess.PIPE if capture else sys.stderr
    done = subprocess.run(words, cwd=cwd, env=environment, stdout=output, text=True, check=False)
    if done.returncode:
        raise DistError(f"`{words[0]}` ended with {done.returncode}")
    return done.stdout or ""


@cache
def commit() -> str:
    """The commit that the artifacts are made from, or an empty string outside of a checkout."""
    command = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


@cache
def timestamp() -> int:
    """The time of all files in artifacts, in seconds: SOURCE_DATE_EPOCH, or the time of the commit."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    command = ["git", "log", "-1", "--format=%ct"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return int(done.stdout.strip() or 0)


@dataclass(frozen=True)
class Platform:
    """What the channels call a platform that programs are built for."""

    name: str
    triple: str
    npm: tuple[str, str]
    wheel: str
    debian: str | None = None
    image: str | None = None
    suffix: str = ""

    @property
    def is_linux(self) -> bool:
        """Whether programs are linked statically, and packages of Linux can be made."""
        return self.npm[0] == "linux"


# A static program runs with every C library, so its wheel is for the oldest ones.
PLATFORMS = {
    platform.name: platform
    for platform in (
        Platform(
            "linux-x64",
            "x86_64-unknown-linux-gnu",
            ("linux", "x64"),
            "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
            "amd64",
            "amd64",
        ),
        Platform(
            "linux-arm64",
            "aarch64-unknown-linux-gnu",
            ("linux", "arm64"),
            "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
            "arm64",
            "arm64",
        ),
        Platform("darwin-x64", "x86_64-apple-darwin", ("darwin", "x64"), "macosx_10_12_x86_64"),
        Platform("darwin-arm64", "aarch64-apple-darwin", ("darwin", "arm64"), "macosx_11_0_arm64"),
        Platform("win32-x64", "x86_64-pc-windows-msvc", ("win32", "x64"), "win_amd64", suffix=".exe"),
    )
}


@dataclass(frozen=True)
class Options:
    """The options of a run of `tools/dist`."""

    platform: Platform
    profile: str
    out: Path
    render: bool

    @property
    def target(self) -> Path:
        """The folder of Cargo's results."""
        return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()

    @property
    def built(self) -> Path:
        """The folder of the programs that are packaged."""
        folder = "debug" if self.profile == "dev" else self.profile
        return self.target / self.platform.triple / folder

    def program(self, name: str) -> Path:
        """A program that the step `programs` has built."""
        path = self.built / f"{name}{self.platform.suffix}"
        if not path.is_file():
            raise DistError(f"there is no {path}: run the step `programs` first")
        return path

    @property
    def staging(self) -> Path:
        """A folder for what is part of several artifacts."""
        folder = self.target / "dist-staging" / self.platform.name
        folder.mkdir(parents=True, exist_ok=True)
        return folder
