//! Time to validate diagrams with all rules of their kind: one of 1 KB of each common type, flowcharts up to
//! the size limit, and adversarial input.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed expectation fails the bench, which names the slowest diagrams"
)]

use std::{
    hint::black_box,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use proofmark::{
    Fragment, Kind, ParseOptions, Ruleset, Settings, Source, Validator, internals::kinds::mermaid::Mermaid,
};

/// A header and lines for it, in which `#` is the line number and `@` the next line number.
const TYPES: &[(&str, &str, &[&str])] = &[
    (
        "flowchart",
        "flowchart TD\n",
        &["  n#[Step #] --> n@\n", "  n# -->|label #| n@\n", "  n#{Choice #?} -.-> n@\n", "  class n# hot\n"],
    ),
    (
        "sequence",
        "sequenceDiagram\n",
        &[
            "  Alice->>Bob: message #\n",
            "  Bob-->>Alice: answer @\n",
            "  Note over Alice,Bob: note #\n",
            "  loop every #\n    Alice->>Alice: think\n  end\n",
        ],
    ),
    (
        "class",
        "classDiagram\n",
        &["  class C# {\n    +int size\n    +draw(int x) bool\n  }\n", "  C# <|-- C@ : extends\n"],
    ),
    (
        "state",
        "stateDiagram-v2\n",
        &["  s# --> s@ : event #\n", "  state \"Label #\" as t#\n", "  s# : what it does\n"],
    ),
    (
        "er",
        "erDiagram\n",
        &["  E# ||--o{ E@ : has\n", "  E# {\n    string name PK\n    int size \"in bytes\"\n  }\n"],
    ),
    (
        "gantt",
        "gantt\n  dateFormat YYYY-MM-DD\n",
        &["  section Part #\n", "  Task # :t#, 2026-01-01, 3d\n", "  Next # :crit, u#, after t#, 2d\n"],
    ),
    (
        "gitGraph",
        "gitGraph\n",
        &["  commit id: \"c#\"\n", "  branch b#\n  commit\n  checkout main\n  merge b#\n"],
    ),
    ("pie", "pie title Pets\n", &["  \"Pet #\" : @.5\n"]),
];

fn diagram(header: &str, lines: &[&str], size: usize) -> String {
    let mut text = header.to_owned();
    for number in 1.. {
        if text.len() >= size {
            break;
        }
        let line = lines[number % lines.len()];
        text += &line.replace('#', &(number / lines.len()).to_string()).replace('@', &number.to_string());
    }
    text
}

fn validate(criterion: &mut Criterion) {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let options = ParseOptions::default();
    let validate = |text: &str| {
        let source = Arc::new(Source::new("bench.mmd", text));
        black_box(validator.validate(&source, &Mermaid, &options).diagnostics.len())
    };
    let mut group = criterion.benchmark_group("mermaid");
    for (name, header, lines) in TYPES {
        let text = diagram(header, lines, 1_000);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("validate", name), &text, |bencher, text| {
            bencher.iter(|| validate(text));
        });
        group.bench_with_input(BenchmarkId::new("parse", name), &text, |bencher, text| {
            bencher.iter(|| {
                let source = Arc::new(Source::new("bench.mmd", text.as_str()));
                let fragment = Fragment::contiguous(source.text(), source.span());
                black_box(Mermaid.parse(&source, &fragment, &options).observations.len())
            });
        });
    }
    group.sample_size(10);
    let (_, header, lines) = TYPES[0];
    for size in [5_000, 30_000, 250_000] {
        let text = diagram(header, lines, size);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("flowchart", size), &text, |bencher, text| {
            bencher.iter(|| validate(text));
        });
    }
    group.finish();
}

/// Diagrams of 250 KB that repeat one construct; the effort limit bounds their time.
fn hostile(criterion: &mut Criterion) {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let mut group = criterion.benchmark_group("mermaid-hostile");
    group.sample_size(10);
    for (name, header, unit) in [
        ("brackets", "flowchart TD\n", "["),
        ("subgraphs", "flowchart TD\n", "subgraph x\n"),
        ("links", "flowchart TD\n", "A-- "),
        ("lists", "flowchart TD\n", "a & "),
        ("directions", "stateDiagram-v2\n", "direction "),
        ("words", "erDiagram\n", "a "),
        ("loops", "sequenceDiagram\n", "loop x\n"),
        ("nesting", "railroad-peg-beta\na <- ", "("),
        ("mindmap", "mindmap\n", "("),
    ] {
        let text = format!("{header}{}\n", unit.repeat(250_000 / unit.len()));
        group.bench_with_input(BenchmarkId::from_parameter(name), &text, |bencher, text| {
            bencher.iter(|| {
                let source = Arc::new(Source::new("bench.mmd", text.as_str()));
                black_box(validator.validate(&source, &Mermaid, &ParseOptions::default()).diagnostics.len())
            });
        });
    }
    group.finish();
}

/// All labeled diagrams, if they are next to the checkout: total time, the median for those of about 1 KB,
/// and the slowest ones, each the best of three runs.
fn corpus(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/mermaid");
    let mut diagrams: Vec<(String, Arc<Source>)> = Vec::new();
    for file in ["real.jsonl", "mutated.jsonl"] {
        for line in std::fs::read_to_string(folder.join(file)).unwrap_or_default().lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            diagrams.push((field("id"), Arc::new(Source::new("corpus.mmd", field("text")))));
        }
    }
    if diagrams.is_empty() {
        return;
    }
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let validate = |source: &Arc<Source>| validator.validate(source, &Mermaid, &ParseOptions::default());
    let time = |source: &Arc<Source>| {
        let once = || {
            let start = Instant::now();
            black_box(validate(source));
            start.elapsed()
        };
        (0..3).map(|_| once()).min().unwrap_or_default()
    };
    let mut times: Vec<(Duration, &str, usize)> =
        diagrams.iter().map(|(id, source)| (time(source), id.as_str(), source.text().len())).collect();
    times.sort_unstable();
    let near: Vec<_> = times.iter().filter(|(_, _, size)| (900..=1_150).contains(size)).collect();
    eprintln!(
        "{} diagrams; median of {} with 900 to 1 150 bytes: {:?}",
        times.len(),
        near.len(),
        near[near.len() / 2].0
    );
    for (time, id, size) in times.iter().rev().take(5) {
        eprintln!("{id}, {size} bytes: {time:?}");
    }
    assert!(times.last().is_some_and(|(time, ..)| *time < Duration::from_millis(20)), "a diagram is slow");
    let mut group = criterion.benchmark_group("mermaid-corpus");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(times.iter().map(|(.., size)| *size as u64).sum()));
    group.bench_function("all", |bencher| {
        bencher.iter(|| diagrams.iter().map(|(_, source)| validate(source).diagnostics.len()).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, validate, hostile, corpus);
criterion_main!(benches);
