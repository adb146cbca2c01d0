//! The engine on small packs made for the purpose.

use std::{fs, path::Path, sync::Arc};

use proofmark::{Baseline, Diagnostic, ParseOptions, Ruleset, Settings, Source, Validator};

const PACK: &str = "version: 1\nname: shop\ndescription: a shop\nprefix: SH\nkinds: [yaml]\n\
    ancestors: {step: '$.steps[*]', shelf: '$.shelves[*]'}\n\
    symbols: {item: {given: '$.items[*]', name: '@.id'}, tool: {given: '$.tools[*]', name: '@.id'}}\n";

fn pack(folder: &Path, rules: &str) {
    fs::write(folder.join("pack.yaml"), PACK).unwrap();
    fs::write(folder.join("rules.yaml"), format!("version: 1\nrules:\n{rules}")).unwrap();
}

fn rule(number: u32, body: &str) -> String {
    format!(
        "  - id: SH{number:03}\n    name: rule-{number}\n    severity: error\n    since: 0.1.0\n{body}\
         \x20   explain: \"Shown in a test, so that the engine is tried on it.\"\n"
    )
}

fn validator(rules: &str, settings: Settings) -> Validator {
    let folder = tempfile::tempdir().unwrap();
    pack(folder.path(), rules);
    let ruleset = Ruleset::with_packs(&[folder.path().to_path_buf()]);
    let ruleset = ruleset.unwrap_or_else(|errors| panic!("{}", errors[0]));
    Validator::new(ruleset, Settings { select: vec!["SH".into(), "PM".into()], ..settings })
}

fn check(rules: &str, text: &str) -> Vec<Diagnostic> {
    validate(&validator(rules, Settings::default()), text)
}

fn validate(validator: &Validator, text: &str) -> Vec<Diagnostic> {
    let source = Arc::new(Source::new("shop.yaml", text));
    let kind = validator.ruleset().kind("yaml").unwrap();
    validator.validate(&source, kind.as_ref(), &ParseOptions::default()).diagnostics
}

fn found(diagnostics: &[Diagnostic]) -> Vec<(&str, u32, &str)> {
    diagnostics.iter().map(|d| (d.id.as_str(), d.location.line, d.message.as_str())).collect()
}

#[test]
fn a_repetition_is_found_with_the_first_as_its_reason() {
    let rules = rule(
        1,
        "    given: $.items[*].id\n    check: {unique: {}}\n    related: [{at: first, label: first}]\n    message: \"{{ value }} again\"\n",
    );
    let diagnostics = check(&rules, "items:\n  - id: a\n  - id: b\n  - id: a\n");
    assert_eq!(found(&diagnostics), [("SH001", 4, "a again")]);
    assert_eq!(diagnostics[0].related[0].location.line, 2);
    assert_eq!(diagnostics[0].location.path.as_deref(), Some("/items/2/id"));
}

#[test]
fn uniqueness_can_be_limited_to_an_ancestor() {
    let rules = rule(
        1,
        "    given: $.shelves[*].items[*]\n    check: {unique: {by: '@.id', within: shelf}}\n    message: again\n",
    );
    let text = "shelves:\n  - items: [{id: a}, {id: a}]\n  - items: [{id: a}]\n";
    assert_eq!(found(&check(&rules, text)), [("SH001", 2, "again")]);
}

#[test]
fn a_reference_knows_undefined_from_wrong_kind_and_suggests_the_nearest() {
    let rules = rule(
        1,
        "    given: $.uses[*]\n    check: {reference: {to: item}}\n    message: \"no item {{ value }}{% if nearest %}, {{ nearest }}?{% endif %}\"\n    fix: {replace: \"{{ nearest }}\", applicability: unsafe}\n",
    ) + &rule(
        2,
        "    given: $.uses[*]\n    check: {reference: {to: item, report: wrong_kind}}\n    message: \"{{ value }} is a {{ kind }}\"\n",
    );
    let text = "items: [{id: hammer}]\ntools: [{id: saw}]\nuses: [hamer, saw, hammer, xyz]\n";
    let diagnostics = check(&rules, text);
    assert_eq!(
        found(&diagnostics),
        [("SH001", 3, "no item hamer, hammer?"), ("SH002", 3, "saw is a tool"), ("SH001", 3, "no item xyz")]
    );
    assert_eq!(diagnostics[0].fixes[0].edits[0].new, "hammer");
    assert!(diagnostics[2].fixes.is_empty(), "a fix without a near name is left out");
}

