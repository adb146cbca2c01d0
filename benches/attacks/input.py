"""Documents, rule files, packs, and flows that take more work, memory, or stack than their size explains."""
import json
import re
import threading
import time

from harness import MEMORY, ROOT, Case, Outcome, Service, answered, bounded, run, survived

RULES = "version: 1\nrules:\n"
RULE = ("  - id: XX#N\n    name: rule-#N\n    severity: error\n    since: 0.1.0\n    given: $\n    explain: Because a document of a stranger says so.\n")
FLOW = ("id: app\nflows:\n  - id: f\n    variables: [{id: a, type: text}]\n    inputs: [a]\n    outputs: [a]\n    steps:\n")
CONFIGURATION = '[packs]\npaths = ["pack"]\n'
PACK = "version: 1\nname: hostile\ndescription: A pack of a stranger.\nprefix: XX\nkinds: [yaml]\n"


def numbered(form, count, head=""):
    return head + "".join(form.replace("#N", str(number)) for number in range(count))


def rule(check, message="m", number="001"):
    """A rule file with one rule; the check is YAML, the message any text."""
    return RULES + RULE.replace("#N", number) + f"    message: {json.dumps(message)}\n    check: {check}\n"


def cel(expression):
    return rule("{cel: " + json.dumps(expression) + "}")


def fence(diagram):
    return f"```mermaid\n{diagram}\n```\n\n"


def glob(braces):
    return '[files]\nexclude = ["' + braces + '"]\n'


def doubled(keyword, times):
    """A schema whose evaluation doubles at each of some levels."""
    definitions = {"a0": {"type": "string"}}
    for level in range(1, times):
        part = {"$ref": f"#/$defs/a{level - 1}"}
        definitions[f"a{level}"] = {keyword: [part, part]}
    return json.dumps({"$defs": definitions, "$ref": f"#/$defs/a{times - 1}"})


def patterns(count):
    rules = (RULE.replace("#N", f"{number:03}") + f"    message: m\n    check: {{pattern: '\\pL{{500}}{number}'}}\n"
             for number in range(count))
    return RULES + "".join(rules)


def many_rules():
    return numbered("  - {id: A}\n", 100_000, RULES)


# Expressions that nested parsers would follow to the end of the stack.
CHAIN = "1" + "+1" * 2_000
SUMS = {
    "CEL 2000-term chain": cel(CHAIN),
    "CEL 5000-term chain": cel("1" + "+1" * 5_000),
    "CEL 20000-term chain": cel("1" + "+1" * 20_000),
    "CEL [0] chain 3000": cel("self" + "[0]" * 3_000),
    "CEL when chain 5000": rule("{when: {cel: " + json.dumps("1" + "+1" * 5_000) + "}, required: a}"),
    "minijinja + chain 20000": rule("{required: a}", "{{ 1" + "+1" * 20_000 + " }}"),
    "minijinja ~ chain 20000": rule("{required: a}", "{{ 1" + "~1" * 20_000 + " }}"),
    "minijinja filter chain 20000": rule("{required: a}", "{{ value" + "|upper" * 20_000 + " }}"),
    "minijinja attr chain 20000": rule("{required: a}", "{{ value" + ".a" * 20_000 + " }}"),
    "minijinja not chain 20000": rule("{required: a}", "{{ " + "not " * 20_000 + "value }}"),
    "minijinja neg chain 20000": rule("{required: a}", "{{ " + "-" * 20_000 + "1 }}"),
    "300 regexes": patterns(300),
    "3000 regexes": patterns(3_000),
    "schema allOf exponential": rule("{schema: {schema: " + doubled("allOf", 40) + "}}"),
}
SMALLEST = {
    "CEL + chain in check.cel": cel("1" + "+1" * 1_451),
    "CEL [0] chain": cel("self" + "[0]" * 1_396),
    "minijinja - chain": rule("{required: a}", "{{ " + "-" * 5_304 + "1 }}"),
    "minijinja filter chain": rule("{required: a}", "{{ value" + "|upper" * 8_718 + " }}"),
}
BRACES = {
    "config glob nested braces": glob("{a," * 13_127 + "}" * 13_127),
    "config glob nested braces (one brace a time)": glob("{" * 13_127 + "}" * 13_127),
}


