//! Deep text of every kind, read with the stack that a thread of the service has: nothing exhausts it.
//!
//! Each construct is *nested* (`((((1))))`) and *chained* (`1+1+1+1`), in the text of documents and in the
//! expressions that rule files, packs and configurations hold. A failure ends the test process.

use std::{fs, sync::Arc, thread};

use proofmark::{Diagnostic, ParseOptions, Ruleset, Settings, Source, Validator};

/// The stack of a thread in a debug build, where a frame takes several times as much as in a release.
const STACK: usize = 2 << 20;

/// A construct: what is repeated before, the middle, what is repeated after.
type Construct = (&'static str, &'static str, &'static str);

fn repeated((before, middle, after): Construct, times: usize) -> String {
    format!("{}{middle}{}", before.repeat(times), after.repeat(times))
}

/// Runs with a small stack.
fn with_small_stack(run: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let small = thread::Builder::new().stack_size(STACK);
        small.spawn_scoped(scope, run).unwrap().join().unwrap();
    });
}

fn validate(validator: &Validator, kind: &str, name: &str, text: &str) -> Vec<Diagnostic> {
    let kind = validator.ruleset().kind(kind).unwrap();
    let source = Arc::new(Source::new(name, text));
    let found = validator.validate(&source, kind.as_ref(), &ParseOptions::default()).diagnostics;
    assert!(found.iter().all(|one| one.id != "PM009"), "{name}: Proofmark failed on it");
    found
}

fn builtin() -> Validator {
    Validator::new(Ruleset::builtin(), Settings::default())
}

/// A rule file with one expression in a place that takes it.
fn rule_file(field: &str, expression: &str) -> String {
    let quoted = serde_json::to_string(expression).unwrap();
    let (check, message) = match field {
        "message" => ("{pattern: x}".to_owned(), quoted.clone()),
        "given" => ("{pattern: x}".to_owned(), "\"m\"".to_owned()),
        check => (format!("{{{check}: {quoted}}}"), "\"m\"".to_owned()),
    };
    let given = if field == "given" { quoted } else { "\"$.a\"".to_owned() };
    format!(
        "version: 1\nrules:\n  - id: XX001\n    name: x\n    severity: error\n    since: 0.1.0\n    kinds: [yaml]\n\
         \x20   given: {given}\n    check: {check}\n    message: {message}\n    explain: \"Because.\"\n"
    )
}

const CEL: &[Construct] = &[
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("{'a': ", "1", "}"),
    ("size(", "1", ")"),
    ("", "1", "+1"),
    ("", "1", " - 1"),
    ("", "1", "*1"),
    ("", "true", "&&true"),
    ("", "true", "||true"),
    ("", "1", "==1"),
    ("", "1", " in [1]"),
    ("", "self", "[0]"),
    ("", "self", ".a"),
    ("", "self", ".a()"),
    ("!", "true", ""),
    ("-", "1", ""),
    ("- ", "1", ""),
    ("!-", "1", ""),
    ("true ? 1 : ", "1", ""),
    ("true ? ", "1", " : 1"),
    ("self.all(x, ", "true", ")"),
    ("r'\\' + ", "1", ""),
    ("'a' + ", "'a'", ""),
    ("// '\n 1 + ", "1", ""),
    ("'''\n''' + ", "1", ""),
];

const TEMPLATES: &[Construct] = &[
    ("{{ ", "a", " }}"),
    ("{% if a %}", "a", "{% endif %}"),
    ("{% if a %}", "a", ""),
    ("{% for a in a %}", "a", "{% endfor %}"),
    ("{% with %}", "a", "{% endwith %}"),
    ("{% set a %}", "a", "{% endset %}"),
    ("{% filter upper %}", "a", "{% endfilter %}"),
];

