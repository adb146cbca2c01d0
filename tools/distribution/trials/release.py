"""The files that accompany the artifacts."""

from __future__ import annotations

import json
import shutil

from .. import release
from .common import Context, expect, note, succeeds

CHANNELS = {"pypi", "npm", "mcpb", "archive", "sbom"}
OF_LINUX = {"deb", "image"}
OF_RENDERING = {"pypi-render", "npm-render", "archive-render"}
# The largest artifact of a channel, in bytes.
MOST = {
    **dict.fromkeys(("pypi", "npm", "archive", "mcpb", "editor"), 15_000_000),
    "deb": 12_000_000,
    **dict.fromkeys(("pypi-render", "npm-render", "deb-render", "archive-render"), 40_000_000),
}


def trial(context: Context) -> None:
    """Hashes, sizes, the channels of this platform, and the bill of materials."""
    required = set(CHANNELS)
    if context.platform.is_linux:
        required |= OF_LINUX
    if context.render:
        required |= OF_RENDERING | ({"deb-render"} if context.platform.is_linux else set())
    mistakes = release.mistakes(context.out, required)
    expect(not mistakes, "\n".join(mistakes))
    if sums := shutil.which("sha256sum"):
        succeeds([sums, "--check", "--strict", release.SUMS], cwd=context.out)
    about = json.loads((context.out / release.RELEASE).read_text())
    if about["profile"] == "dist":
        large = [one["file"] for one in about["artifacts"] if one["size"] > MOST.get(one["channel"], one["size"])]
        expect(not large, f"above the size of their channel: {large}")
    else:
        note(f"sizes are for the profile `dist`, these artifacts have `{about['profile']}`")
    bill = json.loads(context.file("proofmark-{v}.cdx.json").read_text())
    expect(bill["bomFormat"] == "CycloneDX" and len(bill["components"]) > 100, "the bill of materials lists the crates")
