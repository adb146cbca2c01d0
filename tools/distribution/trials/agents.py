"""The plugin for Claude Code: the servers start as its files say."""

from __future__ import annotations

import json
import os
import shutil

from ..workspace import ROOT
from . import protocol
from .common import Context, Program, clean_environment, documents, expect, folder, note, succeeds

PLUGIN = ROOT / "packaging" / "claude-code"


def trial(context: Context) -> None:
    """Both servers of the plugin, with the installed program on the search path."""
    with folder() as work:
        (work / "bin").mkdir()
        shutil.copy2(str(context.plain.command[0]), work / "bin" / "proofmark")
        environment = clean_environment(PATH=f"{work / 'bin'}:{os.environ['PATH']}")
        at = documents(work)
        server = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]["proofmark"]
        found = protocol.mcp(Program([server["command"]], environment).start(server["args"], at))
        expect(
            found == protocol.mcp(context.plain.start(["serve", "--root", "."], at)),
            "the tools differ from the plain program",
        )
        server = json.loads((PLUGIN / ".lsp.json").read_text())["proofmark"]
        found = protocol.lsp(Program([server["command"]], environment).start(server["args"], at))
        expect(found["items"], "the language server finds the error")
        kinds = {one["name"] for one in json.loads(context.plain.run(["kinds", "--format", "json"], at)[1])["kinds"]}
        languages = set(server["extensionToLanguage"].values())
        expect(languages <= kinds, f"{sorted(languages - kinds)} are not kinds of documents")
    if skillsaw := shutil.which("skillsaw"):
        succeeds([skillsaw, "lint", PLUGIN])
    else:
        note("`skillsaw` is not installed")
