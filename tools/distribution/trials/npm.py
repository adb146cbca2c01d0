"""The npm packages from a registry that has nothing else, so that npm chooses the package of the platform itself."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

from .common import Context, Program, clean_environment, expect, folder, need, note, succeeds


def _documents(out: Path, address: str) -> dict[str, dict]:
    """What a registry says about each package in the folder of artifacts."""
    found = {}
    for path in out.glob("*.tgz"):
        with tarfile.open(path) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
        digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
        manifest["dist"] = {"tarball": f"{address}/-/{path.name}", "integrity": f"sha512-{digest}"}
        versions = {manifest["version"]: manifest}
        found[manifest["name"]] = {
            "name": manifest["name"],
            "dist-tags": {"latest": manifest["version"]},
            "versions": versions,
        }
    return found


@contextmanager
def registry(out: Path) -> Iterator[str]:
    """A registry with the packages of a folder; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = unquote(self.path).split("?")[0].lstrip("/")
            content = None
            if name.startswith("-/") and (out / Path(name).name).is_file():
                content = (out / Path(name).name).read_bytes()
            elif name in documents:
                content = json.dumps(documents[name]).encode()
            self.send_response(404 if content is None else 200)
            self.end_headers()
            self.wfile.write(content or b"{}")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}"
    documents = _documents(out, address)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield address
    finally:
        server.shutdown()
        server.server_close()


def install(context: Context, at: Path, *packages: str) -> Program:
    """Installs packages into a project; the launcher."""
    npm = need("npm")
    (at / "package.json").write_text('{"private": true}')
    with registry(context.out) as address:
        options = ["--no-audit", "--no-fund", "--cache", at / "cache", "--registry", address]
        succeeds([npm, "install", *options, *packages], cwd=at, env=clean_environment())
    suffix = ".cmd" if context.platform.suffix else ""
    return Program([at / "node_modules" / ".bin" / f"proofmark{suffix}"])


def _ends_with_its_launcher(program: Program, work: Path) -> bool:
    """Whether a server ends when a client ends the launcher."""
    process = subprocess.Popen(
        program.words(["serve", "--root", "."]),
        cwd=work,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    time.sleep(0.5)
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return True
    return False


def trial(context: Context) -> None:
    """The launcher with the package of this platform, chosen by npm."""
    with folder() as work:
        program = install(context, work, "proofmark")
        installed = sorted(path.name for path in (work / "node_modules" / "@proofmark").iterdir())
        expect(installed == [f"cli-{context.platform.name}"], f"npm installed {installed}")
        context.same(program, work)
        context.cannot_render(program, work, "npm install @proofmark/render")
        if not context.platform.suffix:
            expect(_ends_with_its_launcher(program, work), "the program remains after its launcher ended")
        npx = Program([need("npx"), "--no-install", "proofmark"])
        expect(npx.run(["--version"], work) == program.run(["--version"], work), "npx starts the program")
        shutil.rmtree(work / "node_modules" / "@proofmark")
        code, _, errors = program.run_with_errors(["--version"], work)
        expect(
            code == 2 and f"@proofmark/cli-{context.platform.name} is not installed" in errors,
            f"without a program: {errors}",
        )
        if publint := shutil.which("publint"):
            for path in sorted(context.out.glob("*.tgz")):
                succeeds([publint, path, "--strict"], env={**os.environ, "NO_COLOR": "1"})
        else:
            note("`publint` is not installed")


def trial_render(context: Context) -> None:
    """The launcher with the package that it needs to render."""
    with folder() as work:
        context.renders(install(context, work, "proofmark", "@proofmark/render"), work)
