"""Builds the programs: on Linux static ones, which run with every C library and in an empty container."""

from __future__ import annotations

import os
from pathlib import Path

from .workspace import ROOT, Options, run

PROOFMARK = "proofmark"
WORKER = "proofmark-render"


def flags(options: Options) -> str:
    """Flags of the compiler: no folders of this machine in messages, and no libraries on Linux."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    words = [f"--remap-path-prefix={home}=/cargo", f"--remap-path-prefix={ROOT}=/proofmark"]
    if options.platform.is_linux:
        # For a fixed address: the 90,000 pointers of the tables of rules need no correction at each start.
        words += ["-Ctarget-feature=+crt-static", "-Crelocation-model=static"]
    return " ".join([os.environ.get("RUSTFLAGS", ""), *words]).strip()


def build(options: Options) -> None:
    """Builds `proofmark`, and with `--render` the render worker."""
    packages = [PROOFMARK, WORKER] if options.render else [PROOFMARK]
    # With a target of its own, the flags are not those of build scripts, which must be able to load macros.
    where = ["--target", options.platform.triple, "--profile", options.profile, "--target-dir", options.target]
    for package in packages:
        # Each alone: the worker must not decide which features of shared crates the validator has.
        run(["cargo", "build", "--locked", "--package", package, *where], env={"RUSTFLAGS": flags(options)})
