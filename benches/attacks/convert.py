"""Attacks on conversions: documents that become much larger than they are, decks that are hostile zip files, lists of templates
that lead out of their folder, and devices, pipes and endless files where a small file is expected."""
import base64
import contextlib
import io
import json
import os
import struct
import subprocess
import threading
import time
import zipfile
import zlib

from harness import MIB, Case, Outcome, Service, answered, is_well_soon, run
from files import capped

# SECURITY.md: what a conversion of 1 MB may take. The program itself takes some 40 MiB.
SECONDS, MEMORY = 4, 440
# What reading a small file may take.
QUICK, SMALL = 8, 600
SECRET = "OUTSIDE-SECRET-TEXT"
FORMATS = ("html", "pptx", "gfm", "ipynb", "revealjs", "json")


# A3: documents that become much larger than they are.


def meta(levels, width):
    """Values that consist of values."""
    values = ["m0: " + "word " * 3]
    for level in range(1, levels + 1):
        values.append(f"m{level}: \"" + f"{{{{< meta m{level - 1} >}}}} " * width + '"')
    return "---\ntitle: T\n" + "\n".join(values) + f"\n---\n\n{{{{< meta m{levels} >}}}}\n"


def png(size):
    """A picture of some bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 8, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", os.urandom(size)) + chunk(b"IEND", b"")


def bibliography():
    return "".join(f"@book{{k{n}, author={{A. B{n}}}, title={{T {n}}}, year={{2000}}}}\n" for n in range(120_000))


def table(cell, count):
    return "<table>" + f"<tr>{cell}</tr>" * count + "</table>\n"


LONG = "---\nlong: \"" + "word " * 1_900 + '"\n---\n\n'
BOMBS = {
    "meta 3 levels of 100": lambda: {"t.qmd": meta(3, 100)},
    "meta 4 levels of 100": lambda: {"t.qmd": meta(4, 100)},
    "meta 8 levels of 10": lambda: {"t.qmd": meta(8, 10)},
    "meta long x many (20 KB)": lambda: {"t.qmd": LONG + "{{< meta long >}} " * 600},
    "meta long x many (200 KB)": lambda: {"t.qmd": LONG.replace("word", "w") + "{{< meta long >}} " * 10_000},
    "meta in attributes and code": lambda: {"t.qmd": LONG + "[a]{b=\"{{< meta long >}}\"} `{{< meta long >}}`\n\n" * 500},
    "variables in variables": lambda: {
        "_variables.yml": "v0: " + "word " * 100 + "\n" + "".join(
            f"v{n}: \"" + f"{{{{< var v{n - 1} >}}}} " * 100 + '"\n' for n in range(1, 5)),
        "t.qmd": "{{< var v4 >}}\n"},
    "lipsum x100": lambda: {"t.qmd": "{{< lipsum 100 >}}\n\n" * 100},
    "lipsum x1000": lambda: {"t.qmd": "{{< lipsum 100 >}}\n\n" * 1_000},
    "spans nested 100 KB": lambda: {"t.qmd": "[" * 16_600 + "x" + "]{.a}" * 16_600 + "\n"},
    "emphasis nested 100 KB": lambda: {"t.qmd": "*a " * 16_600 + "b*" * 16_600 + "\n"},
    "braces in a heading 100 KB": lambda: {"t.qmd": "# " + "{.a " * 25_000 + "}\n"},
    "note of 100 KB x1000": lambda: {"t.qmd": "[^a] " * 1_000 + "\n\n[^a]: " + "word " * 20_000 + "\n"},
    "100 notes of 10 KB x32": lambda: {"t.qmd": "".join(
        f"[^{n}] " * 32 + f"\n\n[^{n}]: " + "w " * 5_000 + "\n\n" for n in range(100))},
    "rowspan 65534 x 3000": lambda: {"t.qmd": table('<td rowspan="65534">a</td><td colspan="65534">b</td>', 3_000)},
    "colspan 256 x 20000": lambda: {"t.qmd": table('<td colspan="256">b</td>', 20_000)},
    "citation of 50k keys": lambda: {"a.bib": "@book{a, title={T}}\n",
                                     "t.qmd": "---\nbibliography: a.bib\n---\n\n" + "@k " * 50_000 + "\n"},
    "citation of 250k keys": lambda: {"a.bib": "@book{a, title={T}}\n",
                                      "t.qmd": "---\nbibliography: a.bib\n---\n\n" + "@k; " * 250_000 + "\n"},
    "1 MB picture 1,000 times": lambda: {"p.png": png(MIB), "t.qmd": "![](p.png)\n\n" * 1_000},
    "1 MB picture by 1,000 names": lambda: {"p.png": png(MIB), "t.qmd": "".join(
        f"![](p.png?{n})\n\n" for n in range(1_000))},
    "bibliography of 9 MB named 300 times": lambda: {
        "a.bib": bibliography(), "t.qmd": "---\nbibliography:\n" + "  - a.bib\n" * 300 + "---\n\n@k1\n"},
    "bibliography of 9 MB by 30 names": lambda: {
        "a.bib": bibliography(),
        "t.qmd": "---\nbibliography:\n" + "".join(f"  - {'./' * n}a.bib\n" for n in range(30)) + "---\n\n@k1\n"},
    "200 includes of 1 MB": lambda: {"_a.qmd": "word " * 200_000 + "\n", "t.qmd": "{{< include _a.qmd >}}\n\n" * 200},
    "headings 1 MB": lambda: {"t.qmd": "# a\n\n" * 190_000},
    "prose 1 MB": lambda: {"t.qmd": "Words of a paragraph, *with* emphasis.\n\n" * 25_000},
}


def bomb(name, make, form):
    """A document: converted within the bound, or refused with the limit that it exceeds."""

    def attempt(place):
        for path, text in make().items():
            place.write(path, text)
        ran = run(capped(place), "convert", "t.qmd", "--to", form, "-o", f"out/t.{form}", "--force")
        said = ran.code == 0 or "the conversion exceeds" in ran.text or ran.code == 1
        return Outcome(ran.within(SECONDS, MEMORY) and said, f"{ran.cost}: {ran.text.strip()[-120:]}")

    return Case("A3", f"{name} → {form}", f"{SECONDS} s, {MEMORY} MiB, or an error with the limit", attempt)


def prepared(place):
    (place.folder / "out").mkdir()
    return place


# A1: decks that are hostile zip files.

TYPES = ('<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
         '<Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.'
         'presentationml.presentation.main+xml"/></Types>')
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWN = ('xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
         'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"')
SHAPE = ('<p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="1" y="1"/>'
         '<a:ext cx="9" cy="9"/></a:xfrm></p:spPr></p:sp>')


def relationships(targets):
    rows = "".join(f'<Relationship Id="r{n}" Type="{RELATED}/{kind}" Target="{target}"/>' for n, (kind, target) in enumerate(targets))
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def layout(body="", attributes="", name="Title and Content"):
    return f'<p:sldLayout {DRAWN}{attributes}><p:cSld name="{name}"><p:spTree>{SHAPE}{body}</p:spTree></p:cSld></p:sldLayout>'


def deck(further=(), **changes):
    """A template with one master and one layout; parts by their names replace those of the same name."""
    parts = {
        "[Content_Types].xml": TYPES,
        "ppt/presentation.xml": f'<p:presentation {DRAWN}><p:sldMasterIdLst></p:sldMasterIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": relationships([("slideMaster", "slideMasters/m1.xml")]),
        "ppt/slideMasters/m1.xml": f"<p:sldMaster {DRAWN}><p:cSld><p:spTree>{SHAPE}</p:spTree></p:cSld></p:sldMaster>",
        "ppt/slideMasters/_rels/m1.xml.rels": relationships([("slideLayout", "../slideLayouts/l1.xml")]),
        "ppt/slideLayouts/l1.xml": layout(),
    }
    parts.update(changes.get("parts", {}))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in [*parts.items(), *further]:
            archive.writestr(name, text)
    return out.getvalue()


def only_layout(text):
    return deck(parts={"ppt/slideLayouts/l1.xml": text})


DECKS = {
    "an ordinary template": deck,
    "a layout of 150 MiB of empty elements": lambda: only_layout(layout("<a:x/>" * (25 * MIB))),
    "a layout of 15 MiB of empty elements": lambda: only_layout(layout("<a:x/>" * (5 * MIB // 2))),
    "200k attributes of one element": lambda: only_layout(layout("<a:x " + " ".join(f'b{n}="1"' for n in range(200_000)) + "/>")),
    "100k namespaces": lambda: only_layout(layout("<a:x " + " ".join(f'xmlns:b{n}="u{n}"' for n in range(100_000)) + "/>")),
    "20k nested namespaces": lambda: only_layout(layout(
        "".join(f'<b{n}:x xmlns:b{n}="u{n}">' for n in range(20_000)) + "".join(f"</b{n}:x>" for n in reversed(range(20_000))))),
    "100k elements in each other": lambda: only_layout(layout("<a:x>" * 100_000 + "</a:x>" * 100_000)),
    "shapes in shapes": lambda: only_layout(layout(SHAPE.replace("</p:sp>", "") * 200 + "</p:sp>" * 200)),
    "2000 relationships to one layout of 5k shapes": lambda: deck(parts={
        "ppt/slideLayouts/l1.xml": layout(SHAPE * 5_000),
        "ppt/slideMasters/_rels/m1.xml.rels": relationships([("slideLayout", "../slideLayouts/l1.xml")] * 2_000)}),
    "20000 relationships to one layout of 5k shapes": lambda: deck(parts={
        "ppt/slideLayouts/l1.xml": layout(SHAPE * 5_000),
        "ppt/slideMasters/_rels/m1.xml.rels": relationships([("slideLayout", "../slideLayouts/l1.xml")] * 20_000)}),
    "2000 masters of 2000 layouts": lambda: deck(parts={
        "ppt/_rels/presentation.xml.rels": relationships([("slideMaster", f"slideMasters/n{n}.xml") for n in range(2_000)]),
        **{f"ppt/slideMasters/_rels/n{n}.xml.rels": relationships([("slideLayout", f"../slideLayouts/k{k}.xml") for k in range(2_000)])
           for n in range(2_000)},
        **{f"ppt/slideMasters/n{n}.xml": f"<p:sldMaster {DRAWN}/>" for n in range(2_000)},
        "ppt/slideLayouts/k0.xml": layout()}),
    "2,000 masters of 2,000 layouts (one file each)": lambda: deck(parts={
        "ppt/_rels/presentation.xml.rels": relationships([("slideMaster", "slideMasters/m1.xml")] * 2_000),
        "ppt/slideMasters/_rels/m1.xml.rels": relationships([("slideLayout", "../slideLayouts/l1.xml")] * 2_000)}),
    "6000 parts": lambda: deck([(f"x/{n}", "") for n in range(6_000)]),
    "a part of 300 MiB of zeros": lambda: deck([("x/media.bin", bytes(300 * MIB))]),
    "1,000 elements of the list of types that never end": lambda: deck(parts={
        "[Content_Types].xml": TYPES.replace("</Types>", "<Override x" * 1_000_000 + "</Types>")}),
    "an entity bomb": lambda: only_layout('<!DOCTYPE a [<!ENTITY b "' + "c" * 1_000 + '">]>' + layout("&b;" * 10_000)),
    "not a zip file": lambda: b"PK" + os.urandom(MIB),
    "a list of a million parts": lambda: b"PK\x01\x02" * (1 * MIB),
}


def template(name, make, inspect):
    def attempt(place):
        place.write("e.pptx", make())
        place.write("t.qmd", "---\ntitle: T\n---\n\n## A\n\n- b\n")
        arguments = ("templates", "inspect", "e.pptx") if inspect else ("convert", "t.qmd", "-o", "o.pptx", "--template", "e.pptx")
        ran = run(capped(place), *arguments)
        fine = ran.code == 0 if name == "an ordinary template" else ran.code in (0, 2)
        return Outcome(fine and ran.within(SECONDS, MEMORY), f"{ran.cost}: {ran.text.strip()[-120:]}")

    return Case("A1", f"{'inspect' if inspect else '--template'}: {name}", f"{SECONDS} s, {MEMORY} MiB, exit code 0 or 2", attempt)


def escaping(name):
    """A part whose name leads out: the template is refused."""

    def attempt(place):
        place.write("e.pptx", deck([(name, "x")]))
        place.write("t.qmd", "# A\n")
        ran = run(place, "convert", "t.qmd", "-o", "o.pptx", "--template", "e.pptx")
        return Outcome(ran.code == 2 and not (place.folder / "o.pptx").exists(), f"{ran.cost}: {ran.text.strip()[:120]}")

    return Case("A1", f"--template: a part named {name!r}", "refused, nothing is written", attempt)


# A2: lists of templates.


def led_out(how, service):
    """A list of templates, or an entry of it, leads out of the folder: nothing of the other file is in the result."""

    def attempt(place):
        secret = deck(parts={"ppt/slideLayouts/l1.xml": layout(name=SECRET)})
        place.write("secret.pptx", secret)
        place.write("other.yaml", f"id-{SECRET}: x\n")
        own = place.write("own/t.qmd", "# A\n").parent
        entry = {"..": "../secret.pptx", "absolute": str(place.folder / "secret.pptx")}.get(how, "link.pptx")
        if how == "list":
            (own / "templates.yaml").symlink_to("../other.yaml")
        else:
            (own / "link.pptx").symlink_to("../secret.pptx")
            place.write("own/templates.yaml", f"acme: {{path: '{entry}'}}\n")
        if service:
            moved = type(place)(place.program, place.worker, own)
            with Started(moved, "--root", own, "--toolsets", "quarto") as started:
                answer = started.call("quarto_render", content="# A\n", format="pptx", output_path=str(own / "o.pptx"), template="acme")
            text, failed = json.dumps(answer), "o.pptx (" not in json.dumps(answer)
        else:
            ran = run(place, "convert", "t.qmd", "-o", "o.pptx", "--template", "acme", folder=own)
            text, failed = ran.text, ran.code == 2
        made = (own / "o.pptx").read_bytes() if (own / "o.pptx").exists() else b""
        return Outcome(failed and not made and SECRET not in text, text.strip()[:160])

    who = "service" if service else "command"
    return Case("A2", f"{who}: templates lead out ({how})", "refused, nothing of the other file is shown", attempt)


class Started(Service):
    """A service with the configuration of its folder."""

    GENERAL = ()

    def __init__(self, place, *arguments):
        super().__init__(place, *arguments, http=False)


def listing(name, text):
    def attempt(place):
        place.write("templates.yaml", text())
        place.write("t.qmd", "# A\n")
        ran = run(place, "convert", "t.qmd", "-o", "o.pptx", "--template", "acme")
        hidden = [c for c in "\x1b\x07\u202e" if c in ran.text]
        passed = ran.code == 2 and ran.within(QUICK, MEMORY) and len(ran.text) < 2_000 and not hidden
        return Outcome(passed, f"{ran.cost}, {len(ran.text)} characters, hidden {hidden}")

    return Case("A2", f"templates.yaml: {name}", "exit code 2, less than 2,000 characters, none hidden", attempt)


LISTS = [
    listing("200k ids", lambda: "".join(f"id{n}: x\n" for n in range(200_000))),
    listing("10k ids", lambda: "".join(f"id{n}: x\n" for n in range(10_000))),
    listing("hidden characters in ids", lambda: '"a\\x1b[31mb\\a\\u202Ec": x\n'),
]


# A9: devices, pipes, and endless files where a small file is expected.

SPECIAL = {
    "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "FIFO": os.mkfifo,
    "1 GB": lambda path: subprocess.run(["truncate", "-s", "1G", str(path)], check=True),
}
PLACES = {
    ".gitignore": ("check", "."),
    ".ignore": ("check", "."),
    "sub/.gitignore": ("check", "."),
    ".git/info/exclude": ("check", "."),
    "t.pptx": ("templates", "inspect", "t.pptx"),
    "u.pptx": ("convert", "t.qmd", "-o", "o.pptx", "--template", "u.pptx"),
    "templates.yaml": ("convert", "t.qmd", "-o", "o.pptx", "--template", "acme"),
    "doc.md.proofmark.txt": ("snapshot", "doc.md"),
    "./doc.md.proofmark.txt": ("snapshot", "doc.md", "--update"),
    "doc.html": ("convert", "t.qmd", "--to", "html", "-o", "doc.html", "--force"),
}


def special(path, kind, arguments):
    def attempt(place):
        place.write("doc.md", "# A\n")
        place.write("sub/doc.md", "# A\n")
        place.write("t.qmd", "# A\n")
        (place.folder / path).parent.mkdir(parents=True, exist_ok=True)
        SPECIAL[kind](place.folder / path)
        ran = run(capped(place), *arguments)
        return Outcome(ran.within(QUICK, SMALL) and ran.wall <= QUICK, f"{ran.cost}, {ran.wall:.1f} s: {ran.text.strip()[:100]}")

    return Case("A9", f"{path} is {kind}: {' '.join(arguments)}", f"{QUICK} s, {SMALL} MiB, exit code 0 to 2", attempt)


def staged(place):
    for command in (["init", "-q"], ["add", "doc.md"]):
        place.write("doc.md", "# A\n")
        subprocess.run(["git", "-C", str(place.folder), *command], check=True)
    (place.folder / ".git/HEAD").unlink()
    os.mkfifo(place.folder / ".git/HEAD")
    ran = run(place, "check", "--staged")
    return Outcome(ran.within(QUICK, SMALL) and ran.wall <= QUICK, f"{ran.cost}, {ran.wall:.1f} s: {ran.text.strip()[:100]}")


def served(path, kind):
    """Calls of a service that walks through a folder with such a file."""

    def attempt(place):
        own = place.write("own/a.org", "* TODO A\n").parent
        (own / path).parent.mkdir(parents=True, exist_ok=True)
        SPECIAL[kind](own / path)
        moved = type(place)(place.program, place.worker, own)
        with Started(moved, "--root", own, "--toolsets", "org") as service:
            begin = time.perf_counter()
            answer = service.call("org_get_todos")
            took, peak = time.perf_counter() - begin, service.peak()
            well = is_well_soon(service)
        passed = took <= 5 and peak <= SMALL and well and "TODO" in json.dumps(answer)
        return Outcome(passed, f"{took:.1f} s, {peak:.0f} MiB, answers afterwards: {well}")

    return Case("A9", f"service: {path} is {kind}", f"the call in 5 s, {SMALL} MiB, and the next one", attempt)


# A6: conversions in the service, beside ordinary calls.

CONVERSIONS = ("meta 4 levels of 100", "lipsum x1000", "citation of 250k keys", "headings 1 MB")


def beside(name, count, form):
    def attempt(place):
        content = BOMBS[name]()["t.qmd"]
        with Service(place, "--root", place.folder, "--toolsets", "quarto,core") as service:
            threads = []

            def convert(number):
                with contextlib.suppress(OSError, ValueError):
                    service.call("quarto_render", content=content, format=form, output_path=str(place.folder / f"o{number}.{form}"))
            for number in range(count):
                threads.append(threading.Thread(target=convert, args=(number,)))
                threads[-1].start()
            times = []
            while any(thread.is_alive() for thread in threads) and len(times) < 2_000:
                begin = time.perf_counter()
                answer = service.call("validate", text="a: 1\n", kind="yaml")
                times.append(time.perf_counter() - begin if answer and "result" in answer else 99)
                time.sleep(0.02)
            for thread in threads:
                thread.join()
            time.sleep(3)

            def busy():
                with open(f"/proc/{service.process.pid}/stat", encoding="ascii") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
                return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

            before = busy()
            time.sleep(1)
            idle = busy() - before
            peak, alive = service.peak(), service.process.poll() is None
        slowest = sorted(times)[int(len(times) * 0.99)] if times else 0
        passed = alive and slowest <= 0.5 and peak <= 1_536 and idle < 0.2
        return Outcome(passed, f"{len(times)} ordinary calls, p99 {slowest:.2f} s, {peak:.0f} MiB, {idle:.2f} cores 3 s later")

    return Case("A6", f"{count} x {name} ({form})", "ordinary p99 0.5 s, 1.5 GiB, no work 3 s afterwards", attempt)


# A10 and A18.


def patterns(place):
    place.write(".gitignore", "".join(f"a{n}*b{n}/**/c\n" for n in range(200_000)))
    place.write("doc.md", "# A\n")
    return answered(run(capped(place), "check", "."))


def cached(place):
    place.write("proofmark.toml", "[render]\ncache_seconds = 1000000000000\n")
    place.write("doc.md", "# A\n")
    ran = run(place, "check", "doc.md")
    return Outcome(ran.code == 2 and "cache_seconds" in ran.text, f"{ran.cost}: {ran.text.strip()[:100]}")


def panicking(place):
    """Nothing that is known makes a conversion panic any more: what did is converted, and so are the others."""
    place.write("in/t.qmd", "<!-- proofmark-ignore-file QD205: x -->\n\n:::e \ufb01\n")
    for number in range(20):
        place.write(f"in/c{number}.qmd", f"# C{number}\n")
    ran = run(place, "convert", "in", "--to", "html", "-o", "out/")
    made = len(list((place.folder / "out").glob("**/c*.html")))
    return Outcome(ran.code in (0, 1) and made == 20, f"{ran.cost}, {made} of 20 others: {ran.text.strip()[-100:]}")


def with_out(case):
    return Case(case.group, case.name, case.bound, lambda place: case.attempt(prepared(place)), case.needs_worker)


CASES = [
    *(with_out(bomb(name, make, form)) for name, make in BOMBS.items() for form in FORMATS),
    *(template(name, make, inspect) for name, make in DECKS.items() for inspect in (False, True)),
    *(escaping(name) for name in ("../../ESCAPED", "a\\..\\b", "/etc/x", "ppt/../../x", "C:/x", "ppt//x")),
    *(led_out(how, service) for how in ("..", "absolute", "symlink", "list") for service in (False, True)),
    *LISTS,
    *(special(path, kind, arguments) for path, arguments in PLACES.items() for kind in SPECIAL),
    Case("A9", ".git/HEAD is FIFO: check --staged", f"{QUICK} s", staged),
    *(served(path, kind) for path in (".gitignore", "sub/.gitignore", ".ignore") for kind in SPECIAL),
    *(beside(name, count, form) for name in CONVERSIONS for count, form in ((1, "html"), (16, "html"), (4, "pptx"))),
    Case("A10", ".gitignore: 200k patterns", "10 s, 1 GiB", patterns),
    Case("A10", "[render] cache_seconds = 10^12", "exit code 2 with the key", cached),
    Case("A18", "a document with `:::e ﬁ` among 20 others", "the others are converted", panicking),
]
