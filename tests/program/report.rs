//! Every format over one set of ugly findings.

use std::sync::Arc;

use proofmark::{
    Applicability, Diagnostic, Fix, FixEdit, Location, Related, Severity, Source, SourceId, Span,
    internals::diagnostic::Envelope,
    report::{FileReport, Format, Outcome, ReportOptions, RuleInfo, Run, Truncated, write},
};

/// A file with its findings, as the engine hands them over.
struct File {
    sources: Vec<Arc<Source>>,
    diagnostics: Vec<Diagnostic>,
}

impl File {
    fn new(name: &str, text: &str) -> Self {
        Self { sources: vec![Arc::new(Source::new(name, text))], diagnostics: Vec::new() }
    }

    fn with_source(mut self, name: &str, text: &str) -> Self {
        self.sources.push(Arc::new(Source::new(name, text)));
        self
    }

    fn report(&self) -> FileReport<'_> {
        FileReport { name: self.sources[0].name(), sources: &self.sources, diagnostics: &self.diagnostics }
    }

    fn location(&self, source: usize, start: usize, end: usize) -> Location {
        let text = &self.sources[source];
        Location::of(text, SourceId(source as u16), Span::new(start, end))
    }

    /// Place of the `nth` occurrence of `needle` in a source.
    fn find(&self, source: usize, needle: &str, nth: usize) -> Location {
        let at = self.sources[source].text().match_indices(needle).nth(nth).unwrap().0;
        self.location(source, at, at + needle.len())
    }

    fn add(&mut self, id: &str, name: &str, message: &str, location: Location) -> &mut Diagnostic {
        let fingerprint = format!("{:016x}", self.diagnostics.len() + 1);
        let mut diagnostic = Diagnostic::default();
        (diagnostic.id, diagnostic.name) = (id.into(), name.into());
        diagnostic.severity = Severity::Error;
        diagnostic.message = message.into();
        diagnostic.location = location;
        diagnostic.fingerprint = fingerprint;
        self.diagnostics.push(diagnostic);
        self.diagnostics.last_mut().unwrap()
    }
}

fn fix(title: &str, applicability: Applicability, edits: &[(&Location, &str, &str)]) -> Fix {
    let edits = edits.iter().map(|(place, old, new)| {
        FixEdit::new(Span::new(place.byte_start as usize, place.byte_end as usize), *old, *new)
    });
    Fix::new(title, applicability, edits.collect())
}

/// A location with a difference.
fn with(location: &Location, change: impl FnOnce(&mut Location)) -> Location {
    let mut changed = location.clone();
    change(&mut changed);
    changed
}

fn flow() -> File {
    let text = "id: search\nvariables:\n  - id: query\n    type: text\n  - id: docs\nflows:\n  - id: main\n    \
                steps:\n      - id: search\n        type: DocumentSearch\n        inputs:\n          - querry\n";
    let mut file = File::new("flows/a.qtype.yaml", text);
    let (place, nearest) = (file.find(0, "querry", 0), file.find(0, "query", 0));
    let diagnostic = file.add(
        "QT510",
        "undefined-variable",
        "step `search` reads `querry`, which is not a variable of this application",
        with(&place, |at| at.path = Some("/flows/0/steps/0/inputs/0".into())),
    );
    diagnostic.fix_hint = Some("declare it under `variables:`, or write `query`".into());
    diagnostic.found = Some("querry".into());
    diagnostic.expected = vec!["query".into(), "docs".into()];
    diagnostic.related = vec![Related::new("a variable with a similar name", nearest)];
    diagnostic.fixes = vec![
        fix("replace with `query`", Applicability::Unsafe, &[(&place, "querry", "query")]),
        fix("remove it", Applicability::Manual, &[(&place, "querry", "")]),
    ];
    let cause = diagnostic.fingerprint.clone();
    let follower = file.find(0, "DocumentSearch", 0);
    let diagnostic = file.add("QT520", "unproduced-output", "nothing produces `docs`", follower);
    diagnostic.caused_by = Some(cause.clone());
    let follower = file.find(0, "docs", 0);
    file.add("QT521", "unused-variable", "`docs` is never read", follower).caused_by = Some(cause);
    let whole =
        file.find(0, "  - id: main\n    steps:\n      - id: search\n        type: DocumentSearch\n", 0);
    let diagnostic = file.add("QT300", "flow-without-output", "flow `main` has no outputs", whole);
    diagnostic.severity = Severity::Warning;
    let (first, second) = (file.find(0, "id: search", 0), file.find(0, "id: search", 1));
    let diagnostic = file.add("QT120", "duplicate-id", "`search` is declared twice", second);
    diagnostic.related = vec![Related::new("first declared here", first)];
    diagnostic.severity = Severity::Warning;
    diagnostic.suppressed = Some("both are the same object".into());
    file
}