def rule_files():
    smallest = "smallest text that kills the service: "
    for name, text in SMALLEST.items():
        yield survived("1-mcp-min", smallest + name, "validate", {"kind": "rulefile", "text": text})
    for name, text in BRACES.items():
        yield survived("1-mcp-min", smallest + name, "validate", {"kind": "config", "text": text})
    group = "1-mcp-rulefile"
    for name, text in SUMS.items():
        yield survived(group, name, "validate", {"kind": "rulefile", "text": text})
    yield survived(group, "100k rules", "validate", lambda: {"kind": "rulefile", "text": many_rules()})
    yield survived(group, "config glob nested braces", "validate", {"kind": "config", "text": glob("{a," * 20_000)})
    yield survived(group, "CEL chain by validate, kind not named", "validate", {"text": cel(CHAIN)})
    yield survived(group, "CEL chain by fix_text, kind rulefile", "fix_text", {"kind": "rulefile", "text": cel(CHAIN)})
    yield survived(group, "CEL chain over stdio", "validate", {"kind": "rulefile", "text": cel(CHAIN)}, http=False)


def pack_rules():
    """The rules of a pack for each attack."""
    nested = "self.a.all(b, self.a.exists(c, self.a.all(d, self.a.exists(e, b + c + d + e > 3))))"
    fifth = "self.a.all(b, self.a.all(c, self.a.all(d, self.a.all(e, self.a.all(f, f == f)))))"
    grown = "self.a.map(x, " + "".join("(" for _ in range(24)) + "'x'" + ".replace('x', 'xxxx'))" * 24 + ".size() > 0)"
    return {
        "CEL 20k-term chain": cel("1" + "+1" * 20_000),
        "CEL nested all/exists": cel(nested),
        "CEL nested 5 (2000^5)": cel(fifth),
        "CEL map doubling string": cel(grown + ".size() == 0"),
        "schema allOf exponential": rule("{schema: {schema: " + doubled("allOf", 40) + "}}"),
        "schema anyOf exponential": rule("{schema: {schema: " + doubled("anyOf", 40) + "}}"),
        "regex \\pL{500} in 300 rules": patterns(300),
        "minijinja replace": rule("{forbidden: true}", "{% set t = 'x' %}" + "{% set t = t|replace('x', 'xxxxxxxxxx') %}" * 12 + "{{ t }}"),
        "minijinja indent": rule("{forbidden: true}", "{{ 'a\nb'|indent(999999999) }}"),
    }


GRAMMARS = {"grammar repeat 1e9": '"a"{1000000000}', "grammar nested repeat": '(("a"{1000}){1000}){1000}'}
# Rows of the review: `rules test` and `check`, or only one of them.
PACKS = {name: ("rules", "check") for name in ["CEL 20k-term chain", "CEL map doubling string", "schema allOf exponential",
                                               "schema anyOf exponential", "regex \\pL{500} in 300 rules", "minijinja replace",
                                               "minijinja indent"]}
PACKS |= {"CEL nested all/exists": ("check",), "CEL nested 5 (2000^5)": ("check",)}


def pack_case(name, how, document, files):
    arguments = {"rules": ["--isolated", "rules", "test", "pack"], "check": ["--config", "proofmark.toml", "check", document]}
    return bounded("1-packs", f"{name} [{how}]", arguments[how], {**files, "proofmark.toml": CONFIGURATION})


def grammar(expression):
    """The files of an example pack with a kind of its own, whose grammar has another expression for the title."""
    folder = ROOT / "examples/packs/sku"
    files = {f"pack/{path.name}": path.read_bytes() for path in folder.glob("*.*") if path.is_file()}
    text, changed = re.subn(r"^title_text = .*$", f"title_text = _{{ {expression} }}", files["pack/sku.pest"].decode(), flags=re.M)
    if changed != 1:
        raise ValueError("the grammar has no title")
    return {**files, "pack/sku.pest": text, "a.sku": "= aaa\nA-1: 9.95 sold\n"}


