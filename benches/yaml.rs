//! Time to read YAML: the small blocks of metadata documents, and large files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::fmt::Write as _;
use std::{hint::black_box, sync::Arc};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use proofmark::{
    Fragment, Source, Span, TreeBuilder,
    internals::syntax::yaml::{self, YamlOptions},
};

const BLOCK: &str = "SCOPE: products\nname: Widget\nsku: \"WID-001\"\nprice: 19.99\nstock: 42\n\
    description: A widget for every home and office\ntags: [tools, home]\n";

fn read(text: &Arc<Source>, options: &YamlOptions) -> usize {
    let mut builder = TreeBuilder::new(Arc::clone(text));
    let mut observations = Vec::new();
    let fragment = Fragment::contiguous(text.text(), text.span());
    yaml::read(&mut builder, &fragment, options, &mut observations);
    builder.finish().len() + observations.len()
}

fn large() -> String {
    let mut text = String::new();
    for n in 0..2000 {
        let _ = write!(
            text,
            "- id: step-{n}\n  type: LLMInference\n  model:\n    id: gpt\n    params: {{temperature: 0.5, max: {n}}}\n  prompt: |\n    Say hello\n    to {n}\n"
        );
    }
    text
}

/// Reads a document of many small blocks, which share a builder.
fn read_blocks(source: &Arc<Source>, blocks: &[Span], options: &YamlOptions) -> usize {
    let mut builder = TreeBuilder::new(Arc::clone(source));
    let mut observations = Vec::new();
    builder.open_sequence(source.span());
    for block in blocks {
        let fragment = Fragment::contiguous(source.text(), *block);
        yaml::read(&mut builder, &fragment, options, &mut observations);
    }
    builder.finish().len() + observations.len()
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("yaml");
    for (name, text) in [("block", BLOCK.to_owned()), ("large", large())] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        let source = Arc::new(Source::new("bench.yaml", text.clone()));
        for traps in [false, true] {
            let options = YamlOptions { report_traps: traps, ..YamlOptions::default() };
            group.bench_function(format!("{name}, traps {traps}"), |bencher| {
                bencher.iter(|| read(black_box(&source), &options));
            });
        }
        group.bench_function(format!("{name}, serde_yaml"), |bencher| {
            bencher.iter(|| serde_yaml::from_str::<serde_yaml::Value>(black_box(&text)).is_ok());
        });
    }
    let source = Arc::new(Source::new("bench.md", BLOCK.repeat(37)));
    let blocks: Vec<Span> = (0..37).map(|n| Span::new(n * BLOCK.len(), (n + 1) * BLOCK.len())).collect();
    group.throughput(Throughput::Bytes(source.text().len() as u64));
    group.bench_function("37 blocks, traps true", |bencher| {
        bencher.iter(|| read_blocks(black_box(&source), &blocks, &YamlOptions::default()));
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
