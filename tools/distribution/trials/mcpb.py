"""The bundle, unpacked and started as its manifest says."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

from . import protocol
from .common import Context, Program, documents, expect, folder, note, succeeds


def unpack(path: Path, at: Path) -> None:
    """Unpacks a bundle with the permissions of its files, which Python's `zipfile` leaves out."""
    if mcpb := shutil.which("mcpb"):
        succeeds([mcpb, "unpack", path, at])
        return
    note("`mcpb` is not installed: the bundle is unpacked as a zip archive")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(at)
        for info in archive.infolist():
            (at / info.filename).chmod(info.external_attr >> 16 & 0o777)


def trial(context: Context) -> None:
    """The manifest, and the server as a client starts it."""
    path = context.file(f"proofmark-{{v}}-{context.platform.name}.mcpb")
    with folder() as work:
        at = work / "bundle"
        unpack(path, at)
        manifest = json.loads((at / "manifest.json").read_text())
        expect((at / manifest["server"]["entry_point"]).is_file(), "the bundle has no program")
        if mcpb := shutil.which("mcpb"):
            succeeds([mcpb, "validate", at / "manifest.json"])
        else:
            note("`mcpb` is not installed: the manifest is not validated")
        given = {"__dirname": str(at), "user_config.folder": str(work / "documents")}
        documents(work)
        configuration = manifest["server"]["mcp_config"]
        words = [configuration["command"], *configuration["args"]]
        for name, value in given.items():
            words = [word.replace("${" + name + "}", value) for word in words]
        found = protocol.mcp(Program(words).start([], work))
        expected = protocol.mcp(context.plain.start(["serve", "--root", str(work / "documents")], work))
        expect(found == expected, "the server of the bundle differs from the plain program")
        expect(found[2]["result"]["structuredContent"]["valid"] is False, "the server finds the error")
        shutil.rmtree(work / "documents")
        context.same(Program([at / manifest["server"]["entry_point"]]), work)
