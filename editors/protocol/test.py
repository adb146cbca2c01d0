"""The language server as a client that is not ours sees it: `pytest-lsp` checks each message against the protocol.

Run by `.ci/editors`; PROOFMARK names the program.
"""

import os
import pathlib
import subprocess

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

PROGRAM = os.environ.get("PROOFMARK", "proofmark")
DIAGRAM = "flowchart LR\n  subgraph one\n    A --> B\n"


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> pathlib.Path:
    return tmp_path_factory.mktemp("documents")


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[PROGRAM, "lsp"]),
    params=["neovim", "visual_studio_code"],
)
async def client(lsp_client: LanguageClient, request, folder):
    capabilities = pytest_lsp.client_capabilities(request.param)

    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        assert {one.method for one in params.registrations} == {types.WORKSPACE_DID_CHANGE_WATCHED_FILES}

    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, root_uri=folder.as_uri())
    )
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, folder: pathlib.Path, name: str, text: str) -> str:
    uri = (folder / name).as_uri()
    document = types.TextDocumentItem(uri=uri, language_id="x", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=document))
    return uri


async def pulled(client: LanguageClient, uri: str) -> list[types.Diagnostic]:
    params = types.DocumentDiagnosticParams(text_document=types.TextDocumentIdentifier(uri=uri))
    report = await client.text_document_diagnostic_async(params)
    return list(report.items)


@pytest.mark.asyncio
async def test_a_finding_is_reported_and_its_fix_is_that_of_the_program(client: LanguageClient, folder):
    uri = opened(client, folder, "a.mmd", DIAGRAM)
    found = await pulled(client, uri)
    assert [(one.code, one.range.start.line) for one in found] == [("MM039", 1)]
    identifier = types.TextDocumentIdentifier(uri=uri)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=identifier,
            range=found[0].range,
            context=types.CodeActionContext(diagnostics=found),
        )
    )
    fix = next(action for action in actions if action.kind == types.CodeActionKind.QuickFix and action.edit)
    changes = fix.edit.changes or {
        change.text_document.uri: change.edits for change in fix.edit.document_changes
    }
    (edit,) = changes[uri]
    lines = DIAGRAM.splitlines(keepends=True)
    start, end = edit.range.start, edit.range.end
    assert start == end
    text = "".join(lines[: start.line]) + "".join(lines[start.line :])[: start.character]
    fixed = text + edit.new_text + DIAGRAM[len(text) :]
    copy = folder / "fixed.mmd"
    copy.write_text(DIAGRAM)
    subprocess.run([PROGRAM, "fix", "--unsafe", copy], check=False, stdout=subprocess.DEVNULL)
    assert fixed == copy.read_text()
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2),
            content_changes=[types.TextDocumentContentChangeWholeDocument(text=fixed)],
        )
    )
    assert await pulled(client, uri) == []


@pytest.mark.asyncio
async def test_questions_about_a_position_are_answered(client: LanguageClient, folder):
    text = "flowchart LR\n  first --> second\n  second --> \n"
    uri = opened(client, folder, "b.mmd", text)
    place = {
        "text_document": types.TextDocumentIdentifier(uri=uri),
        "position": types.Position(line=2, character=13),
    }
    completions = await client.text_document_completion_async(types.CompletionParams(**place))
    items = completions.items if isinstance(completions, types.CompletionList) else completions
    assert "first" in [item.label for item in items][:2]
    place["position"] = types.Position(line=1, character=15)
    renamed = await client.text_document_rename_async(types.RenameParams(new_name="other", **place))
    edits = (renamed.changes or {}).get(uri) or renamed.document_changes[0].edits
    assert sorted(edit.range.start.line for edit in edits) == [1, 2]
    outline = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=place["text_document"])
    )
    assert "first" in [symbol.name for symbol in outline]
