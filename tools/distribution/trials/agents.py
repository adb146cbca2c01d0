"""The plugin for Claude Code and the configurations of other clients: the servers start as they say."""

from __future__ import annotations

import json
import os
import re
import shutil

from ..workspace import ROOT
from . import protocol
from .common import Context, Program, clean_environment, documents, expect, folder, note, succeeds

PLUGIN = ROOT / "packaging" / "claude-code"
CLIENTS = ROOT / "docs" / "mcp.md"


def configurations() -> list[dict]:
    """The servers in the configurations of clients that the documentation shows."""
    found = []
    for text in re.findall(r"(\{[^`]*\})'?`", CLIENTS.read_text()):
        if '"command"' not in text:
            continue
        shown = json.loads(text)
        found += shown["mcpServers"].values() if "mcpServers" in shown else [shown]
    return found


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
        kinds = {one["name"] for one in json.loads(context.plain.run(["kinds", "--format", "json"], at)[1])}
        languages = set(server["extensionToLanguage"].values())
        expect(languages <= kinds, f"{sorted(languages - kinds)} are not kinds of documents")
        shown = configurations()
        expect(len(shown) >= 3, f"{CLIENTS.name} shows {len(shown)} configurations")
        for one in shown:
            words = [str(at) if word.startswith("/path/") else word for word in one["args"]]
            answers = protocol.mcp(Program([one["command"]], environment).start(words, at))
            expect(answers[0]["result"]["serverInfo"]["name"], f"{one} does not start a server")
    if skillsaw := shutil.which("skillsaw"):
        succeeds([skillsaw, "lint", PLUGIN])
    else:
        note("`skillsaw` is not installed")
