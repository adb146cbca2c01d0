//! The pages of a project, and what else is in its folder.

use std::{collections::HashSet, path::Path};

use super::{
    Kind,
    configuration::{Configuration, fact},
    paths,
};
use crate::{expressions::Patterns, files, syntax::Observation, text::Span, tree::Node};

/// Most pages of a project.
pub(super) const PAGES: usize = 10_000;

/// Most files and folders of a project that are looked at.
const FILES: usize = 100_000;

/// Deepest list of menus and chapters.
const DEPTH: u32 = 8;

/// Endings of documents that can be pages.
const ENDINGS: [&str; 2] = [".qmd", ".md"];

/// Endings of documents that Quarto executes and this program does not convert.
const EXECUTED: [&str; 3] = [".ipynb", ".Rmd", ".rmd"];

/// Folders with programs and packages.
const PACKAGES: [&str; 5] = ["node_modules", "venv", "env", "renv", "packrat"];

/// The paths of the pages in their order, from the project's folder, and all files of the project.
pub(super) struct Pages {
    pub(super) documents: Vec<String>,
    /// All files that are not hidden, sorted.
    pub(super) files: Vec<String>,
    pub(super) chapters: Vec<ChapterPage>,
    pub(super) facts: Vec<Observation>,
}

/// A page of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChapterPage {
    pub(super) path: String,
    pub(super) is_appendix: bool,
    /// Whether it begins a part, which has no number.
    pub(super) is_part: bool,
}

/// Whether a path is that of a document that can be a page.
pub(super) fn is_document(path: &str) -> bool {
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

fn is_executed(path: &str) -> bool {
    EXECUTED.iter().any(|ending| path.ends_with(ending))
}

/// Whether a part of a path is hidden.
pub(super) fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.') && part.len() > 1 && part != "..")
}

/// Whether Quarto leaves out a file unless it is named.
fn is_private(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    path.split('/').any(|part| part.starts_with('_') || PACKAGES.contains(&part))
        || ["README", "CLAUDE", "AGENTS"].contains(&stem)
}

/// The files below a folder that are not hidden, sorted, without those of the output.
fn walk(folder: &Path, respects_ignores: bool, output: Option<&str>) -> (Vec<String>, bool) {
    let (walker, _) = files::walker(folder, respects_ignores, |_| false);
    let mut found = Vec::new();
    let mut is_cut = false;
    for (index, entry) in walker.build().enumerate() {
        if index >= FILES {
            is_cut = true;
            break;
        }
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let Ok(below) = entry.path().strip_prefix(folder) else { continue };
        let path = below.to_string_lossy().replace('\\', "/");
        let is_output =
            output.is_some_and(|output| path.strip_prefix(output).is_some_and(|rest| rest.starts_with('/')));
        if !is_hidden(&path) && !is_output {
            found.push(path);
        }
    }
    found.sort_unstable();
    (found, is_cut)
}

/// What is looked for in lists of pages.
struct Finder<'f> {
    configuration: &'f Configuration,
    known: HashSet<&'f str>,
    facts: Vec<Observation>,
    reported: HashSet<(&'static str, String)>,
    named: Vec<String>,
    chapters: Vec<ChapterPage>,
}

impl Pages {
    /// Finds the pages of a project.
    pub(super) fn find(
        configuration: &Configuration,
        kind: Kind,
        folder: &Path,
        respects_ignores: bool,
        output: Option<&str>,
    ) -> Self {
        let (files, is_cut) = walk(folder, respects_ignores, output);
        let known: HashSet<&str> = files.iter().map(String::as_str).collect();
        let mut finder = Finder {
            configuration,
            known,
            facts: Vec::new(),
            reported: HashSet::new(),
            named: Vec::new(),
            chapters: Vec::new(),
        };
        let mut pages: Vec<String> = Vec::new();
        // First, so that a page that is named is reported where it is named.
        finder.menus(kind);
        let render = configuration.at(&["project", "render"]);
        if let Some(render) = render {
            pages.extend(finder.rendered(render, &files));
        } else if kind == Kind::Website {
            let wanted = files.iter().filter(|path| !is_private(path));
            pages.extend(wanted.clone().filter(|path| is_document(path)).cloned());
            for path in wanted.filter(|path| is_executed(path)) {
                finder.report("page-not-converted", path, Span::at(0), "executed");
            }
        }
        pages.append(&mut finder.named);
        let mut seen = HashSet::new();
        pages.retain(|path| seen.insert(path.clone()));
        // `a.qmd` and `a.md` would be the same page.
        let mut outputs: HashSet<String> = HashSet::new();
        pages.retain(|path| {
            let is_first = outputs.insert(paths::output(path));
            if !is_first {
                finder.report("page-not-converted", path, Span::at(0), "twice");
            }
            is_first
        });
        if pages.len() > PAGES || is_cut {
            let what = if is_cut { format!("{FILES} files") } else { format!("{PAGES} pages") };
            finder.report("page-not-converted", &what, Span::at(0), "limit");
            pages.truncate(PAGES);
        }
        let Finder { facts, chapters, .. } = finder;
        Self { documents: pages, files, chapters, facts }
    }
}

