//! A page in its project, while it is converted.

use std::{cell::RefCell, collections::BTreeSet};

use super::{Connected, Kind, pages, paths};
use crate::{
    files::Jail,
    model::{Block, Inline, Rewrite},
    transform::{Elsewhere, Numbered},
};

/// A page, with what it needs.
pub(super) struct Inside<'s> {
    pub(super) connected: &'s Connected<'s>,
    pub(super) page: usize,
    pub(super) path: &'s str,
    pub(super) resources: RefCell<BTreeSet<String>>,
}

impl<'s> Inside<'s> {
    pub(super) fn new(connected: &'s Connected<'s>, page: usize) -> Self {
        let path = connected.website.pages.get(page).map(String::as_str).unwrap_or_default();
        Self { connected, page, path, resources: RefCell::default() }
    }

    /// The files that the page needs.
    pub(super) fn into_resources(self) -> BTreeSet<String> {
        self.resources.into_inner()
    }

    pub(super) fn is_book(&self) -> bool {
        self.connected.website.kind == Kind::Book
    }

    /// The address of a document as a page; nothing for what is not a page of the project.
    pub(super) fn address(&self, url: &str) -> Option<String> {
        let (path, rest) = url.split_at(url.find(['#', '?']).unwrap_or(url.len()));
        let decoded = crate::text::percent_decoded(path);
        let full = paths::below(self.path, &decoded)?;
        let index = self.connected.index.get(&full)?;
        Some(format!("{}{rest}", self.way_to(&self.connected.output_of(*index))))
    }

    /// The address of a file of the output folder.
    pub(super) fn way_to(&self, file: &str) -> String {
        let up = paths::up(self.path);
        let up = if up.is_empty() { "./" } else { &up };
        format!("{up}{}", file.replace(' ', "%20"))
    }

    /// The path of a file of the project that the page names, from the project's folder. It is copied.
    pub(super) fn resource(&self, url: &str) -> Option<String> {
        let decoded = crate::text::percent_decoded(url);
        let path = paths::below(self.path, &decoded)?;
        self.noted(path)
    }

    /// Notes that a file of the project is copied, where it exists and may be.
    pub(super) fn noted(&self, path: String) -> Option<String> {
        if path.is_empty() || pages::is_hidden(&path) || pages::is_document(&path) {
            return None;
        }
        let website = &self.connected.website;
        let jail = Jail::around(&website.folder.join("_quarto.yml"), &[&website.folder], 0);
        if jail.is_folder(&path).ok()? {
            return None;
        }
        self.resources.borrow_mut().insert(path.clone());
        Some(path)
    }

    /// HTML with the addresses of pages that are written; nothing where it has none. The files that it names are copied.
    fn raw(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut end = 0;
        for range in addresses(text) {
            let url = &text[range.clone()];
            let Some(address) = self.address(url) else {
                self.resource(url);
                continue;
            };
            out.push_str(&text[end..range.start]);
            out.push_str(&crate::html::escape(&address));
            end = range.end;
        }
        (end > 0).then(|| out + &text[end..])
    }

    /// The blocks with links to the pages that are written.
    pub(super) fn linked(&self, blocks: Vec<Block>) -> Vec<Block> {
        Links(self).rewrite(blocks)
    }
}

impl Elsewhere for Inside<'_> {
    fn has(&self, label: &str) -> bool {
        self.connected.labels.contains_key(label)
    }

    fn find(&self, label: &str) -> Option<(String, Numbered)> {
        let (page, found) = self.connected.labels.get(label)?;
        if *page == self.page {
            return Some((String::new(), found.clone()));
        }
        Some((self.way_to(&self.connected.output_of(*page)), found.clone()))
    }
}

/// Leads links to the pages that are written.
struct Links<'a, 's>(&'a Inside<'s>);

impl Rewrite for Links<'_, '_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let replaced = inlines.into_iter().map(|inline| match inline {
            Inline::Link(attr, inner, mut target) => {
                match self.0.address(&target.url) {
                    Some(address) => target.url = address,
                    // A file that readers can have.
                    None => {
                        if let Some(path) = self.0.resource(&target.url) {
                            let rest =
                                target.url.find(['#', '?']).map_or("", |at| &target.url[at..]).to_owned();
                            target.url = format!("{}{rest}", self.0.way_to(&path));
                        }
                    }
                }
                Inline::Link(attr, inner, target)
            }
            Inline::Raw { format, text, place } if format.starts_with("html") => {
                let text = self.0.raw(&text).unwrap_or(text);
                Inline::Raw { format, text, place }
            }
            other => other,
        });
        replaced.collect()
    }

    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let replaced = blocks.into_iter().map(|block| match block {
            Block::Raw { format, text, place } if format.starts_with("html") => {
                let text = self.0.raw(&text).unwrap_or(text);
                Block::Raw { format, text, place }
            }
            other => other,
        });
        replaced.collect()
    }
}

/// Attributes of HTML with addresses.
const ADDRESSES: [&str; 4] = ["href", "src", "poster", "data"];

/// The addresses in HTML, by their ranges.
fn addresses(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    for (equals, _) in text.match_indices('=') {
        // The name is not longer than these.
        let from = text.floor_char_boundary(equals.saturating_sub(16));
        let name = text[from..equals].rsplit([' ', '\t', '\n', '"', '\'']).next().unwrap_or_default();
        if !ADDRESSES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            continue;
        }
        let start = equals + 2;
        let Some(quote) = text[equals + 1..].chars().next().filter(|quote| matches!(quote, '"' | '\''))
        else {
            continue;
        };
        if let Some(length) = text[start..].find(quote) {
            found.push(start..start + length);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::addresses;

    #[test]
    fn addresses_are_found_in_attributes() {
        let text = "<a title='x=\"y\"' href=\"a.qmd\"><img alt=a src='b.png'> src=c <b hrefs=\"d\">";
        let found: Vec<&str> = addresses(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["a.qmd", "b.png"]);
        assert!(addresses("href=").is_empty() && addresses("src=\"é").is_empty());
    }
}
