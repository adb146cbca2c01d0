use std::{borrow::Cow, cell::Cell, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding, OneOrMany, scope::table_slot};
use crate::{
    kinds::{LinkRequest, Linked, SharedNames},
    text::{Source, percent_decoded},
    tree::{JsonPath, Node},
};

/// The string leads to a file: it is a path relative to the folder of the document, with or without `#` and the name of
/// a place in that file. Names of places are those that a symbol table of the pack has in the other document, or JSON
/// Pointers. What cannot be decided passes: addresses with a scheme, absolute paths, and files outside the folders that
/// may be read.
///
/// ```yaml
/// check: {link: {to: product, report: name, index: [README.md]}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    /// Path to the string (default: the node itself).
    path: Option<String>,
    /// Symbol table with the names of places, or several. Without one, only files are looked for.
    to: Option<OneOrMany<String>>,
    /// Which mistakes to report: `file` (the default); with `to`, `name`; or `pointer`, JSON Pointers after `#` that lead to
    /// nothing, also in the document itself.
    report: Option<Report>,
    /// The folder that paths start at instead of that of the document: `root` for that of the configuration, or the name of a
    /// folder around the document, such as `.github`, for the folder that contains it. Absolute paths start there, too.
    from: Option<String>,
    /// Whether uppercase and lowercase letters in names of places are the same. The symbol table has them in lower case.
    #[serde(default)]
    fold: bool,
    /// Files that a folder stands for, the first that exists.
    #[serde(default)]
    index: Vec<String>,
    /// Extensions, such as `.md`, that a path may leave out or have `.html` for: a site generator adds them.
    /// A path may then also start at a folder with the name of the document, as the site serves its pages.
    #[serde(default)]
    extensions: Vec<String>,
}

/// Which bad links a rule reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Report {
    /// Files that do not exist.
    #[default]
    File,
    /// Names of places that the file does not have.
    Name,
    /// JSON Pointers that lead to nothing in the file.
    Pointer,
}

impl CheckKind for Link {
    const NAME: &'static str = "link";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("path", "the path without the name of a place, percent-encoding decoded"),
        ("anchor", "the name of the place, percent-encoding decoded"),
    ];
    const PLACES: &'static [(&'static str, &'static str)] =
        &[("nearest", "where the other file declares the most similar name")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let to = self.to.map(OneOrMany::into_vec).unwrap_or_default();
        for name in &to {
            compiler.symbol(name, &at.key("to"));
        }
        let path = self.path.and_then(|path| compiler.path(&path, &at.key("path")));
        if !to.is_empty() && self.report.is_none() {
            let detail =
                "with `to`, say `report: name` for names that the file does not have, or `report: file`";
            compiler.report(Fault::new("bad-bounds", at).with("detail", detail));
            return None;
        }
        let Self { fold, index, extensions, from, .. } = self;
        let report = self.report.unwrap_or_default();
        let detail = match () {
            () if report == Report::Pointer && (!to.is_empty() || fold) => {
                "`report: pointer` needs no symbol table: leave `to` and `fold` out"
            }
            () if report == Report::Name && to.is_empty() => "`report: name` needs a symbol table: add `to`",
            () if from.as_ref().is_some_and(|from| from.is_empty() || from.contains(['/', '\\'])) => {
                "`from` is `root` or the name of one folder"
            }
            () => "",
        };
        if !detail.is_empty() {
            compiler.report(Fault::new("bad-bounds", at).with("detail", detail));
            return None;
        }
        let to = if report == Report::Pointer { vec![POINTERS.to_owned()] } else { to };
        Some(Arc::new(Leads { path, to, report, fold, index, extensions, from }))
    }
}

#[derive(Debug)]
struct Leads {
    path: Option<JsonPath>,
    /// Symbol tables with the names of places.
    to: Vec<String>,
    report: Report,
    fold: bool,
    index: Vec<String>,
    extensions: Vec<String>,
    /// What folder paths start at.
    from: Option<String>,
}