impl Finder<'_> {
    /// Reports something once.
    fn report(&mut self, name: &'static str, what: &str, span: Span, problem: &str) {
        if !self.reported.insert((name, what.to_owned())) {
            return;
        }
        self.facts.push(fact(name, what, span).with("problem", problem));
    }

    /// The documents that `project.render` names.
    fn rendered(&mut self, render: Node<'_>, files: &[String]) -> Vec<String> {
        let items: Vec<Node<'_>> =
            if render.as_str().is_some() { vec![render] } else { render.items().collect() };
        let excluded: Vec<String> =
            items.iter().filter_map(|item| item.as_str()?.strip_prefix('!').map(str::to_owned)).collect();
        let excluded = Patterns::new(&excluded).unwrap_or_default();
        let only_excludes = items.iter().all(|item| item.as_str().is_some_and(|text| text.starts_with('!')));
        let mut found = Vec::new();
        if only_excludes {
            let wanted = files.iter().filter(|path| !is_private(path) && is_document(path));
            found.extend(wanted.filter(|path| !excluded.matches(path)).cloned());
        }
        for item in items {
            let Some(pattern) = item.as_str().filter(|text| !text.starts_with('!')) else { continue };
            let is_exact = self.known.contains(pattern);
            let Ok(patterns) = Patterns::new(&[pattern.to_owned()]) else {
                self.report("page-missing", pattern, item.span(), "pattern");
                continue;
            };
            let matching = files.iter().filter(|path| {
                patterns.matches(path) && !excluded.matches(path) && (is_exact || !is_private(path))
            });
            let matching: Vec<&String> = matching.collect();
            for path in matching.iter().filter(|path| is_executed(path)) {
                self.report("page-not-converted", path, item.span(), "executed");
            }
            if matching.is_empty() {
                self.report("page-missing", pattern, item.span(), "pattern");
            }
            found.extend(matching.into_iter().filter(|path| is_document(path)).cloned());
        }
        found
    }

    /// The documents that menus and chapters name.
    fn menus(&mut self, kind: Kind) {
        let name = kind.name();
        let configuration = self.configuration;
        for side in ["left", "right"] {
            if let Some(items) = configuration.at(&[name, "navbar", side]) {
                self.list(items, 0);
            }
        }
        if let Some(sidebar) = configuration.at(&[name, "sidebar"]) {
            let bars: Vec<Node<'_>> =
                if sidebar.get("contents").is_some() { vec![sidebar] } else { sidebar.items().collect() };
            for contents in bars.into_iter().filter_map(|bar| bar.get("contents")) {
                self.list(contents, 0);
            }
        }
        for (key, is_appendix) in [("chapters", false), ("appendices", true)] {
            if let Some(items) = configuration.at(&[name, key]).filter(|_| kind == Kind::Book) {
                self.chapters_of(items, is_appendix, 0);
            }
        }
    }

    fn chapters_of(&mut self, items: Node<'_>, is_appendix: bool, depth: u32) {
        if depth >= DEPTH {
            return;
        }
        for item in items.items() {
            let add = |this: &mut Self, node: Node<'_>, is_part: bool| {
                let Some(path) = node.as_str().and_then(|path| this.page(path, node)) else { return };
                this.chapters.push(ChapterPage { path, is_appendix, is_part });
            };
            if item.as_str().is_some() {
                add(self, item, false);
                continue;
            }
            // A part is a title or a page.
            if let Some(part) = item.get("part")
                && part.as_str().is_some_and(is_document)
            {
                add(self, part, true);
            }
            if let Some(node) = ["href", "file"].iter().find_map(|key| item.get(key)) {
                add(self, node, false);
            }
            if let Some(inner) = item.get("chapters") {
                self.chapters_of(inner, is_appendix, depth + 1);
            }
        }
    }

    /// The pages of a menu.
    fn list(&mut self, items: Node<'_>, depth: u32) {
        if depth >= DEPTH {
            return;
        }
        if items.as_str().is_some() || items.entries().len() > 0 {
            self.entry(items, depth);
        }
        for item in items.items() {
            self.entry(item, depth);
        }
    }

    fn entry(&mut self, item: Node<'_>, depth: u32) {
        if let Some(path) = item.as_str() {
            self.page(path, item);
            return;
        }
        for key in ["href", "file", "url", "section", "part"] {
            if let Some(node) = item.get(key)
                && let Some(path) = node.as_str()
            {
                self.page(path, node);
            }
        }
        for key in ["contents", "menu", "chapters"] {
            if let Some(inner) = item.get(key) {
                self.list(inner, depth + 1);
            }
        }
    }

    /// The page that an entry names; reports a document that does not exist.
    fn page(&mut self, path: &str, node: Node<'_>) -> Option<String> {
        let own = path.split(['#', '?']).next().unwrap_or(path);
        let own = own.strip_prefix("./").unwrap_or(own).trim_start_matches('/');
        if path.contains("://") || own.contains('*') || !is_document(own) && !is_executed(own) {
            return None;
        }
        if !self.known.contains(own) {
            self.report("page-missing", own, node.span(), "file");
            return None;
        }
        if is_executed(own) {
            self.report("page-not-converted", own, node.span(), "executed");
            return None;
        }
        self.named.push(own.to_owned());
        Some(own.to_owned())
    }
}