def packs():
    document = "a: [" + "1, " * 2_000 + "1]\n"
    for name, hows in PACKS.items():
        files = {"pack/pack.yaml": PACK, "pack/rules.yaml": pack_rules()[name], "a.yaml": document}
        yield from (pack_case(name, how, "a.yaml", files) for how in hows)
    for name, expression in GRAMMARS.items():
        yield from (pack_case(name, how, "a.sku", grammar(expression)) for how in ("rules", "check"))


# Conditions that read, make, or keep more than a turn of a loop explains, beyond what the review tried. The document has a
# text of 1 MB and a list of 60,000 words.
CONDITIONS = [
    "self.a.all(x, x in self.a)", "[self.a].all(l, self.a.all(x, !(x + '_' in l)))", "self.a.all(x, self.a == self.a)",
    "self.a.all(x, self.text == self.text)", "self.a.all(x, !self.text.contains('zz'))", "self.a.all(x, self.text.size() > 5)",
    "self.a.all(x, self.text.lower() != x)", "self.a.all(x, self.text.split('b').size() > 5)",
    "self.a.all(x, !self.text.matches('^(ab)*z'))", "self.a.all(x, self.text.capture('^(ab)*(z)').size() < 9)",
    "self.a.all(x, self.text.indexOf('zz') < 0)", "self.a.all(x, string(self.text).substring(3, 5) != 'zz')",
    "self.a.map(x, [x, self.text]).size() > 5", "self.a.map(x, self.text.substring(0, 30000)).size() > 5",
    "self.a.map(x, self.a).size() > 5", "self.a.filter(x, self.a.size() == 3).size() == 0",
]


def conditions():
    document = lambda: "text: " + "ab" * 500_000 + "\n" + numbered("- k#N\n", 60_000, "a:\n")
    for expression in CONDITIONS:
        files = {"pack/pack.yaml": PACK, "pack/rules.yaml": cel(expression), "a.yaml": document, "proofmark.toml": CONFIGURATION}
        yield bounded("conditions", expression, ["--config", "proofmark.toml", "check", "a.yaml"], files)


