"""Tests of the checks: each mistake is made once, in a copy, and must be noticed.

python3 -m unittest discover --start-directory tools --pattern tests.py
"""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

from distribution import checks, packing, release, versions
from distribution.workspace import ROOT, version


def copy_of_manifests(at: Path) -> Path:
    """The files that the checks read, in a folder of their own."""
    kept = {copies.path for copies in versions.COPIES} | {*checks.JSON, *checks.NAMED, *checks.WORKFLOWS}
    kept |= {"docs/cli.md", "bindings/python/README.md", ".pre-commit-hooks.yaml"}
    for path in sorted(kept):
        (at / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, at / path)
    shutil.copytree(ROOT / "schemas", at / "schemas")
    return at


class Manifests(unittest.TestCase):
    """The manifests of the channels."""

    def setUp(self) -> None:
        """A copy to break."""
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = copy_of_manifests(Path(self.folder.name))

    def mistakes(self) -> list[str]:
        """What the checks of manifests report about the copy."""
        found = list(checks.files(self.root))
        for check in () if found else (versions.mistakes, checks.names, checks.hooks, checks.schemas):
            found += check(self.root)
        return found

    def change(self, path: str, old: str, new: str) -> None:
        """Replaces text that a file must have."""
        text = (self.root / path).read_text()
        self.assertIn(old, text, path)
        (self.root / path).write_text(text.replace(old, new, 1))

    def test_correct_manifests_pass(self) -> None:
        self.assertEqual(self.mistakes(), [])

    def test_another_version_in_any_manifest_is_reported(self) -> None:
        for copies in versions.COPIES:
            with self.subTest(path=copies.path, before=copies.before):
                original = (self.root / copies.path).read_text()
                copies.write(self.root, "9.9.9")
                found = self.mistakes()
                self.assertTrue(any(copies.path in one and "9.9.9" in one for one in found), found)
                (self.root / copies.path).write_text(original)

    def test_a_version_is_set_everywhere(self) -> None:
        versions.write("9.9.9-rc.1", self.root)
        self.assertEqual([one for copies in versions.COPIES for one in copies.mistakes(self.root, "9.9.9-rc.1")], [])
        self.assertIn('[workspace.package]\nversion = "9.9.9-rc.1"', (self.root / "Cargo.toml").read_text())

    def test_a_missing_file_is_reported(self) -> None:
        for path in (*checks.NAMED, *checks.JSON, *checks.WORKFLOWS):
            with self.subTest(path=path):
                (self.root / path).rename(self.root / "away")
                self.assertIn(f"{path} is missing", self.mistakes())
                (self.root / "away").rename(self.root / path)

    def test_a_missing_copy_of_the_version_is_reported(self) -> None:
        self.change("server.json", f'"version": "{version()}",', "")
        self.assertTrue(any("repeats the version 2 times" in one for one in self.mistakes()), self.mistakes())

    def test_a_hook_with_an_unknown_option_is_reported(self) -> None:
        self.change(".pre-commit-hooks.yaml", "proofmark check --force-exclude", "proofmark check --force-exclud")
        self.assertIn("a hook uses `--force-exclud`, which `proofmark check` does not have", self.mistakes())

    def test_another_name_of_the_server_is_reported(self) -> None:
        self.change(
            "packaging/npm/proofmark/package.json", "io.github.proofmark/proofmark", "io.github.other/proofmark"
        )
        self.assertIn("`mcpName` of the npm package is not the name in server.json", self.mistakes())

    def test_a_long_description_is_reported(self) -> None:
        self.change("server.json", '"description": "', '"description": "' + "x" * 100)
        self.assertIn("the description in server.json has more than 100 characters", self.mistakes())

    def test_a_schema_that_does_not_exist_is_reported(self) -> None:
        self.change("packaging/schemastore/catalog.json", "config.schema.json", "settings.schema.json")
        self.assertTrue(any("settings.schema.json" in one for one in self.mistakes()))