fn letter() -> File {
    let text = "---\nQUILL: letter\nrecepient: Ada\ntitle: \"語語 😀 näme\nbold: **x**\n---\n\n# 語 title 😀 end\n\ttab\tbed\n";
    let mut file = File::new("letters/ü b.md", text);
    let key = file.find(0, "recepient", 0);
    let diagnostic =
        file.add("QL101", "unknown-field", "quill `letter` has no field `recepient`", key.clone());
    diagnostic.fix_hint = Some("write `recipient`".into());
    diagnostic.expected = vec!["recipient".into()];
    diagnostic.fixes =
        vec![fix("rename to `recipient`", Applicability::Safe, &[(&key, "recepient", "recipient")])];
    let open = file.find(0, "\"語語 😀 näme", 0);
    let end = file.location(0, open.byte_end as usize, open.byte_end as usize);
    let diagnostic =
        file.add("YM010", "unclosed-quote", "this quote is never closed", with(&open, |at| at.end_line = 6));
    diagnostic.location.byte_end = file_offset(text, "\n---\n\n#") as u32;
    diagnostic.expected = vec!["\"".into()];
    diagnostic.fixes = vec![fix("close it", Applicability::Safe, &[(&end, "", "\"")])];
    let wide = file.find(0, "😀", 1);
    let diagnostic = file.add("MD001", "emoji-in-heading", "a heading holds `😀`", wide);
    diagnostic.severity = Severity::Note;
    let title = file.find(0, "title 😀", 0);
    let hash = file.find(0, "#", 0);
    let diagnostic = file.add("MD002", "heading-style", "this heading | is `odd`", title);
    diagnostic.severity = Severity::Note;
    diagnostic.related = vec![Related::new("the mark", hash)];
    let tab = file.find(0, "bed", 0);
    let diagnostic = file.add("YM020", "tab", "a tab before `bed`", tab);
    diagnostic.expected = vec!["  ".into()];
    let end = file.location(0, text.len(), text.len());
    let diagnostic =
        file.add("MD003", "no-final-section", "the document ends without a section", end.clone());
    diagnostic.fixes = vec![fix("add one", Applicability::Manual, &[(&end, "", "## End\n\ntext\n")])];
    let out = with(&end, |at| (at.byte_start, at.byte_end) = (9_000, 9_999));
    file.add("PM999", "out-of-range", "a span past the end is clamped", out);
    let inside = file.find(0, "😀", 0);
    let inside =
        with(&inside, |at| (at.byte_start, at.byte_end) = (inside.byte_start + 1, inside.byte_end - 1));
    file.add("PM998", "inside-character", "a span inside a character is widened", inside);
    file
}

fn file_offset(text: &str, needle: &str) -> usize {
    text.find(needle).unwrap()
}

fn hostile() -> File {
    let text = "a: \u{1b}[31mred\u{1b}[0m x\r\nb: one\rtwo\u{b}\u{c}\u{85}\u{2028}three x\r\nc: \u{202e}evil\u{200b} x  \r\n";
    let mut file = File::new("ho%st:ile,\u{1b}[2J.md", text);
    for nth in 0..3 {
        let place = file.find(0, " x", nth);
        let place = with(&place, |at| (at.byte_start, at.column) = (place.byte_start + 1, place.column + 1));
        file.add("YM001", "odd", "stop at `x`\u{1b}[31m\n::error::<b>&\"'|`%@me", place);
    }
    let control = file.find(0, "\u{1b}[31m", 0);
    let diagnostic = file.add("YM002", "control-character", "a control character", control);
    diagnostic.fix_hint = Some("remove it\n*or* write \u{202e} as `\\u001b`".into());
    let trailing = file.find(0, "  ", 0);
    file.add("YM003", "trailing-whitespace", "whitespace at the end of the line", trailing);
    file
}

