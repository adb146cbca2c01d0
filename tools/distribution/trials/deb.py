"""The Debian packages, installed by dpkg into an empty root."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from pathlib import Path

from .common import Context, Program, clean_environment, expect, folder, need, note, succeeds


def install(root: Path, *packages: Path) -> None:
    """Installs packages where nothing is installed."""
    dpkg = need("dpkg")
    state = root / "var" / "lib" / "dpkg"
    for name in ("info", "updates"):
        (state / name).mkdir(parents=True, exist_ok=True)
    for name in ("status", "available"):
        (state / name).touch()
    # Without root there is no chroot, but the packages have no scripts that would need one.
    options = [f"--root={root}", "--force-not-root", "--force-script-chrootless", "--no-triggers"]
    succeeds([dpkg, *options, "--install", *packages], env=clean_environment(DPKG_MAINTSCRIPT_DEBUG=""))


def remove(root: Path, *names: str) -> None:
    """Removes packages."""
    options = [f"--root={root}", "--force-not-root", "--force-script-chrootless", "--no-triggers"]
    succeeds([need("dpkg"), *options, "--purge", *names])


def program_of(root: Path) -> Program:
    """The installed program: alone in its root where that can be had, so that it finds no library of this machine."""
    if os.geteuid() != 0:
        note("not root: the program runs outside of its root, and libraries of this machine would not be noticed")
        return Program([root / "usr/bin/proofmark"])
    (root / "tmp").mkdir(exist_ok=True)
    (root / "tmp").chmod(0o1777)
    return Program(["/usr/bin/proofmark"], root=root, user=65534)


def trial(context: Context) -> None:
    """The package: what it installs, that it runs alone, and that nothing is left of it."""
    package = context.file("proofmark_{v}_*.deb")
    need("dpkg-deb")
    with folder() as root:
        root.chmod(0o755)
        install(root, package)
        context.same(program_of(root), root)
        context.cannot_render(program_of(root), root, "proofmark-render")
        page = gzip.decompress((root / "usr/share/man/man1/proofmark-check.1.gz").read_bytes())
        expect(b"--fail" in page.replace(b"\\-", b"-"), "the man page names the options")
        succeeds(["bash", "-n", root / "usr/share/bash-completion/completions/proofmark"])
        if groff := shutil.which("groff"):
            done = subprocess.run([groff, "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, check=False)
            expect(done.returncode == 0, f"the man page is not correct: {done.stderr.decode()}")
        remove(root, "proofmark")
        left = [path for path in (root / "usr").rglob("*") if path.is_file()] if (root / "usr").is_dir() else []
        expect(not left, f"after its removal the package left {left[:3]}")
    if lintian := shutil.which("lintian"):
        succeeds([lintian, "--fail-on", "error", package])
    else:
        note("`lintian` is not installed")


def trial_render(context: Context) -> None:
    """Both packages together."""
    with folder() as root:
        root.chmod(0o755)
        install(root, context.file("proofmark_{v}_*.deb"), context.file("proofmark-render_{v}_*.deb"))
        context.renders(program_of(root), root)