#[test]
fn a_cycle_is_reported_once_at_the_edge_that_closes_it() {
    let rules = rule(
        1,
        "    given: $.items[*]\n    check: {acyclic: {name: '@.id', edges: '@.needs[*]'}}\n    message: \"circle: {{ cycle }}\"\n",
    );
    let text = "items:\n  - {id: a, needs: [b]}\n  - {id: b, needs: [c]}\n  - {id: c, needs: [a]}\n  - {id: d, needs: [a]}\n";
    assert_eq!(found(&check(&rules, text)), [("SH001", 4, "circle: a → b → c → a")]);
}

#[test]
fn what_is_used_must_be_produced_before() {
    let rules = rule(
        1,
        "    given: $\n    check: {dataflow: {init: '@.inputs[*]', over: '@.steps[*]', uses: '@.uses[*]', defs: '@.makes[*]'}}\n    related: [{at: later, label: made here}]\n    message: \"{{ name }} is not made yet\"\n",
    );
    let text = "inputs: [a]\nsteps:\n  - {uses: [a, b], makes: [c]}\n  - {uses: [c], makes: [b]}\n";
    let diagnostics = check(&rules, text);
    assert_eq!(found(&diagnostics), [("SH001", 3, "b is not made yet")]);
    assert_eq!(diagnostics[0].related[0].location.line, 4);
}

#[test]
fn guards_options_and_ancestors_reach_messages() {
    let rules = rule(
        1,
        "    given: $.steps[*].n\n    when: self > options.most\n    options: {most: {type: integer, default: 5, description: most}}\n    check: {forbidden: true}\n    message: \"{{ ancestor.step.id }} has {{ value }}, more than {{ options.most }}\"\n",
    );
    let text = "steps: [{id: x, n: 6}, {id: y, n: 5}]\n";
    assert_eq!(found(&check(&rules, text)), [("SH001", 1, "x has 6, more than 5")]);
    let options = serde_json::json!({"most": 9}).as_object().unwrap().clone();
    let settings = Settings { options: [("SH001".to_owned(), options)].into(), ..Settings::default() };
    assert!(validate(&validator(&rules, settings), text).is_empty());
}

#[test]
fn a_finding_that_follows_from_another_is_folded() {
    let rules = rule(1, "    given: $.items[*].n\n    check: {type: integer}\n    message: not a number\n")
        + &rule(
            2,
            "    given: $.items[*].n\n    follows: [SH001]\n    check: {cel: \"self == 3\"}\n    message: not three\n",
        );
    assert_eq!(
        found(&check(&rules, "items: [{n: x}, {n: 4}]\n")),
        [("SH001", 1, "not a number"), ("SH002", 1, "not three")]
    );
    let settings = Settings { keep_folded: true, ..Settings::default() };
    let rules = rule(1, "    given: $.items[*].n\n    check: {type: integer}\n    message: not a number\n")
        + &rule(
            2,
            "    given: $.items[*].n\n    follows: [rule-1]\n    check: {one_of: [3]}\n    message: not three\n",
        );
    let all = validate(&validator(&rules, settings), "items: [{n: x}]\n");
    assert_eq!(found(&all).len(), 2);
    assert_eq!(all[1].caused_by.as_deref(), Some(all[0].fingerprint.as_str()));
}

#[test]
fn checks_combine() {
    let rules = rule(
        1,
        "    given: $.v\n    check: {any: [{type: integer}, {pattern: '^[0-9]+$'}]}\n    message: neither\n",
    ) + &rule(2, "    given: $.v\n    check: {not: {one_of: [7]}}\n    message: seven\n")
        + &rule(
            3,
            "    given: $\n    check: {all: [{required: v}, {count: {of: '@.list[*]', max: 2, distinct: true}}]}\n    message: \"{{ count }} of {{ max }}\"\n",
        );
    assert_eq!(found(&check(&rules, "v: x\n")), [("SH001", 1, "neither")]);
    assert_eq!(found(&check(&rules, "v: 7\n")), [("SH002", 1, "seven")]);
    assert_eq!(found(&check(&rules, "v: 1\nlist: [a, a, b]\n")), []);
    assert_eq!(found(&check(&rules, "v: 1\nlist: [a, b, c]\n")), [("SH003", 2, "3 of 2")]);
}

#[test]
fn text_of_the_document_is_made_safe_in_messages() {
    let rules = rule(1, "    given: $.v\n    check: {one_of: [a]}\n    message: \"{{ value }}\"\n");
    let diagnostics = check(&rules, "v: \"\\e[31mred\\u202e\"\n");
    assert_eq!(diagnostics[0].message, "\\u{1b}[31mred\\u{202e}");
}

