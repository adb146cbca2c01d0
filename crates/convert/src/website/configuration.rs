//! `_quarto.yml`: what it says, and what of it has no effect.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    kinds::Limits,
    metadata::Metadata,
    project_files,
    run::Places,
    syntax::Observation,
    text::{Source, Span},
    tree::{Node, Tree},
};

use super::Kind;
use crate::formats::Format;

/// A project file that was read.
pub(super) struct Configuration {
    pub(super) source: Arc<Source>,
    pub(super) values: Value,
    tree: Tree,
}

/// Keys of `project` with an effect.
const PROJECT: [&str; 5] = ["output-dir", "render", "resources", "title", "type"];

/// Keys of a website with an effect.
const WEBSITE: [&str; 12] = [
    "bread-crumbs",
    "canonical-url",
    "description",
    "favicon",
    "navbar",
    "open-graph",
    "page-footer",
    "page-navigation",
    "search",
    "sidebar",
    "site-url",
    "title",
];

/// Further keys of a book with an effect.
const BOOK: [&str; 9] = [
    "abstract",
    "appendices",
    "author",
    "chapters",
    "cover-image",
    "cover-image-alt",
    "date",
    "output-file",
    "subtitle",
];

/// Keys of the bar at the top, of a sidebar, and of the footer with an effect.
const NAVBAR: [&str; 6] = ["left", "logo", "logo-alt", "right", "search", "title"];
const SIDEBAR: [&str; 7] = ["collapse-level", "contents", "id", "logo", "logo-alt", "search", "title"];
const FOOTER: [&str; 3] = ["center", "left", "right"];

/// Other keys at the top whose values are not metadata of documents.
const OTHERS: [&str; 6] = ["book", "format", "manuscript", "profile", "project", "website"];

/// A fact at a position.
pub(super) fn fact(name: &'static str, what: &str, span: Span) -> Observation {
    let mut fact = Observation::about_file(name).with("what", what).with("format", "html");
    fact.span = span;
    fact
}

impl Configuration {
    /// Reads a project file.
    pub(super) fn read(source: Arc<Source>, limits: Limits) -> Self {
        let tree = project_files::tree(&source, limits);
        let values = tree.root().to_json();
        Self { source, values, tree }
    }

    /// The value of a path of keys.
    pub(super) fn at(&self, path: &[&str]) -> Option<Node<'_>> {
        path.iter().try_fold(self.tree.root(), |node, key| node.get(key))
    }

    /// The options that have no effect when the project is converted as a whole.
    pub(super) fn without_effect(&self, kind: Kind, format: &Format) -> Vec<Observation> {
        let mut facts = Vec::new();
        let mut unknown = |path: &[&str], known: &dyn Fn(&str) -> bool| {
            let Some(node) = self.at(path) else { return };
            for entry in node.entries().filter(|entry| !known(entry.key())) {
                // What is turned off has the effect that is wanted.
                let is_off = matches!(entry.value().to_json(), Value::Bool(false) | Value::Null);
                if !is_off {
                    let what = format!("{}.{}", path.join("."), entry.key());
                    facts.push(fact("option-without-effect", &what, entry.key_span()));
                }
            }
        };
        unknown(&["project"], &|key| PROJECT.contains(&key));
        let name = kind.name();
        unknown(&[name], &|key| WEBSITE.contains(&key) || kind == Kind::Book && BOOK.contains(&key));
        let search = self
            .at(&[name])
            .filter(|site| site.get("search").is_none_or(|search| search.to_json() != Value::Bool(false)));
        unknown(&[name, "navbar"], &|key| NAVBAR.contains(&key));
        unknown(&[name, "sidebar"], &|key| SIDEBAR.contains(&key));
        unknown(&[name, "page-footer"], &|key| FOOTER.contains(&key));
        let is_html = |key: &str| key == format.id || format.aliases.iter().any(|alias| alias == key);
        unknown(&["format"], &is_html);
        for bar in self.at(&[name, "sidebar"]).into_iter().flat_map(Node::items) {
            for entry in bar.entries().filter(|entry| !SIDEBAR.contains(&entry.key())) {
                let what = format!("{name}.sidebar.{}", entry.key());
                facts.push(fact("option-without-effect", &what, entry.key_span()));
            }
        }
        // Quarto's pages have a search box unless the project says otherwise.
        if let Some(site) = search {
            let own = site.entries().find(|entry| entry.key() == "search").map(|entry| entry.key_span());
            let root = self.tree.root();
            let site = || root.entries().find(|entry| entry.key() == name).map(|entry| entry.key_span());
            let span = own.or_else(site).unwrap_or(Span::at(0));
            facts.push(fact("option-without-effect", "search", span));
        }
        // Options of documents that the project gives to all of them.
        let root = self.tree.root();
        let mut places = Places::of(Some(root), format);
        places.all.retain(|key, _| !OTHERS.contains(&key.as_str()));
        let metadata = Metadata::new(Value::Null, self.values.clone(), &[], format);
        let at = |offset: u32| Span::at(offset as usize);
        for (key, place) in metadata.without_effect(&places.own, &places.all, &[], (format, format.engine)) {
            facts.push(fact("option-without-effect", &key, at(place.offset)));
        }
        for key in metadata.refused.iter().filter(|key| *key != "css" && *key != "resources") {
            facts.push(fact("option-refused", key, at(places.at(key).offset)));
        }
        facts
    }
}
