#!/usr/bin/env python3
"""Compare the blocks that Proofmark reads from Markdown with those of Pandoc.

  pandoc_blocks.py --read PROGRAM [--pandoc PROGRAM] [--mutated N] [--seed N] [--show N] [--min SHARE] FILE...

PROGRAM is `target/debug/examples/pandoc_json` (`cargo build -p proofmark-convert --example pandoc_json`). A FILE is
a JSONL file of records with `text`, a test file of Pandoc with `% pandoc` commands, or a Markdown file. `--mutated`
adds N documents with one to three random changes.

Blocks are compared after both sides are normalized: quotation marks as characters, executable cells and shortcodes as
Quarto prepares them for Pandoc, neighboring raw HTML as one, widths of columns to two digits, no text of citations. Containers
count as their opening and their end, so that a difference within a div is one difference.
"""
import argparse, collections, concurrent.futures, difflib, json, pathlib, random, re, subprocess, sys

FROM = "markdown+tex_math_single_backslash-auto_identifiers"
SHORTCODE = re.compile(r"\{?\{\{<.*?>\}\}\}?")
CELL = re.compile(r"^([ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:`{3,}|~{3,}))[ \t]*\{([A-Za-z][\w-]*)(?:[ \t,][^}\n]*)?\}[ \t]*$", re.M)
SHOWN = re.compile(r"^([ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:`{3,}|~{3,}))[ \t]*\{\{([^}\n]*)\}\}[ \t]*$", re.M)
MARKS = list("*_`~^[](){}<>#|:-+=$\\\"'@!. \n") + ["::: {.a}\n", "\n:::\n", "\n\n", "  ", "    ", "```\n", "> ", "- ", "1. ", "**", "--- "]


def documents(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".jsonl":
        for line in filter(None, text.split("\n")):
            record = json.loads(line)
            if not record.get("should_error"):
                yield record["id"], record["text"]
    elif "% pandoc" in text:
        for i, block in enumerate(re.findall(r"^% pandoc([^\n]*)\n(.*?)^\^D$", text, re.M | re.S)):
            source = re.search(r"(?:-f|--from|-r|--read)[ =]?\s*(\S+)", block[0])
            if source is None or source[1] == "markdown":
                yield f"{path.name}#{i}", block[1]
    else:
        yield path.name, text


def body(text):
    """Text without its header, which no document model has."""
    found = re.match(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)", text, re.S)
    return text[found.end():] if found else text


def mutated(text, random):
    for _ in range(random.randint(1, 3)):
        lines = text.split("\n")
        at = random.randrange(len(lines))
        kind = random.randrange(8)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[at])
        elif kind == 2 and at + 1 < len(lines):
            lines[at:at + 2] = [lines[at] + lines[at + 1]]
        elif kind == 3:
            lines.insert(at, "")
        elif kind == 4:
            lines[at] = " " * random.randint(1, 4) + lines[at]
        elif kind == 5:
            lines[at] = lines[at].lstrip()
        if kind < 6:
            text = "\n".join(lines)
            continue
        places = [i for i, c in enumerate(text) if c in "*_`~^[](){}<>#|:-+=$\\\"'@!\n"] or [0]
        at = random.choice(places)
        text = text[:at] + text[at + 1:] if kind == 6 else text[:at] + random.choice(MARKS) + text[at:]
    return text


def prepared(text):
    """Text as Quarto's reader hands it to Pandoc: cells with attributes, shortcodes as words."""
    text = text.replace("\r\n", "\n")
    text = SHOWN.sub(r'\1 {.cell-code shown="\2"}', CELL.sub(r'\1{cell="\2"}', text))
    return SHORTCODE.sub(token, text)


def unprepared(text):
    """Text in which what looks like a cell is none."""
    return re.sub(r"\{cell=[\"“]([\w-]+)[\"”]\}", r"{\1}", text)


def token(found):
    return "shortcode" + "".join(c for c in found[0] if c.isalnum())


