//! The pages of a project as menus ask for them.

use std::collections::{BTreeMap, HashMap};

use super::{facts::Facts, is_index, paths};
use crate::{
    expressions::Patterns,
    html::{self, Entry},
};

/// Deepest folder that is a section of its own.
const DEPTH: u32 = 8;

/// The pages with their titles.
pub(super) struct Menus<'m> {
    pages: &'m [String],
    facts: &'m [Facts],
    index: HashMap<&'m str, usize>,
    chapters: &'m HashMap<usize, String>,
}

/// The title of a page with the number of its chapter.
pub(super) fn numbered(title: &str, chapter: Option<&str>) -> String {
    match chapter {
        Some(number) => format!(
            "<span class=\"chapter-number\">{}</span>&nbsp; <span class=\"chapter-title\">{title}</span>",
            html::escape(number)
        ),
        None => title.to_owned(),
    }
}

impl<'m> Menus<'m> {
    pub(super) fn new(pages: &'m [String], facts: &'m [Facts], chapters: &'m HashMap<usize, String>) -> Self {
        let index = pages.iter().enumerate().map(|(index, path)| (path.as_str(), index)).collect();
        Self { pages, facts, index, chapters }
    }

    fn title_of(&self, index: usize) -> String {
        let title = self.facts.get(index).map(|facts| facts.title.as_str()).unwrap_or_default();
        numbered(title, self.chapters.get(&index).map(String::as_str))
    }

    fn is_draft(&self, index: usize) -> bool {
        self.facts.get(index).is_some_and(|facts| facts.is_draft)
    }

    /// Pages as a tree of their folders, below a folder that is empty or ends with a slash.
    fn tree(&self, base: &str, pages: &[usize], depth: u32) -> Vec<Entry> {
        let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut first = None;
        let mut listed: Vec<(f64, String, Entry)> = Vec::new();
        for index in pages.iter().copied() {
            let path = &self.pages[index];
            let Some(rest) = path.strip_prefix(base) else { continue };
            match rest.split_once('/').filter(|_| depth < DEPTH) {
                Some((folder, _)) => folders.entry(folder).or_default().push(index),
                None if is_index(rest) => first = Some(index),
                None => listed.push((self.order(index), self.name(index), self.entry(index))),
            }
        }
        for (folder, pages) in folders {
            let base = format!("{base}{folder}/");
            let own = pages
                .iter()
                .copied()
                .find(|index| self.pages[*index].strip_prefix(&base).is_some_and(is_index));
            let others: Vec<usize> = pages.into_iter().filter(|index| Some(*index) != own).collect();
            let words = paths::words(folder);
            let entry = match own {
                Some(own) if others.is_empty() => self.entry(own),
                Some(own) => {
                    let inner = self.tree(&base, &others, depth + 1);
                    Entry::section(self.title_of(own), Some(self.pages[own].clone()), inner)
                }
                None => Entry::section(html::escape(&words), None, self.tree(&base, &others, depth + 1)),
            };
            let order = own.map_or(f64::INFINITY, |own| self.order(own));
            let name = own.map_or(words, |own| self.name(own));
            listed.push((order, name, entry));
        }
        listed.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        first
            .map(|index| self.entry(index))
            .into_iter()
            .chain(listed.into_iter().map(|(.., entry)| entry))
            .collect()
    }

    fn entry(&self, index: usize) -> Entry {
        Entry::page(self.title_of(index), &self.pages[index])
    }

    fn order(&self, index: usize) -> f64 {
        self.facts.get(index).and_then(|facts| facts.order).unwrap_or(f64::INFINITY)
    }

    fn name(&self, index: usize) -> String {
        self.facts.get(index).map(|facts| facts.plain_title.to_lowercase()).unwrap_or_default()
    }
}

impl html::Pages for Menus<'_> {
    fn title(&self, path: &str) -> Option<String> {
        let path = path.split(['#', '?']).next()?;
        self.index.get(path).map(|index| self.title_of(*index))
    }

    fn is_hidden(&self, path: &str) -> bool {
        self.index.get(path).is_some_and(|index| self.is_draft(*index))
    }

    fn below(&self, pattern: &str) -> Option<Vec<Entry>> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let shown = (0..self.pages.len()).filter(|index| !self.is_draft(*index));
        if pattern.is_empty() || pattern == "/" {
            let all: Vec<usize> = shown.filter(|index| !is_index(&self.pages[*index])).collect();
            return Some(self.tree("", &all, 0));
        }
        let folder = pattern.trim_start_matches('/').trim_end_matches('/');
        let below = format!("{folder}/");
        let is_folder = self.pages.iter().any(|path| path.starts_with(&below));
        if !is_folder && !pattern.contains(['*', '?', '{']) {
            return None;
        }
        let patterns = Patterns::new(&[pattern.to_owned()]).ok()?;
        let found: Vec<usize> = shown.filter(|index| patterns.matches(&self.pages[*index])).collect();
        // The folder that the pattern begins with.
        let start = folder.split('/').take_while(|part| !part.contains(['*', '?', '{', '[']));
        let base: String = start.map(|part| format!("{part}/")).collect();
        let base = if self.pages.iter().any(|path| path.starts_with(&base)) { base } else { String::new() };
        Some(self.tree(&base, &found, 0))
    }
}
