"""The licenses of the crates, fonts and data that a program contains, in full."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from .dependencies import shipped
from .workspace import ROOT, DistError, Options

FILE = "THIRD-PARTY-NOTICES.txt"
LICENSE_FILE = re.compile(r"(?i)^(un)?licen[sc]e|^copying|^notice|^copyright")

# What programs contain besides crates: the package, what it is, and the file with its license.
REVEAL = "crates/convert/reveal"
REVEAL_LABEL = f"reveal.js {(ROOT / REVEAL / 'VERSION').read_text().strip()} (MIT)"
FILES = (
    ("proofmark", REVEAL_LABEL, f"{REVEAL}/LICENSE"),
    ("proofmark-python", REVEAL_LABEL, f"{REVEAL}/LICENSE"),
    ("proofmark-render", "Roboto (fonts)", "render-worker/fonts/Roboto-OFL.txt"),
)

MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation
the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of
the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
IN THE SOFTWARE.
"""
ZERO_BSD = """\
Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
granted.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING
ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL,
DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS,
WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE
USE OR PERFORMANCE OF THIS SOFTWARE.
"""


def names(expression: str) -> set[str]:
    """The licenses in an SPDX expression (`/` is an old OR)."""
    return set(re.split(r"\s+(?:OR|AND|WITH)\s+|/|[()]", expression)) - {""}


def usual_text(package: dict) -> str | None:
    """The text of a license that is the same for everyone, for a crate that comes without a file."""
    known = names(package["license"] or "")
    holders = ", ".join(re.sub(r"\s*<.*?>", "", author) for author in package["authors"])
    copyright_line = f"Copyright (c) {holders or 'the authors of ' + package['name']}\n\n"
    if "Apache-2.0" in known:
        return (ROOT / "LICENSE-APACHE").read_text()
    if "MIT" in known:
        return f"MIT License\n\n{copyright_line}{MIT}"
    if "0BSD" in known:
        return f"BSD Zero Clause License\n\n{copyright_line}{ZERO_BSD}"
    return None


def license_files(package: dict) -> list[Path]:
    """The files of a crate with licenses and notices. Of several licenses to choose from, MIT is used."""
    folder = Path(package["manifest_path"]).parent
    found = [path for path in folder.iterdir() if path.is_file() and LICENSE_FILE.match(path.name)]
    found += [path for path in (folder / "LICENSES").glob("*") if path.is_file()]
    if package["license_file"] and (folder / package["license_file"]).is_file():
        found.append(folder / package["license_file"])
    notices = [path for path in found if re.match(r"(?i)notice|copyright", path.name)]
    mit = [path for path in found if "mit" in re.split(r"[^a-z]", path.name.lower())]
    is_choice = " OR " in (package["license"] or "").replace("/", " OR ") and "AND" not in package["license"]
    chosen = mit + notices if is_choice and mit else found
    return sorted(set(chosen))


def of_crate(package: dict) -> list[str]:
    """The licenses that must accompany a crate."""
    files = [path.read_text(encoding="utf-8", errors="replace") for path in license_files(package)]
    usual = [] if files else [usual_text(package)]
    return [text for text in files + usual if text]


def _normal(text: str) -> str:
    return " ".join(text.split())


@cache
def _entries(package: str, triple: str) -> tuple[tuple[str, str], ...]:
    """What a program contains, each with its license."""
    found: list[tuple[str, str]] = []
    missing = []
    for one in shipped(package, triple):
        label = f"{one['name']} {one['version']} ({one['license']})"
        given = of_crate(one)
        if not given:
            missing.append(label)
        found.extend((label, text) for text in given)
    if missing:
        raise DistError(f"without a license text: {', '.join(missing)}")
    found.extend((name, (ROOT / path).read_text()) for owner, name, path in FILES if owner == package)
    return tuple(found)


def text(package: str, options: Options) -> str:
    """The notices for a program: each text once, with those that it is about."""
    users: dict[str, list[str]] = defaultdict(list)
    shown: dict[str, str] = {}
    for label, content in _entries(package, options.platform.triple):
        key = _normal(content)
        shown.setdefault(key, content.strip("\n"))
        if label not in users[key]:
            users[key].append(label)
    rule = "=" * 100
    parts = [f"{package} contains the following software, fonts and data.\n"]
    for key in sorted(users, key=lambda one: (users[one][0].lower(), one)):
        parts.append("\n".join([rule, *users[key], "-" * 100, "", shown[key], ""]))
    return "\n".join(parts)