def inline(x):
    t, c = x["t"], x.get("c")
    if t == "Quoted":
        open_, close = ("“", "”") if c[0]["t"] == "DoubleQuote" else ("‘", "’")
        return [("Str", open_), *inlines(c[1]), ("Str", close)]
    if t == "Str":
        return [("Str", SHORTCODE.sub(token, c))]
    if t in ("Space", "SoftBreak"):
        return [(t,)]
    if t == "LineBreak":
        return [(t,)]
    if t == "Code":
        return [(t, attr(c[0]), unprepared(SHORTCODE.sub(token, c[1])))]
    if t == "Math":
        return [(t, c[0]["t"], c[1].strip())]
    if t == "RawInline":
        return [(t, c[0], c[1])]
    if t in ("Link", "Image"):
        return [(t, attr(c[0]), tuple(inlines(c[1])), url(c[2][0]), c[2][1])]
    if t == "Note":
        return [(t, tuple(map(repr, flat(c))))]
    if t == "Span":
        return [(t, attr(c[0]), tuple(inlines(c[1])))]
    if t == "Cite":
        return [(t, tuple((k["citationId"], k["citationMode"]["t"], tuple(inlines(k["citationPrefix"])), tuple(inlines(k["citationSuffix"]))) for k in c[0]))]
    return [(t, tuple(inlines(c)))]


def url(text):
    # Identifiers of headings are given later.
    text = SHORTCODE.sub(token, re.sub(r"\{\{.*?\}\}", lambda m: m[0].replace("%20", " "), text))
    return "#" if text.startswith("#") else text


def inlines(xs):
    out = []
    for x in (y for x in xs for y in inline(x)):
        if out and x[0] == "Str" == out[-1][0]:
            out[-1] = ("Str", out[-1][1] + x[1])
        elif out and x[0] == "RawInline" == out[-1][0] and x[1] == out[-1][1]:
            out[-1] = (*out[-1][:2], out[-1][2] + x[2])
        else:
            if x[0] == "Str" and x[1].startswith("{#eq-") and x[1].endswith("}"):
                # Quarto makes spans of formulas with labels.
                at = next((i for i in (-1, -2) if len(out) >= -i and out[i][:2] == ("Math", "DisplayMath")), None)
                if at is not None:
                    out[at:] = [("Span", (x[1][2:-1], (), ()), (out[at],))]
                    continue
            out.append(x)
    return [("Str", unprepared(x[1])) if x[0] == "Str" else x for x in out]


def attr(a):
    return (a[0], tuple(a[1]), tuple((k, SHORTCODE.sub(token, v)) for k, v in a[2]))


def flat(blocks):
    """Blocks as items, containers as their opening and their end."""
    out = []
    for b in blocks:
        t, c = b["t"], b.get("c")
        if t in ("Plain", "Para"):
            out.append((t, tuple(inlines(c))))
        elif t == "LineBlock":
            out.append((t, tuple(tuple(inlines(x)) for x in c)))
        elif t == "CodeBlock":
            out.append((t, attr(c[0]), prepared(c[1])))
        elif t == "RawBlock":
            text = re.sub(r"\s+", " ", SHORTCODE.sub(token, c[1])).strip()
            if out and out[-1][0] == "RawBlock" and out[-1][1] == c[0]:
                out[-1] = (t, c[0], out[-1][2] + " " + text)
            else:
                out.append((t, c[0], text))
        elif t == "Header":
            out.append((t, c[0], attr(c[1]), tuple(inlines(c[2]))))
        elif t == "BlockQuote":
            out += [("Quote",), *flat(c), ("/Quote",)]
        elif t in ("BulletList", "OrderedList"):
            how, items = ((), c) if t == "BulletList" else ((c[0][0], c[0][1]["t"], c[0][2]["t"]), c[1])
            out.append((t, how))
            for item in items:
                out += [("Item",), *flat(item)]
            out.append(("/" + t,))
        elif t == "DefinitionList":
            out.append((t,))
            for term, definitions in c:
                out.append(("Term", tuple(inlines(term))))
                for d in definitions:
                    out += [("Definition",), *flat(d)]
            out.append(("/" + t,))
        elif t == "Div":
            out += [(t, attr(c[0])), *flat(c[1]), ("/Div",)]
        elif t == "Figure":
            out += [(t, attr(c[0]), repr(flat(c[1][1]))), *flat(c[2]), ("/Figure",)]
        elif t == "Table":
            rows = lambda rows: tuple(tuple((x[2], x[3], repr(flat(x[4]))) for x in r[1]) for r in rows)
            columns = tuple((x[0]["t"], round(x[1].get("c", 0), 2)) for x in c[2])
            bodies = tuple(rows([*x[2], *x[3]]) for x in c[4])
            out.append((t, attr(c[0]), repr(flat(c[1][1])), columns, rows(c[3][1]), bodies, rows(c[5][1])))
        else:
            out.append((t,))
    return out


