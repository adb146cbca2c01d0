"""The packages that a program is made of."""

from __future__ import annotations

import json
import subprocess
from functools import cache

from .workspace import ROOT


@cache
def metadata(triple: str) -> dict:
    """What Cargo knows about the workspace, for one platform."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", triple]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def shipped(package: str, triple: str) -> list[dict]:
    """The packages of others that a package of the workspace is made of, by name; not what only builds or tests it."""
    found = metadata(triple)
    packages = {one["id"]: one for one in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    left = [one["id"] for one in packages.values() if one["name"] == package and one["source"] is None]
    seen: set[str] = set()
    while left:
        at = left.pop()
        if at in seen:
            continue
        seen.add(at)
        used = (one for one in nodes[at]["deps"] if any(kind["kind"] is None for kind in one["dep_kinds"]))
        left.extend(one["pkg"] for one in used)
    others = (packages[at] for at in seen if packages[at]["source"] is not None)
    return sorted(others, key=lambda one: (one["name"], one["version"]))