def bombs():
    """Deep and repeated text, in the forms that readers of every kind meet."""
    pieces = ["{", "[", "(", "<", "- ", "? ", "> ", "* ", "*a ", "**a ", "_a", "`a", "[a](", "![", "{{", "((", "[[", "a: ", "a.b.",
              "a:\n ", "- [\n", "- &a b\n", "- *a\n", "k: v\n", "\"", "'", "|\n", "# ", "#a\n", "<!--", "<a>", "a --> ", "%%{",
              "::: {.a}\n", "{{< a", "$a", "\\", "&amp;", "!a ", "!!str ", "---\n", "...\n", "\t", "\r", "\0", "\u202e", "\U0001f600",
              "a = 1\n", "[a]\n", "[[a]]\nb = 1\n", "//a\n", "/*", "${A}", "{x}", "1e9", "9"]
    return [piece * (200_000 // len(piece.encode())) for piece in pieces]


def documents():
    group = "1-check"
    check = lambda name, path, text, *more, **bound: bounded(group, name, ["--isolated", "check", *more, path], {path: text}, **bound)
    yield check("rulefile-100k-rules", "a.rules.yaml", many_rules)
    yield check("suppress-comments-100k", "a.md", lambda: numbered("<!-- proofmark-ignore MD#N: why -->\n\n", 100_000))
    yield check("yaml-dup-keys-1M", "a.yaml", lambda: "k: v\n" * 1_000_000)
    yield check("yaml-stars-500k", "a.yaml", lambda: "*a " * 500_000)
    yield check("yaml-braces", "a.yaml", lambda: "{" * 1_000_000)
    yield check("yaml-anchor-chain-100k read as qtype", "a.qtype.yaml", lambda: numbered("- &a#N [*a#N]\n", 100_000))
    yield check("emph-a** read as config", "proofmark.toml", lambda: "a**" * 330_000, "--kind", "config")
    yield check("yaml-anchors-500k read as config", "proofmark.toml", lambda: "- &a b\n" * 500_000, "--kind", "config")
    yield check("yaml-quote-open-10MB read as config", "proofmark.toml", lambda: '"' + "a: b\n" * 2_000_000, "--kind", "config")
    yield bounded(group, "check . of a repository with one such rule file", ["check", "."],
                  {"a.rules.yaml": SUMS["CEL 20000-term chain"], "proofmark.toml": "", "b.yaml": "a: 1\n"})
    for kind, name in (("qtype", "a{}.qtype.yaml"), ("config", "a{}.toml")):
        files = lambda name=name: {name.format(number): text for number, text in enumerate(bombs())}
        yield bounded(group, f"56 deep bombs read as {kind} in worker threads",
                      ["--isolated", "check", "--kind", kind, "--format", "concise", "."], files, seconds=60)


def batch_lines(place, texts, good):
    """Runs `batch` on records with some good ones among them, and returns what it gave and whether those have their results."""
    records = [{"id": f"bad{at}", "kind": kind, "text": text} for at, (kind, text) in enumerate(texts)]
    for at in range(good):
        records.insert(at * len(records) // good, {"id": f"good{at}", "kind": "yaml", "text": "a: 1\n"})
    ran = run(place, "batch", "--isolated", stdin="".join(json.dumps(record) + "\n" for record in records).encode())
    results = [json.loads(line) for line in ran.out.splitlines()]
    whole = [result["id"] for result in results] == [record["id"] for record in records]
    return ran, whole and all(result.get("valid") for result in results if result["id"].startswith("good"))


def batches():
    def among_others(place):
        ran, whole = batch_lines(place, [("rulefile", SUMS["CEL 20000-term chain"])], 16)
        return Outcome(whole and ran.within(), ran.cost)

    def many(place):
        kinds = ["markdown", "yaml", "json", "toml", "qtype", "mermaid", "rulefile", "config"]
        texts = [(kinds[at % len(kinds)], text) for at, text in enumerate(bombs() * 3)][:156]
        ran, whole = batch_lines(place, texts, 16)
        return Outcome(whole and ran.within(60), f"{ran.cost}, {len(ran.out.splitlines())} results")

    yield Case("1-batch", "the same as a record of batch: `the others are not affected`", "a result for each record", among_others)
    yield Case("1-batch", "172 hostile records in one stream", f"a result for each record, 60 s, {MEMORY} MiB", many)


# The first words of diagrams by the names that the review gave their types, and those that it tried with one piece only.
TYPES = {
    "architecture": "architecture-beta", "agentflow": "agentflow-beta", "c4": "C4Context", "c4dep": "C4Deployment",
    "class": "classDiagram", "er": "erDiagram", "info": "info", "pie": "pie", "requirement": "requirementDiagram",
    "sequence": "sequenceDiagram", "gitgraph": "gitGraph", "flowchart": "flowchart TD", "flowchart-elk": "flowchart-elk TD",
    "swimlane": "swimlane-beta", "state1": "stateDiagram", "quadrant": "quadrantChart", "packet": "packet-beta",
    "xychart": "xychart-beta", "block": "block-beta", "eventmodeling": "eventmodeling", "radar": "radar-beta",
    "treemap": "treemap-beta", "venn": "venn-beta", "wardley": "wardley-beta", "cynefin": "cynefin-beta",
}
# The bound of the review for a diagram of 64 KiB.
DIAGRAM_SECONDS, DIAGRAM = 1, 64 << 10


def diagram(name, header, piece):
    text = lambda: header + "\n" + piece * (DIAGRAM // len(piece))
    return bounded("1-mermaid", name, ["--isolated", "check", "a.mmd"], {"a.mmd": text}, seconds=DIAGRAM_SECONDS)


def every_diagram(name, count):
    """Each of some pieces in each type, one run for a type."""
    pieces = ["{", "{{", "(\n", "[", '"', "<", "a\n", "end ", "%%{", "a --> ", "&&&", "#a;", "{\n", "a: b : c\n", "subgraph a\n"]

    def attempt(place):
        worst, types = (0.0, 0.0, ""), list(TYPES.items())[:count]
        for type_name, header in types:
            for piece in pieces:
                place.write("a.mmd", header + "\n" + piece * (DIAGRAM // len(piece)))
                ran = run(place, "--isolated", "check", "a.mmd")
                if not ran.within(DIAGRAM_SECONDS):
                    return Outcome(False, f"{type_name} {piece!r}: {ran.cost}")
                worst = max(worst, (ran.seconds, ran.mib, f"{type_name} {piece!r}"))
        return Outcome(True, f"{len(types) * len(pieces)} diagrams, longest {worst[0]:.2f} s ({worst[2]})")

    return Case("1-mermaid", name, f"{DIAGRAM_SECONDS} s each", attempt)


def diagrams():
    for name, header in TYPES.items():
        yield diagram(f"{name} '{{'*", header, "{")
        yield diagram(f"{name} '{{{{'*", header, "{{")
    for piece in "({":
        yield diagram(f"mindmap '{piece}' nl*", "mindmap", piece + "\n")
    yield diagram("block 'end '*", "block-beta", "end ")
    yield every_diagram("6843 hostile diagrams of 64 KiB in 14 types", 14)
    yield every_diagram("11676 hostile diagrams of 64 KiB in 25 types", 25)


def flows():
    flow = lambda name, text, files=None, **bound: bounded(
        "1-qtype", name, ["--isolated", "check", "--format", "concise", "a.qtype.yaml"],
        {"a.qtype.yaml": text, **(files or {})}, **bound)
    steps = "      - {id: s#N, type: LLMInference, model: m#N, inputs: [b#N], outputs: [c#N]}\n"
    unknown = "  - {type: Model, id: model#N, provider: openai}\n"
    template = FLOW + '      - {id: s, type: PromptTemplate, template: "'
    end = '", inputs: [a], outputs: [a]}\n'
    large = {"large.txt": lambda: "x" * 9_000_000}
    items = {"items.yaml": lambda: "- a\n" * 200_000}
    yield flow("10k-step flow, every reference wrong", lambda: numbered(steps, 10_000, FLOW))
    yield flow("10k unknown models, 10k models (nearest)", lambda: numbered(unknown, 10_000, "id: app\nmodels:\n")
               + numbered("      - {id: s#N, type: LLMInference, model: modle#N, inputs: [a], outputs: [a]}\n", 10_000,
                          FLOW.removeprefix("id: app\n")))
    ids = lambda first, second: ("id: app\nmodels:\n  - {type: Model, provider: openai, id: " + first + ", auth: " + second + "}\n")
    yield flow("1 MB ids", lambda: ids("x" * 1_000_000, "y" * 1_000_000))
    yield flow("1 MB ids, nearest of 2 (1e12 edit distance)", lambda: ids("x" * 1_000_000, "x" * 1_000_000 + "y"))
    yield flow("template with 200k placeholders", lambda: template + "{x}" * 200_000 + end)
    include = lambda tag, path, count: "id: app\nmetadata:\n" + numbered(f"  a#N: !{tag} {path}\n", count)
    yield flow("1000 x !include_raw of a 9 MB file", include("include_raw", "large.txt", 1_000), large)
    yield flow("300 x !include_raw of a 9 MB file (7.5 KB document)", include("include_raw", "large.txt", 300), large)
    yield flow("1000 x !include of a 200k-node file", include("include", "items.yaml", 1_000), items)

    def bare_name(place):
        place.write("shared/models.yaml", "- {type: Model, id: m, provider: openai}\n")
        place.write("a.qtype.yaml", "id: app\nmodels: !include shared/models.yaml\n")
        ran = run(place, "--isolated", "check", "a.qtype.yaml")
        return Outcome(ran.code in (0, 1) and "cannot be included" not in ran.text, ran.cost)

    yield Case("1-qtype", "(no attack) `cd examples/qtype; proofmark check include.qtype.yaml`", "its includes are found", bare_name)


def tools():
    group = "1-mcp-bombs"
    frontmatter = lambda lines: f"---\nQUILL: letter\n{lines}---\n\n# A\n"
    braces = {"kind": "yaml", "text": "{" * 1_000_000}
    calls = [
        ("validate_frontmatter link-refs-100k", "validate_frontmatter", lambda: {"markdown": numbered("[a#N]: b\n", 100_000)}),
        ("validate_frontmatter link-refs-same", "validate_frontmatter", lambda: {"markdown": "[a]: b\n" * 100_000}),
        ("validate_frontmatter footnotes-200k", "validate_frontmatter", lambda: {"markdown": numbered("[^#N]: note\n\n", 100_000)}),
        ("render_document frontmatter-200k-keys", "render_document",
         lambda: {"markdown": frontmatter(numbered("key_#N: v\n", 100_000)), "validate_only": True}),
        ("render_document frontmatter-dup-keys-100k", "render_document",
         lambda: {"markdown": frontmatter("key: v\n" * 100_000), "validate_only": True}),
        ("fix_text yaml-braces", "fix_text", braces),
        ("validate rulefile-100k-rules", "validate", lambda: {"kind": "rulefile", "text": many_rules()}),
        ("fix_text rulefile-100k-rules", "fix_text", lambda: {"kind": "rulefile", "text": many_rules()}),
    ]
    yield from (survived(group, name, tool, arguments) for name, tool, arguments in calls)


# How much longer an ordinary call may take, in seconds, while hostile ones run.
DELAY = 0.5
HOSTILE = {
    "mindmap 4 KB": lambda: {"kind": "mermaid", "text": "mindmap\n" + "a\n" * 2_000},
    "mindmap 8 KB": lambda: {"kind": "mermaid", "text": "mindmap\n" + "a\n" * 4_000},
    "flowchart { x 256 KiB": lambda: {"kind": "mermaid", "text": "flowchart TD\n" + "{" * 260_000},
    "dup keys 1 MB": lambda: {"kind": "yaml", "text": "k: v\n" * 200_000},
    "flowchart < x 4 fences 1 MB": lambda: {"kind": "markdown", "text": fence("flowchart TD\n" + "<" * 240_000) * 4},
    "rulefile 100k rules": lambda: {"kind": "rulefile", "text": many_rules()},
    "long ids 400 KB": lambda: {"kind": "qtype", "text": "id: app\nmodels:\n  - {type: Model, provider: openai, id: "
                                + "x" * 200_000 + ", auth: " + "x" * 200_000 + "y}\n"},
}


def beside(service, calls):
    """Makes calls at the same time, each (tool, arguments), and ordinary ones until they end. Returns how long those took, and
    how many of them failed."""
    threads = [threading.Thread(target=service.call, args=(tool,), kwargs=arguments) for tool, arguments in calls]
    for thread in threads:
        thread.start()
    took, failed = [], 0
    while len(took) < 40 or any(thread.is_alive() for thread in threads):
        begin = time.perf_counter()
        answer = service.call("validate", text="a: 1\n", kind="yaml")
        took.append(time.perf_counter() - begin)
        failed += not (answer and "result" in answer)
        time.sleep(0.05)
    return took, failed


def concurrent(name, calls, *options):
    def attempt(place):
        with Service(place, *options) as service:
            took, failed = beside(service, calls(place))
            peak = service.peak()
        took.sort()
        late = took[int(len(took) * 0.99)]
        return Outcome(late <= DELAY and failed == 0 and peak <= MEMORY,
                       f"p99 {late * 1000:.0f} ms of {len(took)} calls, {failed} failed, {peak:.0f} MiB")

    return Case("1-concurrent", name, f"p99 {DELAY} s, none fails, {MEMORY} MiB", attempt)


def searches(place):
    """Patches whose hunk is nowhere in a file of half a million lines."""
    place.write("a.md", "a line like all others\n" * 500_000)
    diff = "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n a line like all others\n-a line like no other\n+b\n a line like all others\n"
    return [("validate_patch", {"path": "a.md", "diff": diff})] * 16


def together():
    for name, arguments in HOSTILE.items():
        yield concurrent(name, lambda _, arguments=arguments: [("validate", arguments())] * 16, "--no-files")
    yield concurrent("patch search", searches, "--root", ".")


CASES = [*rule_files(), *packs(), *conditions(), *documents(), *batches(), *diagrams(), *flows(), *tools(), *together()]