#[test]
fn a_comment_suppresses_with_reason_and_end() {
    let rules = rule(1, "    given: $[*]\n    check: {forbidden: true}\n    message: no\n");
    let validator = validator(&rules, Settings { today: Some("2026-06-01".into()), ..Settings::default() });
    let text = "a: 1 # proofmark-ignore SH001: known\n# proofmark-ignore rule-1: known until 2026-05-31\nb: 2\n\
                # proofmark-ignore SH009: gone\nc: 3\n# proofmark-ignore SH001\n\nd: 4\n";
    let diagnostics = validate(&validator, text);
    let open: Vec<_> = diagnostics.iter().filter(|d| d.suppressed.is_none()).cloned().collect();
    let ids: Vec<(&str, u32)> = open.iter().map(|d| (d.id.as_str(), d.location.line)).collect();
    assert_eq!(ids, [("PM013", 2), ("SH001", 3), ("PM012", 4), ("SH001", 5), ("PM014", 6), ("SH001", 8)]);
    assert_eq!(diagnostics[0].suppressed.as_deref(), Some("known"));
}

#[test]
fn a_baseline_keeps_known_findings_out_when_lines_move() {
    let rules = rule(1, "    given: $[*]\n    check: {forbidden: true}\n    message: no\n");
    let validator = validator(&rules, Settings::default());
    let baseline = Baseline::of(&validate(&validator, "a: 1\nb: 2\n"));
    let baseline = Baseline::parse(&baseline.to_json()).unwrap();
    let mut moved = validate(&validator, "# a comment\nz: 0\na: 1\nb: 2\n");
    baseline.apply(&mut moved);
    let open: Vec<u32> = moved.iter().filter(|d| d.suppressed.is_none()).map(|d| d.location.line).collect();
    assert_eq!(open, [2]);
}

#[test]
fn too_many_findings_are_counted() {
    let rules = rule(1, "    given: $.list[*]\n    check: {forbidden: true}\n    message: no\n");
    let settings = Settings { max_diagnostics: 3, ..Settings::default() };
    let diagnostics = validate(&validator(&rules, settings), "list: [1, 2, 3, 4, 5]\n");
    assert_eq!(diagnostics.len(), 4);
    assert_eq!(diagnostics[3].message, "only 3 of 5 findings are shown");
}

#[test]
fn suppressed_findings_leave_their_places_to_others() {
    let rules = rule(1, "    given: $.list[*]\n    check: {type: string}\n    message: m\n");
    let settings = Settings { max_diagnostics: 2, ..Settings::default() };
    let known = "  # proofmark-ignore SH001: known\n  - 1\n".repeat(4);
    let diagnostics = validate(&validator(&rules, settings), &format!("list:\n{known}  - 5\n"));
    let shown: Vec<_> = diagnostics.iter().map(|d| (d.location.line, d.suppressed.is_some())).collect();
    assert_eq!(shown[..2], [(3, true), (10, false)]);
    assert_eq!(diagnostics[2].message, "only 2 of 5 findings are shown");
}

#[test]
fn a_pack_with_an_error_is_refused_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    pack(folder.path(), &rule(1, "    given: $.x[\n    check: {type: string}\n    message: m\n"));
    let errors = Ruleset::with_packs(&[folder.path().to_path_buf()]).unwrap_err();
    assert!(errors[0].to_string().contains("rules.yaml` has 1 error"), "{}", errors[0]);
}

#[test]
fn a_value_that_is_too_complex_for_its_schema_is_reported() {
    let doubled: String = (0..30)
        .map(|i| format!("l{i}: {{allOf: [{{$ref: '#/$defs/l{0}'}}, {{$ref: '#/$defs/l{0}'}}]}}, ", i + 1))
        .collect();
    let schema = format!("{{$ref: '#/$defs/l0', $defs: {{{doubled} l30: {{type: string}}}}}}");
    let rules = rule(
        1,
        &format!("    given: $.list\n    check: {{schema: {{schema: {schema}}}}}\n    message: no\n"),
    );
    let diagnostics = check(&rules, "name: a\nlist: text\n");
    let reported = "this value is too complex for its schema: validation stopped after 200000 steps";
    assert_eq!(found(&diagnostics), [("PM007", 2, reported)]);
}