/// Most names that are compared to find the nearest ones, for all findings of a rule in a document.
const COMPARISONS: usize = 200_000;

/// The table of the JSON Pointers to all values of a document.
pub const POINTERS: &str = "#";

/// What `from` calls the folder of the configuration.
const ROOT: &str = "root";

/// A reference to a file, without its percent-encoding.
#[derive(Debug, PartialEq, Eq)]
struct Reference<'t> {
    path: Cow<'t, str>,
    /// The name of a place; nothing for an address with a query, whose program decides what it means.
    anchor: Option<Cow<'t, str>>,
}

impl<'t> Reference<'t> {
    /// Nothing for what is not the relative path of another file. An absolute path is one where paths `start` elsewhere than in the
    /// folder of the document.
    fn of(text: &'t str, start: bool) -> Option<Self> {
        let text = if start { text.strip_prefix('/').unwrap_or(text) } else { text };
        let (target, fragment) =
            text.split_once('#').map_or((text, None), |(target, name)| (target, Some(name)));
        let (path, query) =
            target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
        if path.is_empty() || path.starts_with(['/', '\\']) || has_scheme(path) {
            return None;
        }
        let path = percent_decoded(path);
        if path.contains('\0') {
            return None;
        }
        let fragment = fragment.filter(|name| !name.is_empty() && query.is_none());
        Some(Self { path, anchor: fragment.map(percent_decoded) })
    }
}

/// Whether a reference starts with a scheme, as RFC 3986 defines it.
fn has_scheme(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_part)
    })
}

impl Evaluate for Leads {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let comparisons = Cell::new(COMPARISONS);
        context.kept(nodes.iter().filter_map(|node| self.finding(*node, context, &comparisons)))
    }

    fn follows_links(&self) -> bool {
        true
    }

    fn needs_links(&self) -> bool {
        true
    }

    fn links(&self, nodes: &[Node<'_>], context: &Context<'_, '_>) -> Vec<LinkRequest> {
        let name = context.state.document.source().name();
        let Some(folder) = self.folder(context.state.document.source()) else { return Vec::new() };
        let request = |node: &Node<'_>| {
            let reference = Reference::of(self.text(*node)?.1, self.from.is_some())?;
            let wants_names = self.report != Report::File;
            (!wants_names || reference.anchor.is_some()).then(|| LinkRequest {
                key: self.key(&reference.path),
                candidates: self.candidates(&format!("{folder}{}", reference.path), name),
                index: self.index.clone(),
                wants_names,
            })
        };
        nodes.iter().filter_map(request).collect()
    }

    fn linked_tables(&self) -> &[String] {
        &self.to
    }
}