/// Inside of `{{ … }}` and `{% if … %}`.
const TEMPLATE_EXPRESSIONS: &[Construct] = &[
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("{'a': ", "1", "}"),
    ("f(", "1", ")"),
    ("", "1", "+1"),
    ("", "1", "~1"),
    ("", "1", " and 1"),
    ("", "1", " == 1"),
    ("", "1", " is not none"),
    ("", "1", " in [1]"),
    ("", "a", "[0]"),
    ("", "a", ".a"),
    ("", "a", "()"),
    ("", "a", "|upper"),
    ("", "a", " if a else a"),
    ("a if a else ", "a", ""),
    ("not ", "a", ""),
    ("-", "1", ""),
    ("'\\'' + ", "1", ""),
];

const PATHS: &[Construct] = &[
    ("", "$", ".a"),
    ("", "$", "..a"),
    ("", "$", "[0]"),
    ("", "$", "[?@.a]"),
    ("$[?", "@.a", "]"),
    ("$[?(", "@.a", ")]"),
    ("$[?!", "@.a", "]"),
    ("$[?length(", "@.a", ") == 1]"),
];

/// Inside of `$[?…]`.
const FILTERS: &[Construct] =
    &[("(", "@.a", ")"), ("!(", "@.a", ")"), ("!", "@.a", ""), ("@.a && ", "@.a", ""), ("@[?", "@.a", "]")];

const REGEXES: &[Construct] = &[
    ("(", "a", ")"),
    ("(?:", "a", ")*"),
    ("[", "a", "]"),
    ("[[^a]&&", "a", "]"),
    ("", "a", "*"),
    ("", "a", "{2}"),
    ("", "a", "|a"),
    ("(?i)", "a", ""),
    ("", "a", "\\pL"),
];

#[test]
fn deep_expressions_in_rule_files_are_reported_where_they_are() {
    let within =
        |outside: &'static str, inside: &Construct, times| outside.replace('…', &repeated(*inside, times));
    with_small_stack(move || {
        let validator = builtin();
        let mut reported = 0;
        for times in [100, 3_000, 20_000] {
            let mut expressions: Vec<(&str, &str, String)> = Vec::new();
            expressions.extend(CEL.iter().map(|c| ("cel", "bad-cel", repeated(*c, times))));
            expressions.extend(TEMPLATES.iter().map(|c| ("message", "bad-template", repeated(*c, times))));
            for outside in ["{{ … }}", "{% if … %}{% endif %}", "{% if a %}{% elif … %}{% endif %}"] {
                let inside = TEMPLATE_EXPRESSIONS
                    .iter()
                    .map(|c| ("message", "bad-template", within(outside, c, times)));
                expressions.extend(inside);
            }
            let branches = format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(times));
            expressions.push(("message", "bad-template", branches));
            expressions.extend(PATHS.iter().map(|c| ("given", "bad-jsonpath", repeated(*c, times))));
            let filters = FILTERS.iter().map(|c| ("given", "bad-jsonpath", within("$[?…]", c, times)));
            expressions.extend(filters);
            expressions.extend(REGEXES.iter().map(|c| ("pattern", "bad-regex", repeated(*c, times))));
            for (field, rule, expression) in expressions {
                let found = validate(&validator, "rulefile", "x.rules.yaml", &rule_file(field, &expression));
                if let Some(bad) = found.iter().find(|found| found.name == rule) {
                    reported += 1;
                    assert!((8..=10).contains(&bad.location.line), "{bad:?}");
                    assert!(bad.message.len() < 2_000, "{}", bad.message.len());
                } else {
                    let start: String = expression.chars().take(30).collect();
                    let small = times == 100 || ["message", "given", "pattern"].contains(&field);
                    assert!(small, "{times} times, {field}: {start}");
                }
            }
        }
        assert!(reported > 150, "{reported}");
    });
}

const GLOBS: &[Construct] =
    &[("{", "a", "}"), ("{a,", "a", "}"), ("[", "a", "]"), ("**/", "a", ""), ("{", "a", ""), ("", "a", "}")];

