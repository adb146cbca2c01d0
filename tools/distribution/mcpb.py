"""The bundle for clients of the Model Context Protocol: one file that they install with a click."""

from __future__ import annotations

import json
from pathlib import Path

from .companions import licenses
from .packing import Entry, zipped
from .programs import PROOFMARK
from .workspace import ROOT, Options, version

SOURCE = ROOT / "packaging" / "mcpb" / "manifest.json"


def manifest(options: Options) -> dict:
    """The manifest for one platform."""
    found = json.loads(SOURCE.read_text())
    program = found["server"]["entry_point"] + options.platform.suffix
    found["server"]["entry_point"] = program
    found["server"]["mcp_config"]["command"] = "${__dirname}/" + program
    found["compatibility"]["platforms"] = [options.platform.npm[0]]
    return found


def build(options: Options) -> list[Path]:
    """Makes the bundle of this platform."""
    about = manifest(options)
    entries = [
        Entry("manifest.json", (json.dumps(about, indent=2) + "\n").encode()),
        Entry.of(about["server"]["entry_point"], options.program(PROOFMARK), executable=True),
        *licenses(PROOFMARK, options),
    ]
    path = options.out / f"{PROOFMARK}-{version()}-{options.platform.name}.mcpb"
    path.write_bytes(zipped(entries))
    return [path]
