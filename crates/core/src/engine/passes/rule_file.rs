use std::{io, path::Path};

use crate::{
    engine::{
        examples,
        pass::{Pass, PassContext},
    },
    kinds::{Document, Layer, Observation, rulefile},
    rules::{self, Ruleset},
};

/// Compiles the rules of a rule file or pack, and runs their examples where they compile.
pub(super) struct RuleFilePass;

impl Pass for RuleFilePass {
    fn kind(&self) -> &'static str {
        rulefile::NAME
    }

    fn observe(&self, document: &Document, context: &PassContext<'_>) -> Vec<Observation> {
        let ruleset = context.ruleset;
        let observables = ruleset.kind(&document.kind).map_or(&[][..], |kind| kind.observables());
        let is_syntax = |seen: &Observation| {
            observables.iter().any(|known| known.name == seen.name && known.layer == Layer::Syntax)
        };
        if document.observations.iter().any(is_syntax) {
            return Vec::new();
        }
        let folder = Path::new(document.source().name()).parent().unwrap_or(Path::new(""));
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let read = |path: &str| match context.options.read {
            Some(read) => read(path).and_then(|bytes| {
                String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
            }),
            None => Ruleset::read_below(folder, path),
        };
        let linted = rules::lint(document, &read, ruleset);
        context.sources.borrow_mut().extend(linted.sources.iter().cloned());
        let mut observations = linted.observations.clone();
        if linted.is_runnable() {
            observations.extend(examples::observe(&linted, ruleset, document, &read));
        }
        observations
    }
}
