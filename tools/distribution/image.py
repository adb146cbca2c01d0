"""Container images as OCI archives, written without a container engine.

The image has the static program and nothing else. Two more tags add a shell, which CI systems need, and the render worker.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import shutil
import subprocess
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from .companions import licenses
from .packing import Entry, folder, gzipped, tar, with_parents
from .programs import PROOFMARK, WORKER
from .workspace import DistError, Options, commit, description, repository, timestamp, version

USER = 10001
CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def base_layer(options: Options) -> list[Entry]:
    """The program, an account without rights, and folders to write in."""
    account = f"proofmark:x:{USER}:{USER}::/work:/usr/bin/proofmark\n"
    return [
        Entry.of("usr/bin/proofmark", options.program(PROOFMARK), executable=True),
        Entry("etc/passwd", f"root:x:0:0::/root:/bin/sh\n{account}".encode()),
        Entry("etc/group", f"root:x:0:\nproofmark:x:{USER}:\n".encode()),
        *(Entry(f"usr/share/doc/proofmark/{one.path}", one.content) for one in licenses(PROOFMARK, options)),
        folder("tmp", 0o1777),
        # Whoever the container runs as can write here; usually a checkout is mounted over it.
        folder("work", 0o777),
    ]


def worker_layer(options: Options) -> list[Entry]:
    """The render worker, in the folder of the program."""
    companions = licenses(WORKER, options)
    return [
        Entry.of(f"usr/bin/{WORKER}", options.program(WORKER), executable=True),
        *(Entry(f"usr/share/doc/{WORKER}/{one.path}", one.content) for one in companions),
    ]


def _deb_files(path: Path) -> dict[str, bytes]:
    """The regular files of a Debian package."""
    content = path.read_bytes()
    at = len(b"!<arch>\n")
    while at < len(content):
        name, size = content[at : at + 16].decode().strip().rstrip("/"), int(content[at + 48 : at + 58])
        body = content[at + 60 : at + 60 + size]
        if name.startswith("data.tar"):
            data = lzma.decompress(body) if name.endswith(".xz") else body
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                files = [one for one in archive if one.isfile()]
                return {one.name.removeprefix("./"): archive.extractfile(one).read() for one in files}
        at += 60 + size + size % 2
    raise DistError(f"{path} is not a Debian package")


def shell_layer(options: Options) -> list[Entry]:
    """A static shell with the usual small programs: Debian's `busybox-static`, with its license."""
    if shutil.which("apt-get") is None:
        raise DistError("the image with a shell needs `apt-get` for the package busybox-static")
    with tempfile.TemporaryDirectory() as download:
        package = f"busybox-static:{options.platform.debian}"
        # As root, apt downloads as a user that may not read the folder.
        command = ["apt-get", "-o", "APT::Sandbox::User=root", "download", package]
        done = subprocess.run(command, cwd=download, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DistError(f"apt-get cannot download {package}: {done.stderr.strip()}")
        files = _deb_files(next(Path(download).glob("*.deb")))
        program = Path(download) / "busybox"
        shell = next(content for path, content in files.items() if path.endswith("bin/busybox"))
        program.write_bytes(shell)
        program.chmod(0o755)
        applets = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    links = [Entry(f"bin/{name}", link="busybox") for name in sorted(applets) if name != "busybox"]
    rights = [Entry(path, content) for path, content in files.items() if path.endswith("/copyright")]
    return [Entry("bin/busybox", shell, 0o755), *links, *rights]


def layout(layers: list[bytes], tag: str, options: Options) -> bytes:
    """An image layout as an archive: `skopeo`, `podman load` and `docker load` read it."""
    blobs: dict[str, bytes] = {}

    def blob(kind: str, content: bytes) -> dict:
        blobs[_digest(content)] = content
        return {"mediaType": kind, "digest": _digest(content), "size": len(content)}

    created = datetime.fromtimestamp(timestamp(), UTC).isoformat().replace("+00:00", "Z")
    labels = {
        "org.opencontainers.image.title": PROOFMARK,
        "org.opencontainers.image.description": description(),
        "org.opencontainers.image.version": version(),
        "org.opencontainers.image.revision": commit(),
        "org.opencontainers.image.source": repository(),
        "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
        # What the registry of MCP servers compares with `server.json`.
        "io.modelcontextprotocol.server.name": "io.github.proofmark/proofmark",
    }
    config = {
        "architecture": options.platform.image,
        "os": "linux",
        "created": created,
        "config": {
            "User": f"{USER}:{USER}",
            "WorkingDir": "/work",
            "Entrypoint": ["/usr/bin/proofmark"],
            "Cmd": ["--help"],
            "Env": ["PATH=/usr/bin:/bin"],
            "ExposedPorts": {"8000/tcp": {}},
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": [_digest(layer) for layer in layers]},
        "history": [{"created": created, "created_by": "tools/dist image"} for _ in layers],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": blob(CONFIG, _json(config)),
        "layers": [blob(LAYER, gzipped(layer)) for layer in layers],
        "annotations": labels,
    }
    described = blob(MANIFEST, _json(manifest))
    described["platform"] = {"architecture": options.platform.image, "os": "linux"}
    described["annotations"] = {"org.opencontainers.image.ref.name": tag}
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [described]}
    files = [Entry("oci-layout", _json({"imageLayoutVersion": "1.0.0"})), Entry("index.json", _json(index))]
    files += [Entry(f"blobs/{digest.replace(':', '/')}", content) for digest, content in blobs.items()]
    return tar(with_parents(files))


def build(options: Options) -> list[Path]:
    """Makes the images: empty but for the program, with a shell, and with `--render` also with the worker."""
    if options.platform.image is None:
        raise DistError(f"images are for Linux, not for {options.platform.name}")
    base = tar(with_parents(base_layer(options)))
    kinds = {"": [base], "-shell": [base, tar(with_parents(shell_layer(options)))]}
    if options.render:
        kinds["-render"] = [base, tar(with_parents(worker_layer(options)))]
    made = []
    for kind, layers in kinds.items():
        tag = f"{version()}{kind}"
        path = options.out / f"{PROOFMARK}-{tag}-linux-{options.platform.image}.oci.tar"
        path.write_bytes(layout(layers, tag, options))
        made.append(path)
    return made