fn include() -> File {
    let mut file = File::new("main.qtype.yaml", "references:\n  - !include lib.qtype.yaml\n")
        .with_source("lib.qtype.yaml", "# library\nmodels:\n  - id: gpt\n    auth: keey\n");
    let place = file.find(1, "keey", 0);
    let include = file.find(0, "!include lib.qtype.yaml", 0);
    let elsewhere = with(&Location::default(), |at| {
        at.file = "else.yaml".into();
        (at.line, at.column, at.source) = (3, 5, SourceId(9));
    });
    let diagnostic = file.add("QT512", "undefined-auth", "model `gpt` names no known authorization", place);
    diagnostic.related = vec![
        Related::new("included here", include),
        Related::new("declared in a file that is not at hand", elsewhere),
    ];
    file
}

fn long_line() -> File {
    let text =
        format!("{{\"k\": \"{}\", \"neEdle\": 1, \"z\": \"{}\"}}\n", "語x".repeat(2_000), "y".repeat(9_000));
    let mut file = File::new("data.json", &text);
    let (place, other) = (file.find(0, "\"neEdle\"", 0), file.find(0, "\"z\"", 0));
    let diagnostic = file.add("QT011", "unknown-field", "there is no field `neEdle`", place.clone());
    diagnostic.expected = vec!["needle".into()];
    diagnostic.related = vec![Related::new("a field that is known", other)];
    diagnostic.fixes = vec![fix("rename", Applicability::Safe, &[(&place, "\"neEdle\"", "\"needle\"")])];
    file
}

fn many_labels() -> File {
    let text =
        "flows:\n  - id: main\n    steps:\n      - {id: a, inputs: [q, docs], outputs: [r]}\n      - id: b\n";
    let mut file = File::new("labels.yaml", text);
    let [first, second, third, step] = ["q,", "docs", "[r]", "id: a"].map(|needle| file.find(0, needle, 0));
    let related = |label: &str, location: &Location| Related::new(label, location.clone());
    let diagnostic = file.add("QT001", "four-labels", "several labels on one line", first.clone());
    diagnostic.expected = vec!["query".into()];
    diagnostic.related =
        vec![related("one", &second), related("another", &third), related("of this step", &step)];
    let diagnostic = file.add("QT002", "silent-label", "a place that says nothing itself", second.clone());
    diagnostic.related = vec![related("one", &first), related("another", &third)];
    let whole = with(&step, |at| at.byte_end = third.byte_end);
    file.add("QT003", "overlap", "one inside the other", step).related = vec![related("the whole", &whole)];
    let flow = file.find(0, "id: main\n    steps:\n      - {id: a", 0);
    let steps = file.find(0, "steps:\n      - {id: a, inputs: [q, docs], outputs: [r]}\n      - id: b", 0);
    file.add("QT004", "several-lines", "a flow is odd", flow).related =
        vec![related("one", &second), related("all the steps", &steps)];
    file
}

fn unreadable() -> File {
    let mut file = File::new("photo.md", "");
    let place = file.location(0, 0, 0);
    file.add("PM101", "not-utf8", "byte 0 is 0xFF: the file is not UTF-8", place);
    file
}

fn files() -> Vec<File> {
    let mut unreadable = unreadable();
    unreadable.sources[0] = Arc::new(Source::new("other", ""));
    vec![flow(), letter(), hostile(), include(), long_line(), unreadable, File::new("clean.md", "# fine\n")]
}

