"""`tools/dist check`: whether all manifests say the same and can be read. Builds nothing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from . import notices, versions
from .workspace import PLATFORMS, ROOT, DistError, Options

JSON = (
    "server.json",
    "packaging/npm/proofmark/package.json",
    "packaging/npm/render/package.json",
    "packaging/mcpb/manifest.json",
    "packaging/schemastore/catalog.json",
    "packaging/claude-code/.claude-plugin/plugin.json",
    "packaging/claude-code/.mcp.json",
    "packaging/claude-code/.lsp.json",
    ".claude-plugin/marketplace.json",
)
WORKFLOWS = (".github/workflows/ci.yml", ".github/workflows/release.yml", ".github/workflows/fuzz.yml")
# Files that manifests name, besides those that the checks below read.
NAMED = (
    "packaging/npm/proofmark/bin/proofmark.js",
    "packaging/action/run.sh",
    "packaging/claude-code/skills/proofmark/SKILL.md",
    "packaging/python-render/proofmark_render/__init__.py",
)
SCHEMAS = tuple(
    f"schemas/{name}.schema.json" for name in ("config", "diagnostic", "kind", "pack", "results", "rule-file")
)
RAW = "https://raw.githubusercontent.com/proofmark/proofmark/main/"


def _json(root: Path, path: str) -> dict | list:
    return json.loads((root / path).read_text())


def files(root: Path) -> Iterator[str]:
    """Files that are missing or cannot be read."""
    for path in (
        *NAMED,
        *WORKFLOWS,
        "action.yml",
        ".pre-commit-hooks.yaml",
        "packaging/gitlab/templates/proofmark.yml",
    ):
        if not (root / path).is_file():
            yield f"{path} is missing"
    for path in JSON:
        try:
            _json(root, path)
        except FileNotFoundError:
            yield f"{path} is missing"
        except json.JSONDecodeError as error:
            yield f"{path} is not JSON: {error}"


def names(root: Path) -> Iterator[str]:
    """Names and addresses that differ between manifests."""
    cargo = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]
    server = _json(root, "server.json")
    if len(server["description"]) > 100:
        yield "the description in server.json has more than 100 characters"
    if server["repository"]["url"] != cargo["repository"]:
        yield "server.json names another repository than Cargo.toml"
    npm = _json(root, "packaging/npm/proofmark/package.json")
    if npm["mcpName"] != server["name"]:
        yield "`mcpName` of the npm package is not the name in server.json"
    if f"<!-- mcp-name: {server['name']} -->" not in (root / "bindings/python/README.md").read_text():
        yield "the README of the Python package does not name the server of server.json"
    bundle = _json(root, "packaging/mcpb/manifest.json")
    if bundle["repository"]["url"] != cargo["repository"]:
        yield "the bundle names another repository than Cargo.toml"
    for plugin in _json(root, ".claude-plugin/marketplace.json")["plugins"]:
        if not (root / plugin["source"] / ".claude-plugin" / "plugin.json").is_file():
            yield f"the marketplace names {plugin['source']}, which is not a plugin"


def hooks(root: Path) -> Iterator[str]:
    """Commands and options of hooks that the program does not have."""
    reference = (root / "docs" / "cli.md").read_text()
    text = (root / ".pre-commit-hooks.yaml").read_text()
    entries = re.findall(r"^  entry: (.+)$", text, re.MULTILINE)
    if len(entries) != 3:
        yield f".pre-commit-hooks.yaml has {len(entries)} hooks, not 3"
    for entry in entries:
        program, command, *options = entry.split()
        section = reference.partition(f"## `{program} {command}`")[2].partition("\n## ")[0]
        if not section:
            yield f"a hook starts `{program} {command}`, which docs/cli.md does not have"
        for option in options:
            if f"`{option}`" not in section:
                yield f"a hook uses `{option}`, which `{program} {command}` does not have"


def schemas(root: Path) -> Iterator[str]:
    """Entries of the catalogue that lead nowhere."""
    for entry in _json(root, "packaging/schemastore/catalog.json"):
        path = entry["url"].removeprefix(RAW)
        if path == entry["url"] or not (root / path).is_file():
            yield f"the catalogue names {entry['url']}, which is not a schema of this repository"


def licenses(root: Path) -> Iterator[str]:
    """Crates without a license text."""
    options = Options(PLATFORMS["linux-x64"], "dist", root / "dist", render=True)
    for package in ("proofmark", "proofmark-render", "proofmark-python"):
        try:
            notices.text(package, options)
        except DistError as error:
            yield f"{package} has parts {error}"


# What other programs check, where they are installed.
CHECKERS: tuple[tuple[str, ...], ...] = (
    ("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS),
    ("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"),
    ("check-jsonschema", "--check-metaschema", *SCHEMAS),
    ("zizmor", "--offline", "--quiet", "--min-severity", "medium", ".github/workflows", "action.yml"),
    ("skillsaw", "lint", "packaging/claude-code"),
    ("bash", "-n", "packaging/action/run.sh"),
    ("node", "--check", "packaging/npm/proofmark/bin/proofmark.js"),
)


def checkers(root: Path) -> Iterator[str]:
    """What checkers of others report."""
    for program, *arguments in CHECKERS:
        if shutil.which(program) is None:
            print(f"SKIPPED: `{program}` is not installed: {' '.join(arguments)}", file=sys.stderr)
            continue
        done = subprocess.run([program, *arguments], cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            yield f"{program} {' '.join(arguments)}:\n{done.stdout}{done.stderr}"


# Examples in the documentation: the comment that each begins with, and the schema of such files.
EXAMPLES = {
    "# .github/workflows/documents.yml": "vendor.github-workflows",
    "# .forgejo/workflows/documents.yaml": "vendor.github-workflows",
    "# .gitlab-ci.yml": "vendor.gitlab-ci",
    "# azure-pipelines.yml": "vendor.azure-pipelines",
    "# .circleci/config.yml": "vendor.circle-ci",
}


def examples(root: Path) -> Iterator[str]:
    """Examples of CI systems in the documentation that are not correct files of these systems."""
    if shutil.which("check-jsonschema") is None:
        print("SKIPPED: `check-jsonschema` is not installed: the examples in docs/how-to/ci.md", file=sys.stderr)
        return
    blocks = re.findall(r"```yaml\n(.*?)```", (root / "docs/how-to/ci.md").read_text(), re.DOTALL)
    for first, schema in EXAMPLES.items():
        chosen = [block for block in blocks if block.startswith(first)]
        if not chosen:
            yield f"docs/how-to/ci.md has no example that begins with `{first}`"
        for block in chosen:
            with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
                file.write(block)
                file.flush()
                transform = ["--data-transform", "gitlab-ci"] if "gitlab" in schema else []
                words = ["check-jsonschema", "--builtin-schema", schema, *transform, file.name]
                done = subprocess.run(words, capture_output=True, text=True, check=False)
                if done.returncode:
                    yield f"the example `{first}` in docs/how-to/ci.md:\n{done.stdout}{done.stderr}"


CHECKS: tuple[Callable[[Path], Iterator[str]], ...] = (
    files,
    versions.mistakes,
    names,
    hooks,
    schemas,
    licenses,
    checkers,
    examples,
)


def main(root: Path = ROOT) -> int:
    """Runs all checks; the result is the exit code."""
    found = []
    for check in CHECKS:
        found += check(root)
        if found and check is files:
            break
    for mistake in found:
        print(f"error: {mistake}", file=sys.stderr)
    print(f"{len(CHECKS)} checks of manifests, {len(found)} errors")
    return 1 if found else 0
