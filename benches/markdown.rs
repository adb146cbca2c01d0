//! Time to read Markdown: prose with frontmatter, catalogues of SCOPE blocks and adversarial input, from
//! 1 KB to 10 MB.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::{fmt::Write as _, hint::black_box, sync::Arc};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use proofmark::{Fragment, Kind, ParseOptions, Source, internals::kinds::markdown::Markdown};

/// Creates a document of about the given number of bytes.
type Make = fn(usize) -> String;

fn prose(size: usize) -> String {
    let mut text = "---\ntitle: Report 7\nauthor: Ada Lovelace\ndate: 2026-11-21\ntags: [report, draft]\n---\n\n# Report\n\n".to_owned();
    let mut part = 0;
    while text.len() < size {
        part += 1;
        if part % 7 == 0 {
            let _ = write!(text, "## Part {part}\n\n");
        }
        let tail =
            if part % 3 == 0 { " with *stress*, `code` and [a link](https://example.org)" } else { "" };
        let _ = write!(
            text,
            "a careful reader will notice that every claim is followed by the evidence{tail}.\n\n"
        );
    }
    text
}

fn catalogue(size: usize) -> String {
    let mut text =
        "---\nQUILL: product_catalog\ntitle: Catalogue\ntags: [a, b, c]\n---\n\n# Catalogue\n\n".to_owned();
    let mut item = 0;
    while text.len() < size {
        item += 1;
        let _ = write!(
            text,
            "---\nSCOPE: products\nsku: SKU-{item:05}\nname: Widget {item}\nprice: 12.5\n---\n\n\
             A *fine* widget, number {item}, with **bold** text and a [link](https://example.org/{item}).\n\n"
        );
    }
    text
}

fn hostile(size: usize) -> String {
    "---\n".repeat(size / 4)
}

fn read(source: &Arc<Source>) -> usize {
    let fragment = Fragment::contiguous(source.text(), source.span());
    let document = Markdown.parse(source, &fragment, &ParseOptions::default());
    document.tree.len() + document.observations.len()
}

fn bench(criterion: &mut Criterion) {
    let inputs: [(&str, Make); 3] = [("prose", prose), ("catalogue", catalogue), ("dashes", hostile)];
    for (name, text) in inputs {
        let mut group = criterion.benchmark_group(format!("markdown/{name}"));
        group.sample_size(10);
        for size in [1_000, 5_000, 30_000, 1_000_000, 10_000_000] {
            let source = Arc::new(Source::new("bench.md", text(size)));
            group.throughput(Throughput::Bytes(source.text().len() as u64));
            group.bench_function(size.to_string(), |bencher| bencher.iter(|| read(black_box(&source))));
        }
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
