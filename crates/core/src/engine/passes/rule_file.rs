use std::io;

use crate::{
    engine::{
        examples,
        pass::{Pass, PassContext},
    },
    kinds::{Document, Layer, Observation, Remark, rulefile},
    rules::{self, LintedFile},
    text::Span,
};

/// Compiles the rules of a rule file or pack, and runs their examples where they compile.
pub(super) struct RuleFilePass;

impl Pass for RuleFilePass {
    fn kind(&self) -> &'static str {
        rulefile::NAME
    }

    fn observe(&self, document: &Document, context: &PassContext<'_>) -> Vec<Observation> {
        with_rules(document, context, |linted, read| {
            context.sources.borrow_mut().extend(linted.sources.iter().cloned());
            let mut observations = linted.observations.clone();
            if linted.is_runnable() {
                observations.extend(examples::observe(linted, context.ruleset, document, read));
            }
            observations
        })
        .unwrap_or_default()
    }

    fn remarks(&self, document: &Document, context: &PassContext<'_>) -> Vec<Remark> {
        let counts = with_rules(document, context, |linted, read| {
            let is_runnable = linted.is_runnable();
            is_runnable.then(|| examples::counts(linted, context.ruleset, document, read))
        });
        let remark = |(span, passed, all): (Span, usize, usize)| {
            let noun = if all == 1 { "example" } else { "examples" };
            let text = match passed {
                passed if passed < all => format!("{passed} of {all} {noun} pass"),
                1 => "1 example passes".to_owned(),
                _ => format!("{all} {noun} pass"),
            };
            Remark { span, text }
        };
        counts.flatten().into_iter().flatten().map(remark).collect()
    }
}

/// Runs work with the rules of a file; nothing where the file cannot be read.
fn with_rules<R>(
    document: &Document,
    context: &PassContext<'_>,
    work: impl FnOnce(&LintedFile, &dyn Fn(&str) -> io::Result<String>) -> R,
) -> Option<R> {
    let ruleset = context.ruleset;
    let observables = ruleset.kind(&document.kind).map_or(&[][..], |kind| kind.observables());
    let is_syntax = |seen: &Observation| {
        observables.iter().any(|known| known.name == seen.name && known.layer == Layer::Syntax)
    };
    if document.observations.iter().any(is_syntax) {
        return None;
    }
    let read = |path: &str| match context.options.read {
        Some(read) => read(path).and_then(|bytes| {
            String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
        }),
        None => read_beside(document.source().name(), path),
    };
    Some(work(&rules::lint(document, &read, ruleset), &read))
}

/// Reads a file of the pack that a rule file is in, where nothing else says how files are read.
#[cfg(feature = "disk")]
fn read_beside(file: &str, path: &str) -> io::Result<String> {
    use std::path::Path;
    let folder = Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty());
    let limit = crate::kinds::Limits::default().text_bytes;
    proofmark_files::DiskFolder::read_in(folder.unwrap_or(Path::new(".")), path, limit)
}

/// Where there is no disk, there is no other file.
#[cfg(not(feature = "disk"))]
fn read_beside(_: &str, _: &str) -> io::Result<String> {
    Err(io::ErrorKind::NotFound.into())
}