#[test]
fn deep_globs_in_configurations_are_reported() {
    with_small_stack(|| {
        let validator = builtin();
        for times in [20, 3_000, 50_000] {
            for construct in GLOBS {
                let quoted = serde_json::to_string(&repeated(*construct, times)).unwrap();
                let text = format!("[files]\ninclude = [{quoted}]\n");
                let found = validate(&validator, "config", "proofmark.toml", &text);
                let bad = found.iter().find(|found| found.name.ends_with("bad-glob"));
                assert!(bad.is_some() || times == 20, "{times} times {construct:?}: {found:?}");
            }
        }
    });
}

const GRAMMARS: &[Construct] = &[
    ("(", "\"a\"", ")"),
    ("!", "\"a\"", ""),
    ("&", "\"a\"", ""),
    ("", "\"a\"", "?"),
    ("", "\"a\"", "{2}"),
    ("", "\"a\"", " ~ \"a\""),
    ("", "\"a\"", " | \"a\""),
    ("PUSH(", "\"a\"", ")"),
];

#[test]
fn deep_grammars_of_packs_are_refused() {
    with_small_stack(|| {
        for times in [5_000, 60_000] {
            for construct in GRAMMARS {
                let text = format!("start = {{ {} }}\n", repeated(*construct, times));
                assert!(proofmark::internals::peg::rule_names(&text).len() <= 1);
                let options = proofmark::internals::peg::Options { starts: &["start"], errors: &[] };
                assert!(
                    proofmark::internals::peg::compile(&text, options).is_err(),
                    "{times} times {construct:?}"
                );
            }
            let rules: String = (0..times).map(|n| format!("r{n} = {{ \"a\" ~ r{} }}\n", n + 1)).collect();
            let text = format!("start = {{ r0 }}\n{rules}r{times} = {{ \"b\" }}\n");
            let options = proofmark::internals::peg::Options { starts: &["start"], errors: &[] };
            assert!(
                proofmark::internals::peg::compile(&text, options).is_ok() || times > 9_000,
                "{times} rules"
            );
        }
    });
}

const YAML: &[Construct] = &[
    ("[", "a", "]"),
    ("[", "", ""),
    ("{a: ", "a", "}"),
    ("{", "", ""),
    ("- ", "a", ""),
    ("? ", "a", ""),
    ("a: ", "a", ""),
    ("!t ", "a", ""),
    ("&a ", "a", ""),
    ("[*a, &a ", "a", "]"),
    ("\"", "", ""),
    ("- |\n ", "", ""),
    ("%TAG ! !\n", "", ""),
    ("---\n", "", ""),
    ("[? ", "a", "]"),
];

const TOML: &[Construct] = &[
    ("a = [", "", ""),
    ("[", "a", "]"),
    ("", "a", ".a"),
    ("", "[a", ".a"),
    ("a = {a = ", "1", "}"),
    ("a.", "a = 1", ""),
];

const MARKDOWN: &[Construct] = &[
    ("> ", "a", ""),
    ("- ", "a", ""),
    ("1. ", "a", ""),
    ("*", "a", "*"),
    ("*a ", "a", "*"),
    ("[", "a", "]"),
    ("![", "a", "](b)"),
    ("[a](", "a", ")"),
    ("<div>", "a", "</div>"),
    ("`", "a", "`"),
    ("# ", "a", ""),
    ("> ```mermaid\n", "", ""),
    ("[^a]: ", "a", ""),
    ("| ", "a", " |"),
    ("~~", "a", "~~"),
    ("<!-- ", "", ""),
    ("---\n", "a: b\n", "---\n"),
];

