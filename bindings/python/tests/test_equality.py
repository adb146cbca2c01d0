"""Results are those of the command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import proofmark_rs as pm
import pytest

#: Documents of every kind in the project's own examples.
SUFFIXES = {".md", ".mmd", ".yaml", ".yml", ".qmd", ".org", ".toml"}


def batch(command: str, records: list[dict[str, object]], *arguments: str) -> list[dict[str, object]]:
    lines = "".join(json.dumps(record) + "\n" for record in records)
    done = subprocess.run(
        [command, "batch", "--isolated", *arguments], input=lines, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def differences(command: str, documents: list[tuple[str, str]]) -> list[str]:
    """The documents (kind and text) with different results."""
    records: list[dict[str, object]] = [
        {"id": number, "kind": kind, "text": text} for number, (kind, text) in enumerate(documents)
    ]
    validator = pm.Validator(deadline=None)
    differing = []
    for record, expected in zip(records, batch(command, records), strict=True):
        report = validator.validate(str(record["text"]), kind=str(record["kind"]))
        found = [diagnostic.to_dict() for diagnostic in report]
        if (report.valid, found) != (expected["valid"], expected["diagnostics"]):
            differing.append(f"{record['kind']}: {str(record['text'])[:80]!r}")
    return differing


def test_examples_of_the_project(command: str, repository: Path) -> None:
    documents = []
    for path in sorted((repository / "examples").rglob("*")):
        kind = {".md": "markdown", ".mmd": "mermaid", ".qmd": "quarto", ".org": "org"}.get(path.suffix, "yaml")
        if path.suffix in SUFFIXES and path.is_file():
            documents.append((kind, path.read_text("utf-8", errors="replace")))
    assert len(documents) > 20
    assert differences(command, documents) == []


def test_reports_of_files_are_those_of_check(
    command: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A name is a path from the working directory, and what a document names is looked for beside it.
    monkeypatch.chdir(repository)
    paths = [path for path in sorted((repository / "examples").rglob("*")) if path.suffix in (".md", ".mmd", ".qmd", ".org")]
    assert len(paths) > 5
    for path in paths:
        name = path.relative_to(repository).as_posix()
        done = subprocess.run(
            [command, "check", name, "--isolated", "--format", "json"], cwd=repository, capture_output=True, text=True, check=False
        )
        validator = pm.Validator(roots=[repository])
        report = validator.validate(path.read_text("utf-8"), name=name)
        assert (report.to_dict(), report.to_json()) == (json.loads(done.stdout), done.stdout)


def test_invalid_examples_of_every_rule(command: str) -> None:
    documents = [
        (rule["kinds"][0], example["text"])
        for rule in map(pm.explain, (rule["id"] for rule in pm.rules()))
        for example in rule["examples"]
        if example["text"] and rule["kinds"][0] != "engine"
    ]
    assert len(documents) > 500
    assert differences(command, documents) == []


def test_fixes(command: str) -> None:
    texts = [
        example["text"]
        for rule in map(pm.explain, (rule["id"] for rule in pm.rules(kind="markdown")))
        for example in rule["examples"]
        if example["text"]
    ]
    records: list[dict[str, object]] = [{"id": 0, "kind": "markdown", "text": text} for text in texts]
    for unsafe in (False, True):
        flags = ["--unsafe"] if unsafe else []
        results = batch(command, records, "--fix", *flags)
        for text, expected in zip(texts, results, strict=True):
            fixed = pm.fix(text, kind="markdown", unsafe=unsafe)
            assert fixed.text == expected["fixed"]
            assert [applied.to_dict() for applied in fixed.applied] == expected["applied"]
            assert [found.to_dict() for found in fixed.remaining] == expected["remaining"]


def test_pages_about_rules_and_kinds(command: str) -> None:
    def output(*arguments: str) -> object:
        done = subprocess.run([command, *arguments, "--isolated"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    assert pm.rules() == output("rules", "list", "--format", "json")
    assert pm.rules(kind="mermaid") == output("rules", "list", "--kind", "mermaid", "--format", "json")
    assert pm.kinds() == output("kinds", "--format", "json")
    assert pm.explain("YM101") == output("explain", "YM101", "--format", "json")


def corpus(folder: Path, most: int) -> list[tuple[str, str]]:
    """Up to `most` documents of each corpus, or all of them for 0."""
    documents: list[tuple[str, str]] = []
    for kind in ("mermaid", "qtype", "scope", "quarto", "org"):
        of_kind: list[tuple[str, str]] = []
        for path in sorted((folder / kind).rglob("*.jsonl")):
            for line in path.read_text("utf-8").split("\n"):
                record = json.loads(line or "{}")
                text = next((record[key] for key in ("text", "input") if key in record), None)
                if isinstance(text, str):
                    of_kind.append(("markdown" if kind == "scope" else kind, text))
        for path in sorted((folder / kind).rglob("*.yaml")):
            of_kind.append((kind, path.read_text("utf-8", errors="replace")))
        documents += of_kind[:: max(1, len(of_kind) // most) if most else 1]
    return documents


def test_samples_of_the_corpora(command: str, repository: Path) -> None:
    """Where the corpora are, `PROOFMARK_CORPUS` or `../shared/corpus`; `PROOFMARK_SAMPLES=0` compares all of them."""
    folder = Path(os.environ.get("PROOFMARK_CORPUS", repository.parent / "shared" / "corpus"))
    if not folder.is_dir():
        pytest.skip("no corpora")
    documents = corpus(folder, int(os.environ.get("PROOFMARK_SAMPLES", "300")))
    assert len(documents) > 300
    assert differences(command, documents) == []
