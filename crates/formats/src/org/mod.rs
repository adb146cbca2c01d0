//! Org files: outlines with tasks, dates, properties, blocks and links.
//!
//! A line parser. [`outline`] reads headlines with what belongs to them, and what keywords such as
//! `#+TODO:` say ([`settings`]); [`elements`] reads the sections below them, [`objects`] the text in
//! those; [`tree`] makes one tree of it all. Each of them is one walk over the text in linear time. A line
//! that looks like structure and is not, to Emacs, is observed.
//!
//! Sources: Org 9.8.9 (`org-element.el`, `org.el`, `org-lint.el`) and its readings of the test documents.

mod babel;
mod edited;
mod elements;
mod embedded;
mod ends;
mod entry;
mod export;
mod forms;
mod inline;
mod keywords;
mod lexical;
mod lines;
mod link;
mod list;
mod objects;
mod observe;
mod outline;
mod settings;
mod setup;
mod sums;
mod timestamp;
mod tree;

pub use self::{
    edited::Edited,
    export::outline as exported,
    inline::InlineTask,
    keywords::{keyword, keywords},
    outline::{Drawer, Headline, Outline},
    settings::{Settings, rank},
    setup::{INLINE_TASKS, Setup},
    timestamp::{Stamp, Timestamp},
};

use std::{borrow::Cow, io::ErrorKind, sync::Arc};

use serde_json::Value;

use self::{elements::Elements, tree::Parts};
use super::{Comment, Document, Form, Kind, KindOption, Observable, Observation, ParseOptions};
use crate::{
    budget,
    text::{Fragment, Source, Span},
    tree::TreeBuilder,
};

/// Name of the kind.
pub const NAME: &str = "org";

/// Org files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Org;

impl Kind for Org {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "Org files: outlines with tasks, dates, properties, blocks, and links"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["*.org", "*.org_archive"]
    }

    fn languages(&self) -> Vec<&str> {
        vec!["org"]
    }

    fn resembles(&self, text: &str) -> bool {
        let first = text.lines().map(str::trim_end).find(|line| !line.is_empty()).unwrap_or_default();
        first.starts_with("#+") || first.starts_with("* ") && has_org_below(text)
    }

    fn observables(&self) -> &'static [Observable] {
        observe::OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        include_str!("../../../../schemas/tree/org.schema.json")
    }

    fn forms(&self) -> Vec<Form> {
        forms::all()
    }

    fn options(&self) -> &[KindOption] {
        &[INLINE_TASKS]
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn outline(&self, text: &str) -> Option<Value> {
        self.outline_with(text, &ParseOptions::default())
    }

    fn outline_with(&self, text: &str, options: &ParseOptions<'_>) -> Option<Value> {
        export::outline(text, &Setup::with(text, options))
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let text = fragment.text();
        let setup = Setup::with(text, options);
        let outline = Outline::read_with(text, &setup);
        let elements = elements::read(text, &outline);
        let objects = objects::read(text, &elements.prose);
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let parts = Parts { outline: &outline, elements: &elements, objects: &objects };
        tree::write(&mut builder, fragment, text, &parts);
        let embedded = embedded::read(&elements.blocks, source, fragment, text, options);
        let mut found = observe::outline(text, &outline);
        found.extend(setup_files(&elements, text, options));
        let Elements { observations, comments, .. } = elements;
        found.extend(observations);
        let is_described = |seen: &Observation| match seen.name {
            Cow::Borrowed(name) => budget::describe(name),
            Cow::Owned(_) => true,
        };
        let observations =
            found.into_iter().filter(is_described).map(|seen| in_host(seen, fragment)).collect();
        let host = |comment: Comment| Comment {
            span: fragment.host(comment.span),
            text: fragment.host(comment.text),
        };
        let comments = comments.into_iter().map(host).collect();
        let cursor = options.editor.cursor.and_then(|at| fragment.local(at)).map(|at| at as usize);
        let cursor = cursor.filter(|at| text.is_char_boundary(*at));
        let continuations = cursor.map(|at| lexical::continuations(text, at, &outline)).unwrap_or_default();
        Document { observations, comments, continuations, embedded, ..Document::new(NAME, builder.finish()) }
    }
}

/// Whether text that begins with a star has what a Markdown list does not have.
fn has_org_below(text: &str) -> bool {
    text.lines().any(|line| {
        line.starts_with("** ") || line.starts_with("#+") || line.trim().eq_ignore_ascii_case(":PROPERTIES:")
    })
}

/// An observation of the fragment as one of its host.
fn in_host(mut observation: Observation, fragment: &Fragment<'_>) -> Observation {
    observation.span = fragment.host(observation.span);
    for (_, place) in &mut observation.places {
        *place = fragment.host(*place);
    }
    observation
}

/// Observes `#+SETUPFILE:` lines whose file is not there or is outside of the folders that may be read, where files
/// can be read.
fn setup_files(elements: &Elements<'_>, text: &str, options: &ParseOptions<'_>) -> Vec<Observation> {
    let Some(read) = options.read else { return Vec::new() };
    let setup = elements.keywords.iter().filter(|keyword| keyword.key.eq_ignore_ascii_case("SETUPFILE"));
    let missing = |value: &str| {
        let file = setup::local(value)?;
        let why = match read(file).err()?.kind() {
            ErrorKind::NotFound => "missing",
            ErrorKind::PermissionDenied => "outside",
            _ => return None,
        };
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        let span = Span::new(start, start + value.len());
        Some(Observation::new("missing-setup-file", span).with("file", file).with("why", why))
    };
    setup.filter_map(|keyword| missing(keyword.value)).collect()
}

#[cfg(test)]
mod tests;
