//! How long a document takes once workers are there: `cargo bench -p proofmark-render`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench that fails is seen")]

use std::{
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use criterion::{Criterion, criterion_group, criterion_main};
use proofmark::{
    Configuration, Input, Overrides, Project,
    internals::{
        kinds::markdown::Markdown,
        project::config::Config,
        render::{Assets, Format, Library, Renderer, Request, WorkerProgram},
    },
};

fn bench(criterion: &mut Criterion) {
    let library = Arc::new(Library::builtin());
    let project = Project::open(&Configuration::Default, Overrides::default()).unwrap();
    let program = WorkerProgram::at(env!("CARGO_BIN_EXE_proofmark-render"));
    let renderer = Renderer::new(Arc::clone(&library), &Config::default().render, program);
    renderer.start_ahead();
    while renderer.idle_workers().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    let count = AtomicUsize::new(0);
    for name in [
        "letter",
        "memo",
        "report",
        "resume",
        "product_catalog",
        "invoice",
        "article",
        "minutes",
        "certificate",
        "memo_classic",
    ] {
        let example = library.example(name).expect("every quill has an example");
        for format in Format::ALL {
            let id = format!("{name}/{format}");
            let mut group = criterion.benchmark_group("render");
            group.sample_size(20).measurement_time(Duration::from_secs(3));
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    // Another text each time: the same one is not laid out twice.
                    let number = count.fetch_add(1, Ordering::Relaxed);
                    let text = format!("{example}\n\nNumber {number}.\n");
                    let input = Input::text(text).at("letter.md").of_kind(Some(Arc::new(Markdown)));
                    let subject = project.subject(input).unwrap();
                    let request = Request {
                        subject: &subject,
                        quill: None,
                        format,
                        standards: &[],
                        assets: &Assets::new(),
                        ppi: None,
                        date: "2026-01-31",
                        force: true,
                        check_only: false,
                    };
                    let rendered = renderer.render(&request);
                    assert!(!rendered.artifacts.is_empty());
                    black_box(rendered)
                });
            });
            group.finish();
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