impl Leads {
    fn text<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, &'t str)> {
        let value = match &self.path {
            Some(path) => path.first(node)?,
            None => node,
        };
        Some((value, value.as_str()?))
    }

    /// The way from the folder of a document to the folder that paths start at, with a `/` at its end; nothing where it is not
    /// around the document.
    fn folder(&self, document: &Source) -> Option<String> {
        let Some(from) = &self.from else { return Some(String::new()) };
        let path = if from == ROOT { document.key() } else { document.name() };
        let folders: Vec<&str> = path.rsplit_once('/').map_or("", |(folder, _)| folder).split('/').collect();
        if path.is_empty() || (path.starts_with('/') && from == ROOT) || folders.contains(&"..") {
            return None;
        }
        let up = if from == ROOT {
            folders.iter().filter(|folder| !folder.is_empty()).count()
        } else {
            folders.len() - folders.iter().rposition(|folder| folder == from)?
        };
        Some("../".repeat(up))
    }

    /// What the answer to the question where a path leads is known by.
    fn key(&self, path: &str) -> String {
        let wants = if self.report == Report::File { "file" } else { "names" };
        let from = self.from.as_deref().unwrap_or_default();
        format!("{wants}\0{path}\0{}\0{}\0{from}", self.index.join("/"), self.extensions.join("/"))
    }

    /// The paths that a path may mean in the document of this name, the most likely first.
    fn candidates(&self, path: &str, document: &str) -> Vec<String> {
        let mut candidates = vec![plain(path)];
        if self.extensions.is_empty() {
            return candidates;
        }
        let stem = document.rsplit('/').next().unwrap_or(document);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let of_page = format!("{stem}/{path}");
        for path in [path, of_page.as_str()] {
            candidates.push(plain(path));
            let bare = path.trim_end_matches('/');
            let bare = bare.strip_suffix(".html").or_else(|| bare.strip_suffix(".htm")).unwrap_or(bare);
            if bare.rsplit('/').next().is_some_and(|name| !matches!(name, "" | "." | "..")) {
                candidates
                    .extend(self.extensions.iter().map(|extension| plain(&format!("{bare}{extension}"))));
            }
        }
        candidates
    }

    fn finding<'t>(
        &self,
        node: Node<'t>,
        context: &Context<'_, 't>,
        comparisons: &Cell<usize>,
    ) -> Option<Finding<'t>> {
        let (value, text) = self.text(node)?;
        if let Some(pointer) = text.strip_prefix('#').filter(|_| self.report == Report::Pointer) {
            return inside(value, pointer, context);
        }
        let reference = Reference::of(text, self.from.is_some())?;
        let name = context.state.document.source().name();
        let folder = self.folder(context.state.document.source())?;
        context.state.hear_link(value, || self.candidates(&format!("{folder}{}", reference.path), name));
        let linked = context.state.document.linked.as_ref()?.get(&self.key(&reference.path))?;
        let anchor = reference.anchor.as_deref();
        let finding = Finding::at(value).with("path", &*reference.path).with("anchor", anchor);
        match (self.report, linked) {
            (Report::File, Linked::Missing) => Some(finding),
            (Report::Name, Linked::Found(Some(names))) => {
                self.undeclared(finding, anchor?, names, context, comparisons)
            }
            // An anchor that is not a pointer is a name of some other sort.
            (Report::Pointer, Linked::Found(Some(names))) => {
                let anchor = anchor.filter(|anchor| anchor.starts_with('/'))?;
                let slot = table_slot(&context.state.vocabulary.pack, POINTERS);
                names.names(&slot).next()?;
                self.undeclared(finding, anchor, names, context, comparisons)
            }
            _ => None,
        }
    }

    /// The finding about a name that the other file does not declare.
    fn undeclared<'t>(
        &self,
        finding: Finding<'t>,
        anchor: &str,
        names: &SharedNames,
        context: &Context<'_, 't>,
        comparisons: &Cell<usize>,
    ) -> Option<Finding<'t>> {
        let pack = &context.state.vocabulary.pack;
        let slots: Vec<String> = self.to.iter().map(|table| table_slot(pack, table)).collect();
        let anchor = if self.fold { Cow::Owned(anchor.to_lowercase()) } else { Cow::Borrowed(anchor) };
        if slots.iter().any(|slot| names.is_declared(slot, &anchor, "")) {
            return None;
        }
        if comparisons.get() == 0 {
            return Some(finding);
        }
        let mut known: Vec<String> =
            slots.iter().flat_map(|slot| names.names(slot).map(str::to_owned).collect::<Vec<_>>()).collect();
        known.sort_unstable();
        comparisons.set(comparisons.get().saturating_sub(known.len().max(1)));
        let finding = finding.among(&anchor, known);
        let nearest = finding.nearest.as_deref();
        let declared = nearest.and_then(|name| slots.iter().find_map(|slot| names.elsewhere(slot, name, "")));
        Some(match declared {
            Some(location) => finding.elsewhere("nearest", location),
            None => finding,
        })
    }
}

