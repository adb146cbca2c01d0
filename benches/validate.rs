//! Time to validate documents with all rules of their kind: prose with frontmatter and catalogues of SCOPE
//! blocks, from 1 KB to 10 MB.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::{fmt::Write as _, hint::black_box, sync::Arc};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use proofmark::{Limits, ParseOptions, Ruleset, Settings, Source, Validator};

fn prose(size: usize) -> String {
    let mut text = "---\ntitle: Report\nauthor: Ada Lovelace\ndate: 2026-11-21\ntags: [report, draft]\n---\n\n# Report\n\n".to_owned();
    let mut number = 0;
    while text.len() < size {
        number += 1;
        if number % 7 == 0 {
            let _ = write!(text, "## Part {number}\n\n");
        }
        text.push_str("A careful reader will notice that every claim in this report is followed by evidence");
        text.push_str(if number % 3 == 0 {
            " with *stress*, `code` and [a link](https://example.org).\n\n"
        } else {
            ".\n\n"
        });
    }
    text
}

fn catalogue(size: usize) -> String {
    let mut text =
        "---\nQUILL: product_catalog\ntitle: Catalogue\ntags: [a, b]\n---\n\n# Catalogue\n\n".to_owned();
    let mut number = 0;
    while text.len() < size {
        number += 1;
        let _ = write!(
            text,
            "---\nSCOPE: products\nsku: SKU-{number:05}\nname: Widget {number}\nprice: {number}.5\n---\n\nA *fine* widget, number {number}.\n\n"
        );
    }
    text
}

fn validate(criterion: &mut Criterion) {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let Some(kind) = validator.ruleset().kind("markdown").cloned() else { return };
    let options = ParseOptions {
        limits: Limits { text_bytes: 20_000_000, ..Limits::default() },
        ..ParseOptions::default()
    };
    for (name, make) in [("prose", prose as fn(usize) -> String), ("catalogue", catalogue)] {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for size in [1_000, 5_000, 30_000, 1_000_000, 10_000_000] {
            let text = make(size);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(BenchmarkId::from_parameter(size), &text, |bencher, text| {
                bencher.iter(|| {
                    let source = Arc::new(Source::new("bench.md", text.clone()));
                    black_box(validator.validate(&source, kind.as_ref(), &options).diagnostics.len())
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, validate);
criterion_main!(benches);
