"""Attacks that were thought of after reading the code of conversions, of the file layer, and of moves between files. B1 are
documents whose parts multiply, B2 marks that a reader may look at again and again, B3 files that a document or a configuration
refers to, B4 journals and locks that came with a stranger's folder, B5 targets of conversions."""
import fcntl
import io
import json
import os
import time
import zipfile

from convert import SECONDS, MEMORY, SECRET, Started, deck, layout, prepared, png, relationships
from files import capped
from harness import MIB, Case, Outcome, Place, Service, is_well_soon, run

HTML, SLIDES, REVEAL, GFM, JSON = "html", "pptx", "revealjs", "gfm", "json"


def header(**values):
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in values.items()) + "---\n\n"


def quoted(text):
    return json.dumps(text)


LONG = "w" * 100_000
FIGURE = "![a](p.png){#fig-%d}\n\n"

# Documents whose parts multiply: the forms, and the files.
MULTIPLIED = {
    "a prefix of references of 100 KB x 5,000": ((HTML, SLIDES, JSON), lambda: {
        "p.png": png(10), "t.qmd": f"---\ncrossref:\n  fig-prefix: {LONG}\n---\n\n" + FIGURE % 1 + "@fig-1 " * 5_000 + "\n"}),
    "a title of figures of 100 KB x 3,000": ((HTML, SLIDES, GFM), lambda: {
        "p.png": png(10), "t.qmd": f"---\ncrossref:\n  fig-title: {LONG}\n---\n\n" + "".join(FIGURE % n for n in range(3_000))}),
    "a word of the language of 100 KB x 5,000 callouts": ((HTML, SLIDES, GFM), lambda: {
        "t.qmd": f"---\nlang: en\nlanguage:\n  callout-note-title: {LONG}\n---\n\n" + "::: {.callout-note}\na\n:::\n\n" * 5_000}),
    "an author of 100 KB cited 5,000 times": ((HTML, SLIDES, JSON), lambda: {
        "a.bib": f"@book{{k, author={{{LONG}}}, title={{T}}, year={{2000}}}}\n",
        "t.qmd": "---\nbibliography: a.bib\n---\n\n" + "@k " * 5_000 + "\n"}),
    "a work with 20,000 authors cited 500 times": ((HTML, SLIDES), lambda: {
        "a.bib": "@book{k, author={" + " and ".join(f"A{n}, B" for n in range(20_000)) + "}, title={T}, year={2000}}\n",
        "t.qmd": "---\nbibliography: a.bib\n---\n\n" + "[@k] " * 500 + "\n"}),
    "nocite of 100,000 works": ((HTML, SLIDES), lambda: {
        "a.bib": "".join(f"@book{{k{n}, author={{A}}, title={{T}}, year={{2000}}}}\n" for n in range(100_000)),
        "t.qmd": "---\nbibliography: a.bib\nnocite: '@*'\n---\n\na\n"}),
    "macros of a bibliography that double 40 times": ((HTML, JSON), lambda: {
        "a.bib": "@string{a0 = \"xx\"}\n" + "".join(f"@string{{a{n} = a{n - 1} # a{n - 1}}}\n" for n in range(1, 40))
                 + "@book{k, title=a39, author={A}, year={2000}}\n",
        "t.qmd": "---\nbibliography: a.bib\n---\n\n@k\n"}),
    "a footer of 100 KB on 3,000 slides": ((SLIDES, REVEAL), lambda: {
        "t.qmd": header(title="T", footer=LONG) + "## A\n\na\n\n" * 3_000}),
    "a logo of 1 MB on 2,000 slides": ((SLIDES, REVEAL), lambda: {
        "p.png": png(MIB), "t.qmd": header(title="T", logo="p.png") + "## A\n\na\n\n" * 2_000}),
    "a logo of the brand of 1 MB 2,000 times": ((HTML, GFM), lambda: {
        "p.png": png(MIB), "_brand.yml": "logo:\n  small: p.png\n", "t.qmd": "{{< brand logo small >}}\n\n" * 2_000}),
    "colors of the brand that refer to each other": ((HTML, SLIDES), lambda: {
        "_brand.yml": "color:\n  palette:\n    a: b\n    b: a\n" + "".join(f"    c{n}: c{n + 1}\n" for n in range(20_000)),
        "t.qmd": "{{< brand color a >}} {{< brand color c0 >}}\n" * 1_000}),
    "a heading of 100 KB with 2,000 references": ((HTML, SLIDES), lambda: {
        "t.qmd": header(**{"number-sections": "true"}) + f"# {LONG} {{#sec-a}}\n\n" + "@sec-a " * 2_000 + "\n"}),
    "100,000 headings with one name": ((HTML, SLIDES), lambda: {"t.qmd": "# a\n\n" * 100_000}),
    "50,000 headings with one identifier": ((HTML, SLIDES), lambda: {"t.qmd": "# a {#b}\n\n" * 50_000}),
    "20,000 figures with one label": ((HTML, SLIDES), lambda: {"p.png": png(10), "t.qmd": FIGURE % 1 * 20_000}),
    "50,000 references to labels that are missing": ((HTML, SLIDES), lambda: {
        "t.qmd": "".join(f"@fig-{n} " for n in range(50_000)) + "\n"}),
    "a panel of 10^9 columns": ((HTML, SLIDES), lambda: {
        "p.png": png(10), "t.qmd": "::: {layout-ncol=1000000000}\n![](p.png)\n\n![](p.png)\n:::\n"}),
    "a layout of 100,000 numbers": ((HTML, SLIDES), lambda: {
        "p.png": png(10), "t.qmd": '::: {layout="[' + "[1,2]," * 50_000 + '[1]]"}\n' + "![](p.png)\n\n" * 2_000 + ":::\n"}),
    "a layout of hostile numbers": ((HTML, SLIDES), lambda: {
        "p.png": png(10), "t.qmd": '::: {layout="[[1e308,-1e308,0],[1e-320]]"}\n' + "![](p.png)\n\n" * 4 + ":::\n"}),
    "10,000 subfigures": ((HTML, SLIDES), lambda: {
        "p.png": png(10), "t.qmd": "::: {#fig-a layout-ncol=3}\n" + "".join(FIGURE % n for n in range(10_000)) + "C\n:::\n"}),
    "a tabset of 20,000 tabs": ((HTML, GFM), lambda: {"t.qmd": "::: {.panel-tabset}\n" + "## A\n\na\n\n" * 20_000 + ":::\n"}),
    "tabsets in each other 500 times": ((HTML, SLIDES), lambda: {
        "t.qmd": "::: {.panel-tabset}\n## A\n\n" * 500 + "a\n\n" + ":::\n" * 500}),
    "callouts in each other 2,000 times": ((HTML, SLIDES), lambda: {
        "t.qmd": "::: {.callout-note}\n" * 2_000 + "a\n" + ":::\n" * 2_000}),
    "conditions in each other 2,000 times": ((HTML, SLIDES), lambda: {
        "t.qmd": "::: {.content-visible when-format=\"html\"}\n" * 2_000 + "a\n" + ":::\n" * 2_000}),
    "20,000 conditions with metadata": ((HTML, SLIDES), lambda: {
        "t.qmd": header(a=LONG) + "::: {.content-visible when-meta=\"a.b.c\"}\na\n:::\n\n" * 20_000}),
    "20,000 annotations of a cell": ((HTML, GFM), lambda: {
        "t.qmd": "```python\n" + "".join(f"a # <{n}>\n" for n in range(1, 20_000)) + "```\n\n"
                 + "".join(f"{n}. b\n" for n in range(1, 20_000))}),
    "lines of code that are numbered up to 10^9": ((HTML, REVEAL), lambda: {
        "t.qmd": "```{.python code-line-numbers=\"1-1000000000|1,2,3\"}\na\n```\n\n" * 100}),
    "a cell with 50,000 options": ((HTML, GFM), lambda: {
        "t.qmd": "```{python}\n" + "".join(f"#| a{n}: b\n" for n in range(50_000)) + "1\n```\n"}),
    "filler text with hostile numbers": ((HTML, SLIDES), lambda: {
        "t.qmd": "{{< lipsum 99999999999999999999 >}}\n\n{{< lipsum 1-99999999 >}}\n\n{{< lipsum 9-1 >}}\n"}),
    "a placeholder of 10^9 pixels": ((HTML, SLIDES), lambda: {"t.qmd": "{{< placeholder 1000000000 1000000000 >}}\n\n" * 1_000}),
    "30,000 keys to press": ((HTML, GFM), lambda: {"t.qmd": "{{< kbd Ctrl-A win=B mac=C >}} " * 30_000 + "\n"}),
    "a path of metadata of 20,000 names": ((HTML, JSON), lambda: {
        "t.qmd": header(a="b") + "{{< meta " + "a." * 20_000 + "a >}}\n\n" * 20}),
    "anchors in the header that double 30 times": ((HTML, SLIDES), lambda: {
        "t.qmd": "---\na0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30)) + "---\n\na\n"}),
    "anchors in _variables.yml that double 30 times": ((HTML, SLIDES), lambda: {
        "_variables.yml": "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30)),
        "t.qmd": "{{< var a29 >}}\n"}),
    "anchors in _quarto.yml that double 30 times": ((HTML, SLIDES), lambda: {
        "_quarto.yml": "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30)), "t.qmd": "a\n"}),
    "anchors in a bibliography that double 30 times": ((HTML, SLIDES), lambda: {
        "a.yaml": "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30)),
        "t.qmd": "---\nbibliography: a.yaml\n---\n\n@k\n"}),
    "anchors in _brand.yml that double 30 times": ((HTML, SLIDES), lambda: {
        "_brand.yml": "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30)), "t.qmd": "a\n"}),
    "a navigation of 20,000 entries": ((HTML,), lambda: {
        "_quarto.yml": "project: {type: website}\nwebsite:\n  navbar:\n    left:\n" + "".join(
            f"      - text: a{n}\n        href: a{n}.qmd\n" for n in range(20_000)), "t.qmd": "a\n"}),
    "a menu of 3,000 levels": ((HTML,), lambda: {
        "_quarto.yml": "project: {type: website}\nwebsite:\n  sidebar:\n    contents: " + "[{section: a, contents: " * 3_000
                       + "[]" + "}]" * 3_000 + "\n", "t.qmd": "a\n"}),
    "30,000 authors": ((HTML, SLIDES, REVEAL), lambda: {
        "t.qmd": "---\ntitle: T\nauthor:\n" + "".join(f"  - name: A {n}\n    affiliations: [B]\n" for n in range(30_000)) + "---\n\na\n"}),
    "20,000 notes of slides": ((SLIDES, REVEAL), lambda: {"t.qmd": "## A\n\n::: {.notes}\na\n:::\n\n" * 20_000}),
    "20,000 notes beside each other": ((HTML, SLIDES, GFM), lambda: {"t.qmd": "a^[b] " * 20_000 + "\n"}),
    "notes that refer to each other": ((HTML, SLIDES), lambda: {
        "t.qmd": "[^0]\n\n" + "".join(f"[^{n}]: [^{n + 1}] [^{n + 1}]\n\n" for n in range(40)) + "[^40]: [^0]\n"}),
    "20,000 fragments": ((SLIDES, REVEAL), lambda: {"t.qmd": "## A\n\n" + "::: {.incremental}\n- a\n:::\n\n" * 20_000}),
    "20,000 columns": ((SLIDES, REVEAL, HTML), lambda: {
        "t.qmd": "## A\n\n:::: {.columns}\n" + "::: {.column width=\"1%\"}\na\n:::\n\n" * 20_000 + "::::\n"}),
    "widths that are no numbers": ((SLIDES, HTML), lambda: {
        "p.png": png(10), "t.qmd": "## A\n\n" + "".join(
            f"![](p.png){{width={w} height={w}}}\n\n" for w in ("1e308in", "-5in", "NaNin", "999999999999999999cm", "0%", "1e-300px"))}),
    "pictures with hostile sizes": ((SLIDES, HTML, REVEAL), lambda: {
        **{f"{n}.png": png(10)[:16] + size + png(10)[24:] for n, size in enumerate((bytes(8), b"\xff" * 8, b"\0\0\0\1\xff\xff\xff\xff"))},
        "n.svg": '<svg viewBox="0 0 NaN 1e999" width="-1"/>', "e.svg": "<svg" * 10_000,
        "t.qmd": "".join(f"## A\n\n![]({name})\n\n" for name in ("0.png", "1.png", "2.png", "n.svg", "e.svg"))}),
}

# Marks that a reader may look at again and again: the text of one line or of many, up to some 200 KB.
MARKS = {
    "* ": 60_000, "**a": 50_000, "*a_b": 40_000, "_a ": 50_000, "`": 100_000, "$": 100_000, "$a": 60_000, "[": 100_000, "![": 60_000,
    "[a](": 40_000, "[a]: b\n": 25_000, "](": 60_000, "<": 100_000, "<a ": 60_000, "<!--": 40_000, "<![CDATA[": 20_000, "<?": 60_000,
    "&#": 60_000, "&a": 60_000, "@": 100_000, "@[": 60_000, "[@": 60_000, "[@a; ": 30_000, "^[": 60_000, "^": 100_000, "~": 100_000,
    "~a": 60_000, "'": 100_000, '"': 100_000, "'a\"": 50_000, "{{<": 50_000, "{{< a": 30_000, "{": 100_000, "[a]{": 40_000,
    "{.a ": 40_000, ":::\n": 40_000, "::: {.a}\n": 20_000, "> ": 60_000, ">": 90_000, "- ": 60_000, "1. ": 50_000, "# ": 60_000, "|": 90_000,
    "| a\n": 40_000, "|a|\n|-|\n": 25_000, "+-": 60_000, "+---+\n|a\n": 15_000, "-- ": 50_000, "---\n": 40_000, "a\n: b\n\n": 25_000,
    "(@a) ": 30_000, "\\": 100_000, "\\begin{a}\n": 15_000, "\\(": 60_000, "```\n": 40_000, "~~~a\n": 35_000, "<div>\n": 25_000, "<td>": 40_000,
    "<script>": 20_000, "[^a]: ": 30_000, "[^a] ": 30_000, "http://a ": 20_000, "a@b.c ": 30_000, "====\n": 30_000, "a\n===\n": 30_000,
    "\t": 100_000, "\r": 100_000, "\u202e": 50_000, "\0": 100_000, "(iv) ": 40_000, "m. ": 60_000, "%%": 60_000, "#| a: b\n": 25_000,
}
FORMS = (HTML, SLIDES, GFM)

# Texts that are built otherwise.
BUILT = {
    "runs of backticks that grow": lambda: " ".join("`" * n for n in range(1, 600)) + "\n",
    "runs of asterisks that grow": lambda: " ".join("*" * n + "a" for n in range(1, 600)) + "\n",
    "fences that grow": lambda: "\n".join("`" * n for n in range(3, 600)) + "\n",
    "colons that grow": lambda: "\n".join(":" * n + " {.a}" for n in range(3, 600)) + "\n",
    "lists of 5,000 levels": lambda: "".join(" " * (2 * n) + "- a\n" for n in range(600)) + "\n",
    "a pipe table of 20,000 columns": lambda: "|a" * 20_000 + "|\n" + "|-" * 20_000 + "|\n" + ("|b" * 20_000 + "|\n") * 3,
    "a pipe table of 20,000 rows": lambda: "|a|b|\n|-|-|\n" + "|c|d|\n" * 20_000,
    "a grid table of 200 x 200": lambda: ("+--" * 200 + "+\n" + "|a " * 200 + "|\n") * 200 + "+--" * 200 + "+\n",
    "a grid table that never ends": lambda: "+--+\n" + "|a |\n" * 40_000,
    "a simple table of 10,000 columns": lambda: "a " * 10_000 + "\n" + "- " * 10_000 + "\n" + "b " * 10_000 + "\n\n",
    "a table of lines that never ends": lambda: "-" * 80 + "\na b\n--- ---\n" + "c d\n" * 40_000,
    "an ordered list from 10^18": lambda: "999999999999999999. a\n" * 2 + "2147483648) b\n4294967296) c\n",
    "a Roman numeral of 100 KB": lambda: "m" * 100_000 + ". a\n\n(" + "i" * 100_000 + ") b\n",
    "fractions in each other": lambda: "$" + "\\frac{" * 20_000 + "a" + "}{b}" * 20_000 + "$\n",
    "roots and braces that never end": lambda: "$$" + "\\sqrt{\\left(" * 15_000 + "$$\n",
    "a matrix of 100,000 cells": lambda: "$$\\begin{matrix}" + "a & " * 100_000 + "\\end{matrix}$$\n",
    "indices of indices": lambda: "$a" + "_{b^{" * 15_000 + "c" + "}}" * 15_000 + "$\n",
    "macros that double": lambda: "$$" + "".join(f"\\newcommand{{\\a{chr(97 + n)}}}{{\\a{chr(96 + n)}\\a{chr(96 + n)}}}" for n in range(1, 26)) + "\\az$$\n",
    "a tag with 50,000 attributes": lambda: "<div " + " ".join(f'a{n}="b"' for n in range(50_000)) + ">\n\na\n\n</div>\n",
    "20,000 blocks of raw HTML": lambda: "```{=html}\n<b>\n```\n\n" * 10_000,
    "raw Markdown in raw Markdown": lambda: "````" * 1 + "\n" + "```{=pandoc-reader-markdown}\n" * 10_000 + "a\n",
    "definitions of 20,000 links and their uses": lambda: "".join(f"[a{n}] " for n in range(20_000)) + "\n\n" + "".join(f"[a{n}]: b\n" for n in range(20_000)),
    "a line block of 40,000 lines": lambda: "| a\n" * 40_000,
    "examples that refer to each other": lambda: "".join(f"(@e{n}) see (@e{n + 1})\n" for n in range(10_000)),
    "abbreviations and dots": lambda: "e.g. ... -- --- '" * 12_000 + "\n",
    "a header that never ends": lambda: "---\n" + "a: b\n" * 40_000,
    "100 headers": lambda: "---\na: b\n---\n\n" * 10_000,
}


def converted(group, name, make, form):
    """A conversion within the bound, or refused; no panic."""

    def attempt(place):
        for path, text in make().items():
            place.write(path, text)
        ran = run(capped(prepared(place)), "convert", "t.qmd", "--to", form, "-o", f"out/t.{form}", "--force")
        fine = ran.within(SECONDS, MEMORY) and "internal error" not in ran.text and "PM011" not in ran.text
        return Outcome(fine, f"{ran.cost}: {ran.text.strip()[-160:]}")

    return Case(group, f"{name} → {form}", f"{SECONDS} s, {MEMORY} MiB, exit code 0 to 2", attempt)


# B3: files that a document refers to.

OUTSIDE = {
    "an include": "{{< include %s >}}\n",
    "an embed": "{{< embed %s >}}\n",
    "a picture": "![](%s)\n",
    "a bibliography": "---\nbibliography: %s\n---\n\n@k\n",
    "a style": "---\nbibliography: a.bib\ncsl: %s\n---\n\n@k\n",
    "a style sheet": "---\nformat:\n  html:\n    css: %s\n    embed-resources: true\n---\n\na\n",
    "a theme": "---\nformat:\n  html:\n    theme: %s\n    embed-resources: true\n---\n\na\n",
    "an include in the header": "---\ninclude-in-header: %s\n---\n\na\n",
    "an include before the body": "---\ninclude-before-body:\n  - file: %s\n---\n\na\n",
    "a template": "---\ntemplate: %s\n---\n\na\n",
    "a reference document": "---\nformat:\n  pptx:\n    reference-doc: %s\n---\n\na\n",
    "a filter": "---\nfilters: [%s]\n---\n\na\n",
    "a metadata file": "---\nmetadata-files: [%s]\n---\n\na {{< meta secret >}}\n",
    "a logo": "---\nlogo: %s\n---\n\na\n",
    "a background": "## A {background-image=\"%s\"}\n\na\n",
    "a brand": "---\nbrand: %s\n---\n\n{{< brand logo small >}}\n",
    "code of a file": "```{.python file=\"%s\"}\n```\n",
    "a table of a file": "```{=csv file=\"%s\"}\n```\n",
}
WAYS = {"..": "../secret.%s", "absolute": None, "a link": "link.%s", "a URL of a file": "file://%s"}


def leads_out(what, text, way, form):
    def attempt(place):
        secret = f"{SECRET}\n@book{{k, title={{{SECRET}}}, author={{A}}, year={{2000}}}}\nsecret: {SECRET}\n"
        ending = {"a bibliography": "bib", "a style": "csl", "a picture": "svg", "a logo": "svg"}.get(what, "txt")
        path = place.write(f"secret.{ending}", f"<svg>{secret}</svg>" if ending == "svg" else secret)
        own = place.write("own/a.bib", "@book{k, title={T}, author={A}, year={2000}}\n").parent
        (own / "out").mkdir()
        (own / f"link.{ending}").symlink_to(path)
        named = {"absolute": str(path), "a URL of a file": f"file://{path}"}.get(way) or WAYS[way] % ending
        (own / "t.qmd").write_text(text % named)
        ran = run(Place(place.program, place.worker, own), "convert", "t.qmd", "--to", form, "-o", f"out/t.{form}", folder=own)
        made = own / f"out/t.{form}"
        result = made.read_bytes() if made.exists() else b""
        if form == SLIDES and result:
            with zipfile.ZipFile(io.BytesIO(result)) as archive:
                result = b"".join(archive.read(name) for name in archive.namelist())
        shown = SECRET.encode() in result or SECRET in ran.text
        return Outcome(not shown and ran.within(SECONDS, MEMORY), f"{ran.cost}: shown: {shown} {ran.text.strip()[-80:]}")

    return Case("B3", f"{what} leads out ({way}) → {form}", "nothing of the other file is shown", attempt)


SPECIAL = {
    "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "FIFO": os.mkfifo,
    "1 GB": lambda path: path.open("wb").truncate(1 << 30),
    "a folder": lambda path: path.mkdir(),
    "itself": lambda path: path.symlink_to(path.name),
}
NAMED = {
    "_quarto.yml": "a\n", "_variables.yml": "{{< var a >}}\n", "_brand.yml": "{{< brand color a >}}\n",
    "a.qmd": "{{< include a.qmd >}}\n", "a.png": "![](a.png)\n", "a.bib": "---\nbibliography: a.bib\n---\n\n@k\n",
    "a.csl": "---\nbibliography: b.bib\ncsl: a.csl\n---\n\n@k\n", "proofmark.toml": "a\n",
}


def odd(name, kind, text):
    def attempt(place):
        SPECIAL[kind](place.folder / name)
        place.write("t.qmd", text)
        ran = run(capped(prepared(place)), "convert", "t.qmd", "--to", "html", "-o", "out/t.html")
        return Outcome(ran.within(SECONDS, MEMORY) and ran.wall < 8, f"{ran.cost}, {ran.wall:.1f} s: {ran.text.strip()[-100:]}")

    return Case("B3", f"{name} is {kind}", f"{SECONDS} s, {MEMORY} MiB, exit code 0 to 2", attempt)


def included(name, files):
    return converted("B3", name, lambda: files, HTML)


INCLUDES = [
    included("a document that includes itself", {"t.qmd": "{{< include t.qmd >}}\n\n" * 50}),
    included("two documents that include each other", {"t.qmd": "{{< include _a.qmd >}}\n", "_a.qmd": "{{< include t.qmd >}}\n" * 20}),
    included("includes that double 25 times", {
        "t.qmd": "{{< include _0.qmd >}}\n",
        **{f"_{n}.qmd": f"{{{{< include _{n + 1}.qmd >}}}}\n\n" * 2 for n in range(25)}, "_25.qmd": "a\n"}),
    included("20,000 includes that are missing", {"t.qmd": "".join(f"{{{{< include _{n}.qmd >}}}}\n\n" for n in range(20_000))}),
    included("20,000 pictures that are missing", {"t.qmd": "".join(f"![]({n}.png)\n\n" for n in range(20_000))}),
]

# B4: journals and locks that came with a stranger's folder.


def journal(name, beside, check=lambda place: True):
    """Files beside an Org file; an Org call ends soon, and a file outside is as it was."""

    def attempt(place):
        outside = place.write("outside.org", "* KEEP\n")
        own = place.write("own/x.org", "* TODO A\n:PROPERTIES:\n:ID: one\n:END:\n").parent
        place.write("own/y.org", "* B\n")
        beside(own, outside)
        begin = time.monotonic()
        for arguments in (("get", "org://id/one"), ("set", "org://id/one", "--state", "DONE"), ("refile", "org://id/one", "org://y.org")):
            ran = run(Place(place.program, place.worker, own), "org", "--isolated", *arguments, folder=own)
            if ran.code not in (0, 1, 2) or ran.mib > 600:
                return Outcome(False, f"{arguments[0]}: {ran.cost}: {ran.text.strip()[-100:]}")
        took = time.monotonic() - begin
        kept = outside.read_text() == "* KEEP\n" and sorted(p.name for p in place.folder.iterdir() if not p.name.startswith(".")) == ["outside.org", "own"]
        whole = "".join((own / name).read_text() for name in ("x.org", "y.org") if (own / name).is_file()).count(":ID: one") == 1
        return Outcome(kept and whole and took < 20 and check(own), f"{took:.1f} s, outside kept: {kept}, one headline: {whole}")

    return Case("B4", name, "20 s, the file outside is kept, the headline is there once", attempt)


def entries(*paths):
    return json.dumps({"files": [{"path": str(path), "old": None, "new": "0" * 16} for path in paths]})


def locked(own, text):
    (own / ".x.org.proofmark").write_text("")
    (own / ".x.org.proofmark-journal").write_text(text)


def linked(own, outside):
    locked(own, entries(own / "x.org", outside))
    (own / ".x.org.proofmark-new").symlink_to(outside)


def both(own, outside):
    text = json.dumps({"files": [{"path": str(own / name), "old": None, "new": "0" * 16} for name in ("x.org", "y.org")]})
    for name in ("x.org", "y.org"):
        (own / f".{name}.proofmark").write_text("")
        (own / f".{name}.proofmark-journal").write_text(text)
        (own / f".{name}.proofmark-new").write_text("* EVIL\n")


JOURNALS = [
    journal("a journal that names a file outside", lambda own, outside: locked(own, entries(own / "x.org", outside))),
    journal("a journal that names /etc/passwd", lambda own, outside: locked(own, entries(own / "x.org", "/etc/passwd"))),
    journal("a journal that names a path with ..", lambda own, outside: locked(own, entries(own / "x.org", own / ".." / "outside.org"))),
    journal("a journal that names a file twice", lambda own, outside: locked(own, entries(own / "x.org", own / "x.org"))),
    journal("a journal that names 10,000 files", lambda own, outside: locked(own, entries(own / "x.org", *(own / f"{n}.org" for n in range(10_000))))),
    journal("a journal that is not JSON", lambda own, outside: locked(own, "{" * 100_000)),
    journal("a journal of 100,000 levels", lambda own, outside: locked(own, '{"files":' + "[" * 100_000)),
    journal("a journal of 1 GB", lambda own, outside: (locked(own, ""), (own / ".x.org.proofmark-journal").open("wb").truncate(1 << 30))),
    journal("a journal that is a pipe", lambda own, outside: (locked(own, ""), (own / ".x.org.proofmark-journal").unlink(), os.mkfifo(own / ".x.org.proofmark-journal"))),
    journal("a journal that is /dev/zero", lambda own, outside: (locked(own, ""), (own / ".x.org.proofmark-journal").unlink(), (own / ".x.org.proofmark-journal").symlink_to("/dev/zero"))),
    journal("a journal that is a link out", lambda own, outside: (locked(own, ""), (own / ".x.org.proofmark-journal").unlink(), (own / ".x.org.proofmark-journal").symlink_to(outside))),
    journal("new content that is a link out", linked),
    journal("new content that is a folder", lambda own, outside: (locked(own, entries(own / "x.org")), (own / ".x.org.proofmark-new").mkdir())),
    journal("a lock that is a pipe", lambda own, outside: os.mkfifo(own / ".x.org.proofmark")),
    journal("a lock that is a link out", lambda own, outside: (own / ".x.org.proofmark").symlink_to(outside)),
    journal("a lock that is a folder", lambda own, outside: (own / ".x.org.proofmark").mkdir()),
    journal("journals of both files with other content", both),
]


def held(place):
    """Another program holds the lock of a file: changes end with an error in time, and reading goes on."""
    own = place.write("own/x.org", "* TODO A\n").parent
    with (own / ".x.org.proofmark").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        moved = Place(place.program, place.worker, own)
        get = run(moved, "org", "--isolated", "get", "org://x.org/headline/A", folder=own)
        put = run(moved, "org", "--isolated", "set", "org://x.org/headline/A", "--state", "DONE", folder=own)
    fine = get.code == 0 and get.wall < 3 and put.code == 2 and put.wall < 10
    return Outcome(fine, f"get {get.wall:.1f} s, exit code {get.code}; set {put.wall:.1f} s, exit code {put.code}")


# B5: targets of conversions.


def target(name, make, arguments, check):
    def attempt(place):
        own = place.write("own/t.qmd", "# A\n").parent
        outside = place.write("outside.html", "KEEP\n")
        make(own, outside)
        ran = run(Place(place.program, place.worker, own), "convert", *arguments, folder=own)
        kept = outside.read_text() == "KEEP\n" and (own / "t.qmd").read_text() == "# A\n"
        return Outcome(kept and ran.wall < 10 and ran.within(SECONDS, MEMORY) and check(own, ran), f"{ran.cost}, kept: {kept}: {ran.text.strip()[-100:]}")

    return Case("B5", name, "10 s, no other file is changed", attempt)


def by_service(name, path, make=lambda own, outside: None):
    def attempt(place):
        own = place.write("own/t.qmd", "# A\n").parent
        outside = place.write("outside.html", "KEEP\n")
        make(own, outside)
        named = path(own, outside)
        with Started(Place(place.program, place.worker, own), "--root", own, "--toolsets", "quarto") as service:
            begin = time.monotonic()
            answer = service.call("quarto_render", content="# A\n", format="html", output_path=named)
            took = time.monotonic() - begin
            well = is_well_soon(service)
        kept = outside.read_text() == "KEEP\n" and (own / "t.qmd").read_text() == "# A\n"
        kept &= sorted(p.name for p in place.folder.iterdir() if not p.name.startswith(".") and p.suffix != ".log") == ["outside.html", "own"]
        return Outcome(kept and took < 10 and well, f"{took:.1f} s, kept: {kept}, well: {well}: {json.dumps(answer)[-160:]}")

    return Case("B5", f"service: the output is {name}", "10 s, no file outside is changed", attempt)


TARGETS = [
    target("an output that is the document", lambda own, outside: None, ("t.qmd", "--to", "html", "-o", "t.qmd", "--force"), lambda own, ran: ran.code == 2),
    target("an output that is a link to the document", lambda own, outside: (own / "o.html").symlink_to("t.qmd"),
           ("t.qmd", "--to", "html", "-o", "o.html", "--force"), lambda own, ran: True),
    target("an output that is another name of the document", lambda own, outside: os.link(own / "t.qmd", own / "o.html"),
           ("t.qmd", "--to", "html", "-o", "o.html", "--force"), lambda own, ran: True),
    target("an output that is a folder", lambda own, outside: (own / "o.html").mkdir(), ("t.qmd", "--to", "html", "-o", "o.html", "--force"),
           lambda own, ran: True),
    target("an output that is a pipe", lambda own, outside: os.mkfifo(own / "o.html"), ("t.qmd", "--to", "html", "-o", "o.html", "--force"),
           lambda own, ran: ran.code == 2),
    target("two documents with one output", lambda own, outside: (own / "t.md").write_text("# B\n"), ("t.qmd", "t.md", "--to", "html", "-o", "out/"),
           lambda own, ran: True),
    target("5,000 documents", lambda own, outside: [(own / f"d{n}.qmd").write_text("# A\n") for n in range(3_000)],
           (".", "--to", "gfm", "-o", "out/"), lambda own, ran: len(list((own / "out").glob("**/*.md"))) >= 3_000),
    target("a document that cannot be read among others", lambda own, outside: (own / "u.qmd").write_bytes(b"\xff\xfe\x00"),
           ("t.qmd", "u.qmd", "--to", "html", "-o", "out/"), lambda own, ran: (own / "out/t.html").exists()),
    by_service("outside (..)", lambda own, outside: "../outside.html"),
    by_service("outside (absolute)", lambda own, outside: str(outside)),
    by_service("a link out", lambda own, outside: "o.html", lambda own, outside: (own / "o.html").symlink_to(outside)),
    by_service("below a link out", lambda own, outside: "l/o.html", lambda own, outside: (own / "l").symlink_to(outside.parent)),
    by_service("a pipe", lambda own, outside: "o.html", lambda own, outside: os.mkfifo(own / "o.html")),
    by_service("a folder", lambda own, outside: "o.html", lambda own, outside: (own / "o.html").mkdir()),
    by_service("the document of another type", lambda own, outside: "t.qmd"),
    by_service("a name of 5,000 characters", lambda own, outside: "a" * 5_000 + ".html"),
    by_service("a name with control characters", lambda own, outside: "a\x1b[31m\n.html"),
    by_service("a hidden journal", lambda own, outside: ".x.org.proofmark-journal"),
]

CASES = [
    *(converted("B1", name, make, form) for name, (forms, make) in MULTIPLIED.items() for form in forms),
    *(converted("B2", f"{count} x {mark!r}", lambda mark=mark, count=count: {"t.qmd": mark * count + "\n"}, form)
      for mark, count in MARKS.items() for form in FORMS),
    *(converted("B2", name, lambda make=make: {"t.qmd": make()}, form) for name, make in BUILT.items() for form in FORMS),
    *(leads_out(what, text, way, form) for what, text in OUTSIDE.items() for way in WAYS for form in (HTML, SLIDES)),
    *(odd(name, kind, text) for name, text in NAMED.items() for kind in SPECIAL),
    *INCLUDES,
    *JOURNALS,
    Case("B4", "another program holds the lock of a file", "reading in 3 s; a change is refused in 10 s", held),
    *TARGETS,
]