fn run(options: ReportOptions) -> Run {
    let rule = |id: &str, name: &str| RuleInfo {
        id: id.into(),
        name: name.into(),
        severity: Severity::Error,
        short: "Every name that is read is declared.".into(),
        help_markdown: "Checks that **every** name is declared.\n\n```yaml\ninputs: [query]\n```\n".into(),
        help_uri: None,
        tags: vec!["reference".into()],
        since: "0.1.0".into(),
    };
    Run {
        version: "0.1.0".into(),
        ruleset: "0123456789abcdef".into(),
        rules: vec![rule("QT510", "undefined-variable"), rule("QL101", "unknown-field")],
        options,
    }
}

fn render(format: Format, options: ReportOptions, files: &[File]) -> String {
    let reports: Vec<FileReport<'_>> = files
        .iter()
        .map(|file| match file.sources[0].name() {
            "other" => FileReport { name: "photo.md", ..file.report() },
            _ => file.report(),
        })
        .collect();
    let outcome = Outcome { exit_code: 1, truncated: Some(Truncated { shown: 19, total: 40 }) };
    let mut out = Vec::new();
    write(format, &run(options), &reports, &outcome, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn plain(format: Format) -> String {
    render(format, ReportOptions::default(), &files())
}

#[test]
fn pretty() {
    insta::assert_snapshot!(plain(Format::Pretty));
}

#[test]
fn pretty_on_a_narrow_terminal() {
    let text = render(Format::Pretty, ReportOptions { width: Some(40), ..Default::default() }, &files());
    let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap();
    insta::assert_snapshot!(text);
    assert!(widest <= 40, "a line takes {widest} columns");
}

#[test]
fn pretty_in_color_with_everything_shown() {
    let options = ReportOptions {
        color: true,
        width: Some(90),
        show_suppressed: true,
        show_caused: true,
        ..Default::default()
    };
    insta::assert_snapshot!(render(Format::Pretty, options, &[flow()]).replace('\u{1b}', "␛"));
}

#[test]
fn pretty_with_many_labels() {
    insta::assert_snapshot!(render(Format::Pretty, ReportOptions::default(), &[many_labels()]));
}

#[test]
fn concise() {
    insta::assert_snapshot!(plain(Format::Concise));
}

#[test]
fn json() {
    insta::assert_snapshot!(plain(Format::Json));
}

#[test]
fn jsonl() {
    insta::assert_snapshot!(plain(Format::Jsonl));
}

#[test]
fn sarif() {
    insta::assert_snapshot!(plain(Format::Sarif));
}

#[test]
fn github() {
    insta::assert_snapshot!(plain(Format::Github));
}

#[test]
fn azure() {
    insta::assert_snapshot!(plain(Format::Azure));
}

#[test]
fn gitlab() {
    insta::assert_snapshot!(plain(Format::Gitlab));
}

#[test]
fn junit() {
    insta::assert_snapshot!(plain(Format::Junit));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(plain(Format::Markdown));
}

#[test]
fn every_format_says_something_about_nothing() {
    let outcome = Outcome::default();
    let mut all = String::new();
    for format in Format::ALL {
        for files in [&[][..], &[File::new("clean.md", "# fine\n")][..]] {
            let reports: Vec<FileReport<'_>> = files.iter().map(File::report).collect();
            let mut out = Vec::new();
            write(format, &run(ReportOptions::default()), &reports, &outcome, &mut out).unwrap();
            assert!(!out.is_empty());
            let text = String::from_utf8(out).unwrap();
            all.extend([format!("--- {format}, {} files\n", files.len()), text]);
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn json_is_an_envelope_that_fits_its_schema() {
    let json: serde_json::Value = serde_json::from_str(&plain(Format::Json)).unwrap();
    let schema = serde_json::to_value(proofmark::internals::diagnostic::schema()).unwrap();
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&json)
        .map(|error| format!("{} {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, Vec::<String>::new());
    let envelope: Envelope = serde_json::from_value(json).unwrap();
    assert!(!envelope.valid);
    assert_eq!(envelope.summary.files, 7);
    assert_eq!(
        envelope.diagnostics.len(),
        envelope.summary.errors + envelope.summary.warnings + envelope.summary.notes
    );
}

#[test]
fn jsonl_lines_are_diagnostics_and_the_last_is_the_verdict() {
    let text = plain(Format::Jsonl);
    let (last, diagnostics) =
        text.lines().collect::<Vec<_>>().split_last().map(|(l, d)| (*l, d.to_vec())).unwrap();
    for line in diagnostics {
        serde_json::from_str::<Diagnostic>(line).unwrap();
    }
    let verdict: serde_json::Value = serde_json::from_str(last).unwrap();
    assert_eq!(verdict["valid"], false);
}

#[test]
fn sarif_fits_the_schema_of_the_standard() {
    let schema = include_str!("../data/sarif/sarif-schema-2.1.0.json");
    let mut schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    // The standard's pattern for languages has a surplus bracket and is not a valid regular expression.
    schema["definitions"]["run"]["properties"]["language"] = true.into();
    schema["definitions"]["toolComponent"]["properties"]["language"] = true.into();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for files in [files(), Vec::new()] {
        let log = render(Format::Sarif, ReportOptions::default(), &files);
        let log: serde_json::Value = serde_json::from_str(&log).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&log).map(|error| format!("{} {error}", error.instance_path())).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
}

#[test]
fn nothing_that_could_steer_a_terminal_is_written() {
    for format in Format::ALL {
        let text = plain(format);
        let odd = text.chars().find(|c| {
            (c.is_control() && *c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}')
        });
        assert_eq!(odd, None, "in {format}");
    }
}

#[test]
fn a_finding_in_a_line_of_five_megabytes_is_shown_in_a_window() {
    let text = format!("{}NEEDLE{}", "語".repeat(1_000_000), "x".repeat(2_000_000));
    let mut file = File::new("one-line.json", &text);
    let place = file.find(0, "NEEDLE", 0);
    for _ in 0..20 {
        file.add("QT001", "odd", "odd", place.clone());
    }
    let report = render(Format::Pretty, ReportOptions::default(), &[file]);
    assert_eq!(report.matches("NEEDLE").count(), 20);
    assert!(report.lines().all(|line| line.chars().count() < 200), "a line is clipped to the window");
}

mod any_text_and_any_place {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    fn text() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            8 => "[a-z :-]".prop_map(String::from),
            2 => Just("\n".to_owned()),
            1 => Just("\r\n".to_owned()),
            3 => prop::sample::select(
                ["\t", "\r", "語", "😀", "e\u{301}", "\u{1b}[31m", "\u{202e}", "\u{2028}", "\u{b}", "\u{85}", "\u{feff}"]
                    .map(str::to_owned).to_vec()
            ),
        ];
        prop::collection::vec(character, 0..120).prop_map(|parts| parts.concat())
    }

    fn place() -> impl Strategy<Value = (u32, u32)> {
        (0..300_u32, 0..40_u32).prop_map(|(start, length)| (start, start + length))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn is_shown_within_the_width(
            text in text(),
            places in prop::collection::vec(place(), 1..5),
            width in 30..100_usize,
            label in "[a-z ]{0,30}",
        ) {
            let mut file = File::new("a.md", &text);
            let location = |(start, end): &(u32, u32)| {
                Location::of(&file.sources[0], SourceId(0), Span::new(*start as usize, *end as usize))
            };
            let all: Vec<Location> = places.iter().map(location).collect();
            let diagnostic = file.add("PM999", "odd", "something is odd here", all[0].clone());
            diagnostic.related = all[1..].iter().map(|place| Related::new(label.as_str(), place.clone())).collect();
            diagnostic.fixes = vec![fix("fix it", Applicability::Safe, &[(&all[0], "", "x\ny")])];
            for format in Format::ALL {
                let options = ReportOptions { width: Some(width), ..Default::default() };
                let report = render(format, options, std::slice::from_ref(&file));
                if format == Format::Pretty {
                    for line in report.lines() {
                        prop_assert!(line.width() <= width, "{} columns of {width}: {line}", line.width());
                        let odd = line.chars().find(|c| c.is_control() || ('\u{1}'..='\u{3}').contains(c));
                        prop_assert_eq!(odd, None);
                    }
                }
            }
        }
    }
}
