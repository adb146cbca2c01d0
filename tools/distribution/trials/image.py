"""The container images: their parts have the right hashes, and their files run alone, as the user that they name."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import socket
import subprocess
import tarfile
from pathlib import Path

from . import protocol
from .common import Context, Program, Skipped, expect, folder, note, succeeds

TOKEN = "a-token-for-this-trial"


def unpack(path: Path, root: Path) -> dict:
    """Unpacks an image into a folder, as a container engine does; its configuration."""
    with tarfile.open(path) as archive:

        def blob(described: dict) -> bytes:
            content = archive.extractfile(f"blobs/{described['digest'].replace(':', '/')}").read()
            digest = "sha256:" + hashlib.sha256(content).hexdigest()
            expect(
                digest == described["digest"] and len(content) == described["size"],
                f"{described['digest']} is another blob",
            )
            return content

        layout = json.load(archive.extractfile("oci-layout"))
        expect(layout == {"imageLayoutVersion": "1.0.0"}, f"the layout is {layout}")
        index = json.load(archive.extractfile("index.json"))
        manifest = json.loads(blob(index["manifests"][0]))
        configuration = json.loads(blob(manifest["config"]))
        layers = [gzip.decompress(blob(one)) for one in manifest["layers"]]
    digests = ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in layers]
    expect(digests == configuration["rootfs"]["diff_ids"], "the layers are not those of the configuration")
    for layer in layers:
        with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
            archive.extractall(root, filter="fully_trusted")
    return configuration["config"]


def container(context: Context, tag: str, root: Path) -> tuple[Program, dict]:
    """The files of an image, and its program as the image starts it."""
    if os.geteuid() != 0:
        raise Skipped("only root can run an image by chroot")
    configuration = unpack(context.file(f"proofmark-{{v}}{tag}-linux-{context.platform.image}.oci.tar"), root)
    root.chmod(0o755)
    environment = dict(one.split("=", 1) for one in configuration["Env"])
    environment |= {"NO_COLOR": "1", "COLUMNS": "120", "SOURCE_DATE_EPOCH": "1700000000"}
    user = int(configuration["User"].split(":")[0])
    expect(user != 0, "the image does not run as root")
    return Program(configuration["Entrypoint"], environment, root, user), configuration


def _serves_http(program: Program, root: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    served = Program(program.command, {**program.environment, "PROOFMARK_TOKEN": TOKEN}, program.root, program.user)
    options = ["serve", "--http", f"127.0.0.1:{port}", "--token-variable", "PROOFMARK_TOKEN"]
    process = served.start(options, root / "work")
    try:
        answers = protocol.mcp_over_http(f"http://127.0.0.1:{port}", TOKEN)
    finally:
        process.terminate()
        process.wait(20)
    expect(len(answers) == 4, f"the server answered {len(answers)} of 4 questions")
    expect(answers[2]["result"]["structuredContent"]["valid"] is False, "the server finds the error")


def _engines_accept(path: Path) -> None:
    """Lets a container engine read the archive, where there is one."""
    buildah = shutil.which("buildah")
    if buildah is None:
        note("`buildah` is not installed: no container engine has read the image")
        return
    with folder() as store:
        options = ["--storage-driver", "vfs", "--root", store / "root", "--runroot", store / "run"]
        # The archive has one image, so its tag need not be named.
        succeeds([buildah, *options, "pull", f"oci-archive:{path}"])
        images = succeeds([buildah, *options, "images", "--quiet"]).split()
        expect(len(images) == 1, f"buildah has the images {images}")
        identifier = succeeds([buildah, *options, "from", images[0]]).split()[-1]
        words = [buildah, *options, "run", "--isolation", "chroot", identifier, "--", "/usr/bin/proofmark", "--version"]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
        expect("proofmark" in done.stdout, f"buildah does not run the image: {done.stderr}")


def trial(context: Context) -> None:
    """The image with the program and nothing else."""
    with folder() as root:
        program, _ = container(context, "", root)
        program_files = {path.name for path in (root / "usr/bin").iterdir()}
        expect(program_files == {"proofmark"} and not (root / "bin").exists(), f"the image has {program_files}")
        context.same(program, root / "work")
        context.cannot_render(program, root / "work", "proofmark-render")
        _serves_http(program, root)
    _engines_accept(context.file(f"proofmark-{{v}}-linux-{context.platform.image}.oci.tar"))


def trial_shell(context: Context) -> None:
    """The image with a shell, which runs the scripts of CI systems."""
    with folder() as root:
        program, _ = container(context, "-shell", root)
        context.same(program, root / "work")
        shell = Program(["/bin/sh"], program.environment, root, program.user)
        script = "echo '# Title' > a.md && proofmark check a.md | tail -n 1 && ls | wc -l"
        code, output = shell.run(["-c", script], root / "work")
        expect(code == 0 and output.endswith(b"1\n"), f"the shell answers {code} {output!r}")


def trial_render(context: Context) -> None:
    """The image with the render worker."""
    with folder() as root:
        program, _ = container(context, "-render", root)
        context.renders(program, root / "work")