#[test]
fn errors_of_a_schema_file_are_reported_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let pack = "version: 1\nname: shop\ndescription: shop\nprefix: SH\nkinds: [yaml]\nschemas: {shop: shop.schema.json}\n";
    fs::write(folder.path().join("pack.yaml"), pack).unwrap();
    let schema = "{\n  \"properties\": {\n    \"a\": {\"type\": \"strng\"},\n    \"b\": {\"$ref\": \"other.json\"}\n  }\n}\n";
    fs::write(folder.path().join("shop.schema.json"), schema).unwrap();
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let kind = validator.ruleset().kind("rulefile").unwrap();
    let source = Arc::new(Source::new("pack.yaml", pack));
    let read = |name: &str| fs::read(folder.path().join(name));
    let options = ParseOptions { read: Some(&read), ..ParseOptions::default() };
    let outcome = validator.validate(&source, kind.as_ref(), &options);
    let shown: Vec<String> = outcome
        .diagnostics
        .iter()
        .map(|d| {
            let file = outcome.document.tree.source(d.location.source).name();
            format!("{} {file}:{}:{} {}", d.id, d.location.line, d.location.column, d.message)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "RF027 shop.schema.json:3:19 the JSON Schema cannot be used: `strng` is not a type",
            "RF027 shop.schema.json:4:19 the JSON Schema cannot be used: `other.json` is outside of this schema; references \
             must stay inside it",
        ]
    );
}

#[test]
fn a_grammar_of_a_pack_reads_its_fences() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("pack.yaml"),
        "version: 1\nname: pairs\ndescription: pairs\nprefix: PA\nkinds: [pairs]\n\
         grammars: {pairs: {file: pairs.pest, start: document, languages: [pairs]}}\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("pairs.pest"),
        "document = { SOI ~ (line ~ NEWLINE)* ~ EOI }\nline = _{ pair | err_no_value }\n\
         pair = { key ~ \"=\" ~ value }\nerr_no_value = { key ~ \"=\"? }\nkey = @{ ASCII_ALPHA+ }\nvalue = @{ ASCII_DIGIT+ }\n",
    )
    .unwrap();
    let body = |check: &str| {
        format!(
            "    severity: error\n    since: 0.1.0\n{check}    explain: \"Shown in a test of grammars of packs.\"\n"
        )
    };
    let rules = format!(
        "version: 1\nrules:\n  - id: PA001\n    name: no-value\n{}  - id: PA002\n    name: same-key\n{}  - id: PA003\n    name: pairs-syntax\n{}",
        body("    check: {syntax: err_no_value}\n    message: \"no value: {{ text }}\"\n"),
        body("    given: $.pair[*].key[*]\n    check: {unique: {}}\n    message: \"again: {{ value }}\"\n"),
        body(
            "    check: {syntax: syntax_error}\n    message: \"found {{ found }}, expected {{ expected }}\"\n"
        ),
    );
    fs::write(folder.path().join("rules.yaml"), rules).unwrap();
    let ruleset = Ruleset::with_packs(&[folder.path().to_path_buf()]).unwrap();
    let validator = Validator::new(ruleset, Settings::default());
    let text = "# Pairs\n\n```pairs\na=1\nb=\na=2\n```\n\n> ```pairs\n> c=3\n> ?\n> ```\n";
    let source = Arc::new(Source::new("pairs.md", text));
    let kind = validator.ruleset().kind("markdown").unwrap();
    let diagnostics = validator.validate(&source, kind.as_ref(), &ParseOptions::default()).diagnostics;
    let own: Vec<_> = found(&diagnostics).into_iter().filter(|(id, ..)| id.starts_with("PA")).collect();
    assert_eq!(own[..2], [("PA001", 5, "no value: b="), ("PA002", 6, "again: a")]);
    assert_eq!((own[2].0, own[2].1), ("PA003", 11));
}

#[test]
fn every_error_in_a_rule_is_reported_at_once() {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let text = "version: 1\nrules:\n  - id: PC001\n    name: a-rule\n    kind: markdown\n    severty: error\n    since: 0.1.0\n\
        \x20   given: $.scope.products[*]\n    check: {unique: {}}\n    message: \"{{ valeu }} again\"\n\
        \x20   related: [{at: frist, label: first}]\n    explain: \"Long enough to be an explanation of a rule.\"\n";
    let source = Arc::new(Source::new("a.rules.yaml", text));
    let kind = validator.ruleset().kind("rulefile").unwrap();
    let diagnostics = validator.validate(&source, kind.as_ref(), &ParseOptions::default()).diagnostics;
    let mut ids: Vec<&str> = diagnostics.iter().map(|d| d.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["RF001", "RF021", "RF025", "RF030", "RF047", "RF050", "RF051"]);
}
