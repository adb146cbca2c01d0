"""Builds the programs: on Linux static ones, which run with every C library and in an empty container."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from .workspace import ROOT, Options, run

PROOFMARK = "proofmark"
WORKER = "proofmark-render"


def flags(options: Options) -> str:
    """Flags of the compiler: no folders of this machine in messages, and no libraries on Linux."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    words = [f"--remap-path-prefix={home}=/cargo", f"--remap-path-prefix={ROOT}=/proofmark"]
    if options.platform.is_linux:
        words.append("-Ctarget-feature=+crt-static")
        if reads_packed_relocations():
            words.append("-Clink-arg=-Wl,-z,pack-relative-relocs")
    return " ".join([os.environ.get("RUSTFLAGS", ""), *words]).strip()


def reads_packed_relocations() -> bool:
    """Whether the C library here, which becomes part of the program, can read packed relocations: a megabyte less to load."""
    name, version = platform.libc_ver()
    return name == "glibc" and tuple(map(int, version.split(".")[:2])) >= (2, 36)


def build(options: Options) -> None:
    """Builds `proofmark`, and with `--render` the render worker."""
    packages = [PROOFMARK, WORKER] if options.render else [PROOFMARK]
    # With a target of its own, the flags are not those of build scripts, which must be able to load macros.
    where = ["--target", options.platform.triple, "--profile", options.profile, "--target-dir", options.target]
    for package in packages:
        # Each alone: the worker must not decide which features of shared crates the validator has.
        run(["cargo", "build", "--locked", "--package", package, *where], env={"RUSTFLAGS": flags(options)})