def of_pandoc(program, text):
    p = subprocess.run([program, "-f", FROM, "-t", "json"], input=prepared(text).encode(), capture_output=True, timeout=60)
    return json.loads(p.stdout)["blocks"] if p.returncode == 0 else None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="+", type=pathlib.Path)
    p.add_argument("--read", required=True)
    p.add_argument("--pandoc", default="pandoc")
    p.add_argument("--mutated", type=int, default=0)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--show", type=int, default=0)
    p.add_argument("--only", default="", help="show differences whose kind contains this")
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--min", type=float, default=0.0)
    a = p.parse_args()
    docs = [(name, body(text)) for path in a.files for name, text in documents(path) if len(text) < 60_000]
    docs = docs[::a.every]
    rng = random.Random(a.seed)
    chosen = [rng.choice(docs) for _ in range(a.mutated)]
    docs = [(f"{n}~{i}", mutated(t, rng)) for i, (n, t) in enumerate(chosen)] if a.mutated else docs
    ours = subprocess.run([a.read], input="".join(json.dumps(t) + "\n" for _, t in docs).encode(), capture_output=True, check=True).stdout
    ours = [json.loads(x) for x in ours.decode().split("\n") if x]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        theirs = list(pool.map(lambda d: of_pandoc(a.pandoc, d[1]), docs))
    equal = total = whole = read = 0
    kinds = collections.Counter()
    for (name, text), x, y in zip(docs, ours, theirs):
        if y is None:
            continue
        read += 1
        left, right = list(map(repr, flat(x))), list(map(repr, flat(y)))
        if left == right:
            same = len(left)
        else:
            matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
            same = 0
            for op, i, j, k, l in matcher.get_opcodes():
                if op == "equal":
                    same += j - i
                    continue
                of = lambda xs: "+".join(re.match(r"\('([^']*)'", v)[1] for v in xs[:2])
                kind = f"{of(left[i:j])} for {of(right[k:l])}"
                kinds[kind] += max(j - i, l - k)
                if a.show and a.only in kind:
                    a.show -= 1
                    x, y = "\n          ".join(left[i:j][:3]), "\n          ".join(right[k:l][:3])
                    at = next((n for n, (p, q) in enumerate(zip(x, y)) if p != q), 0)
                    at = max(0, at - 120)
                    print(f"--- {name}: {kind}\n  ours:   {x[at:at + 420]}\n  pandoc: {y[at:at + 420]}")
        equal += same
        total += max(len(left), len(right))
        whole += left == right
    for kind, n in kinds.most_common(25):
        print(f"{n:6}  {kind}")
    print(f"blocks: {equal} of {total} equal ({equal / max(total, 1):.2%}); documents: {whole} of {read} ({whole / max(read, 1):.1%})")
    return equal / max(total, 1) < a.min


sys.exit(main())