const BRACKETS: &[Construct] = &[
    ("(", "a", ")"),
    ("[", "a", "]"),
    ("{", "a", "}"),
    ("<", "a", ">"),
    ("{\n", "a", "}\n"),
    ("a {\n", "a", "}\n"),
    ("subgraph a\n", "a", "end\n"),
    ("loop a\n", "a", "end\n"),
    ("block:a\n", "a", "end\n"),
    ("state a {\n", "a", "}\n"),
    ("namespace a {\n", "class a", "}\n"),
    ("Boundary(a, b) {\n", "a", "}\n"),
    ("a --> ", "a", ""),
    ("a & ", "a", ""),
    ("a~", "a", "~"),
    ("\"", "a", "\""),
    ("%%{", "a", "}%%"),
    ("%%{init: {\"a\": ", "1", "}}%%\n"),
    (" ", "a", ""),
    ("a\n ", "a", ""),
];

#[test]
fn deep_documents_are_read() {
    with_small_stack(|| {
        let validator = builtin();
        for times in [20_000] {
            for construct in YAML {
                let text = repeated(*construct, times);
                for (kind, name) in [
                    ("yaml", "a.yaml"),
                    ("openapi", "openapi.yaml"),
                    ("qtype", "a.qtype.yaml"),
                    ("rulefile", "a.rules.yaml"),
                    ("quill", "Quill.yaml"),
                ] {
                    validate(&validator, kind, name, &text);
                    validate(&validator, kind, name, &format!("a: {text}"));
                }
                validate(&validator, "markdown", "a.md", &format!("---\nQUILL: {text}\n---\n"));
            }
            for construct in TOML {
                let text = repeated(*construct, times);
                validate(&validator, "config", "proofmark.toml", &text);
                validate(&validator, "config", "proofmark.toml", &format!("a = {text}"));
            }
            for construct in MARKDOWN {
                validate(&validator, "markdown", "a.md", &repeated(*construct, times));
            }
        }
    });
}

#[test]
fn deep_type_expressions_and_placeholders_are_read() {
    with_small_stack(|| {
        let validator = builtin();
        let constructs = [
            ("list[", "text", "]"),
            ("", "list", "[text]"),
            ("{", "a", "}"),
            ("{a:", "a", "}"),
            ("${a:-", "b", "}"),
        ];
        for construct in constructs {
            let quoted = serde_json::to_string(&repeated(construct, 30_000)).unwrap();
            let text = format!(
                "id: app\nflows:\n  - id: f\n    variables:\n      - {{id: a, type: {quoted}}}\n    inputs: [a]\n    \
                 outputs: [a]\n    steps:\n      - {{id: s, type: PromptTemplate, template: {quoted}, outputs: [a]}}\n"
            );
            validate(&validator, "qtype", "a.qtype.yaml", &text);
        }
    });
}

#[test]
fn deep_diagrams_are_read() {
    with_small_stack(|| {
        let validator = builtin();
        let mermaid = validator.ruleset().kind("mermaid").unwrap();
        let forms = mermaid.forms();
        assert!(forms.len() > 20);
        for form in forms {
            let Some(header) = form.headers.first() else { continue };
            for construct in BRACKETS {
                let text = format!("{header}\n{}\n", repeated(*construct, 1_000));
                validate(&validator, "mermaid", "a.mmd", &text);
            }
        }
    });
}

#[test]
fn deep_packs_do_not_load() {
    with_small_stack(|| {
        for (field, construct) in [("cel", CEL[4]), ("message", TEMPLATE_EXPRESSIONS[4])] {
            let folder = tempfile::tempdir().unwrap();
            let pack = "version: 1\nname: deep\ndescription: deep\nprefix: XX\nkinds: [yaml]\n";
            fs::write(folder.path().join("pack.yaml"), pack).unwrap();
            let expression = repeated(construct, 3_000);
            let expression = if field == "message" { format!("{{{{ {expression} }}}}") } else { expression };
            fs::write(folder.path().join("a.yaml"), rule_file(field, &expression)).unwrap();
            let errors = Ruleset::with_packs(&[folder.path().to_path_buf()]).unwrap_err();
            let shown = errors.iter().map(ToString::to_string).collect::<String>();
            assert!(shown.contains("nested deeper"), "{}", proofmark::internals::text::clip(&shown, 400));
        }
    });
}