/// The finding about a pointer into the document itself.
fn inside<'t>(value: Node<'t>, pointer: &'t str, context: &Context<'_, 't>) -> Option<Finding<'t>> {
    let pointer = percent_decoded(pointer);
    let is_unread = context.state.document.unread.as_ref().is_some_and(|unread| !unread.is_empty());
    if is_unread || !pointer.starts_with('/') || context.state.tree().at_pointer(&pointer).is_some() {
        return None;
    }
    Some(Finding::at(value).with("path", "").with("anchor", &*pointer))
}

/// A relative path without `.` and without a folder that a `..` leaves.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::trial::faults;

    fn reference(text: &str) -> Option<(String, Option<String>)> {
        let Reference { path, anchor } = Reference::of(text, false)?;
        Some((path.into_owned(), anchor.map(Cow::into_owned)))
    }

    #[test]
    fn relative_paths_are_references() {
        let some = |path: &str, anchor: Option<&str>| Some((path.to_owned(), anchor.map(str::to_owned)));
        assert_eq!(reference("a.md"), some("a.md", None));
        assert_eq!(reference("../a%20b.md#caf%C3%A9"), some("../a b.md", Some("café")));
        assert_eq!(reference("a.md?plain=1#L3"), some("a.md", None));
        assert_eq!(reference("docs/a:b.md"), some("docs/a:b.md", None));
        for other in
            ["", "#here", "/a.md", "//host/a.md", "https://host/a.md", "mailto:a@b.c", "C:\\a.md", "?x"]
        {
            assert_eq!(reference(other), None, "{other}");
        }
    }

    #[test]
    fn a_path_may_leave_out_what_a_site_generator_adds() {
        let leads = |extensions: &[&str]| Leads {
            path: None,
            to: Vec::new(),
            report: Report::File,
            fold: false,
            index: Vec::new(),
            extensions: extensions.iter().map(|extension| (*extension).to_owned()).collect(),
            from: None,
        };
        assert_eq!(leads(&[]).candidates("./x/../b", "docs/a.md"), ["b"]);
        let candidates = leads(&[".md"]).candidates("../b/", "docs/a.md");
        assert_eq!(candidates, ["../b", "../b", "../b.md", "b", "b.md"]);
        assert!(leads(&[".md"]).candidates("b.html", "a.md").contains(&"b.md".to_owned()));
        assert_eq!(leads(&[".md"]).candidates("..", "a.md"), ["..", "..", "."]);
    }

    #[test]
    fn symbol_tables_are_known_ones() {
        assert_eq!(faults("{link: {to: products, report: name}}"), ["unknown-symbol"]);
        assert_eq!(faults("{link: {to: products}}"), ["unknown-symbol", "bad-bounds"]);
        assert_eq!(faults("{link: {report: name}}"), ["bad-bounds"]);
        assert_eq!(faults("{link: {to: product, report: pointer}}"), ["bad-bounds"]);
        assert_eq!(faults("{link: {from: docs/api}}"), ["bad-bounds"]);
    }

    #[test]
    fn paths_start_at_a_folder_around_the_document() {
        let way = |from: &str, document: &str| {
            let check = serde_json::from_value::<Link>(serde_json::json!({"from": from})).unwrap();
            let leads = Leads {
                path: None,
                to: Vec::new(),
                report: Report::File,
                fold: false,
                index: Vec::new(),
                extensions: Vec::new(),
                from: check.from,
            };
            leads.folder(&Source::new(document, "").with_key(document))
        };
        assert_eq!(way("root", "a/b/c.yml").as_deref(), Some("../../"));
        assert_eq!(way("root", "c.yml").as_deref(), Some(""));
        assert_eq!(way("root", "../c.yml"), None);
        assert_eq!(way(".github", "a/.github/workflows/c.yml").as_deref(), Some("../../"));
        assert_eq!(way(".github", "a/workflows/c.yml"), None);
    }
}