class Releases(unittest.TestCase):
    """The files that describe a release."""

    def setUp(self) -> None:
        """A folder with one artifact of two channels and their description."""
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = Path(self.folder.name)
        self.wheel = self.out / f"proofmark_rs-{version()}-cp310-abi3-any.whl"
        self.wheel.write_bytes(b"wheel")
        (self.out / f"proofmark-{version()}.tgz").write_bytes(b"package")
        entries = [
            {
                "file": path.name,
                "channel": release.channel(path.name)[0],
                "size": path.stat().st_size,
                "sha256": release.sha256(path),
            }
            for path in release.artifacts(self.out)
        ]
        (self.out / release.RELEASE).write_text(json.dumps({"version": version(), "artifacts": entries}))
        paths = [*release.artifacts(self.out), self.out / release.RELEASE]
        (self.out / release.SUMS).write_text("".join(f"{release.sha256(path)}  {path.name}\n" for path in paths))

    def mistakes(self) -> str:
        """What is reported, as one string."""
        return "\n".join(release.mistakes(self.out, {"pypi", "npm"}))

    def test_a_correct_release_passes(self) -> None:
        self.assertEqual(self.mistakes(), "")

    def test_a_changed_artifact_is_reported(self) -> None:
        self.wheel.write_bytes(b"whee1")
        self.assertIn(f"{self.wheel.name} is not the file that release.json describes", self.mistakes())
        self.assertIn(f"{self.wheel.name} does not have the hash in SHA256SUMS", self.mistakes())

    def test_a_missing_artifact_is_reported(self) -> None:
        self.wheel.unlink()
        self.assertIn(f"{self.wheel.name} is missing", self.mistakes())

    def test_a_wrong_hash_is_reported(self) -> None:
        sums = self.out / release.SUMS
        sums.write_text(sums.read_text().replace(release.sha256(self.wheel), "0" * 64))
        self.assertIn(f"{self.wheel.name} does not have the hash in SHA256SUMS", self.mistakes())

    def test_a_missing_channel_is_reported(self) -> None:
        self.assertIn("there is no artifact for the channel deb", "\n".join(release.mistakes(self.out, {"deb"})))

    def test_an_artifact_that_is_not_described_is_reported(self) -> None:
        (self.out / f"proofmark_{version()}_amd64.deb").write_bytes(b"deb")
        self.assertIn(f"proofmark_{version()}_amd64.deb is not in release.json", self.mistakes())


class Packing(unittest.TestCase):
    """Archives."""

    entries = (packing.Entry("b/run", b"#!", 0o755), packing.Entry("a", b"text"), packing.Entry("c", link="a"))

    def test_the_same_content_gives_the_same_bytes(self) -> None:
        for pack in (packing.tar, packing.zipped):
            self.assertEqual(pack(self.entries), pack(self.entries))
        self.assertEqual(packing.gzipped(b"x"), packing.gzipped(b"x"))

    def test_permissions_folders_and_links_are_kept(self) -> None:
        content = packing.tar(packing.with_parents(self.entries))
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            self.assertEqual(archive.getnames(), ["a", "b", "b/run", "c"])
            self.assertEqual(archive.getmember("b/run").mode, 0o755)
            self.assertTrue(archive.getmember("b").isdir())
            self.assertEqual(archive.getmember("c").linkname, "a")
        with zipfile.ZipFile(io.BytesIO(packing.zipped(self.entries))) as archive:
            self.assertEqual(archive.getinfo("b/run").external_attr >> 16, 0o100755)

    def test_debian_archives_have_even_members(self) -> None:
        content = packing.ar([("debian-binary", b"2.0\n"), ("odd", b"abc")])
        self.assertTrue(content.startswith(b"!<arch>\ndebian-binary   "))
        self.assertTrue(content.endswith(b"abc\n"))


if __name__ == "__main__":
    unittest.main()
