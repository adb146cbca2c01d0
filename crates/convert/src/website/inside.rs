//! A page in its project, while it is converted.

use std::{cell::RefCell, collections::BTreeSet, sync::Arc};

use serde_json::Value;

use super::{Connected, Kind, is_index, listings, pages, paths, title_of};
use crate::{
    files::Jail,
    html::Site,
    metadata::{Metadata, merge},
    model::{Attr, Block, Inline, Place, Rewrite},
    transform::{self, Context, Elsewhere, Numbered},
};

/// A page, with what it needs.
pub(crate) struct Inside<'s> {
    connected: &'s Connected<'s>,
    page: usize,
    path: &'s str,
    resources: RefCell<BTreeSet<String>>,
}

/// The heading that is the title of a chapter.
pub(crate) struct Heading {
    attr: Attr,
    words: Vec<Inline>,
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

    pub(super) fn connected(&self) -> &'s Connected<'s> {
        self.connected
    }

    pub(super) fn path(&self) -> &'s str {
        self.path
    }

    pub(super) fn page(&self) -> usize {
        self.page
    }

    fn is_book(&self) -> bool {
        self.connected.website.kind == Kind::Book
    }

    /// What is around the page.
    pub(crate) fn site(&self) -> Site {
        let (site, navigation) = (&self.connected.site, &self.connected.navigation);
        let name = self.connected.facts.get(self.page).map(|facts| facts.plain_title.clone());
        let mut site = Site::within(Arc::clone(site), Arc::clone(navigation), self.path);
        site.name = name;
        site
    }

    /// What the project says about the page. The first page of a book has the title of the book.
    pub(crate) fn values(&self) -> Value {
        let mut values = (*self.connected.metadata).clone();
        if self.is_book() && is_index(self.path) {
            for key in ["title", "subtitle", "author", "date", "abstract"] {
                if let Some(value) = self.connected.site.get(key) {
                    let mut own = serde_json::Map::new();
                    own.insert(key.to_owned(), value.clone());
                    merge(&mut values, Value::Object(own));
                }
            }
        }
        values
    }

    /// The number of the chapter that the page is.
    pub(crate) fn chapter(&self) -> Option<String> {
        self.connected.chapters.get(&self.page).cloned()
    }

    /// Notes the files that the header names; gives the keys that have an effect that they would not have otherwise.
    pub(crate) fn files(&self, metadata: &Metadata, site: &mut Site) -> Vec<&'static str> {
        let mut used = vec!["resources"];
        let folder = paths::folder(self.path);
        for pattern in &metadata.resources {
            self.resources.borrow_mut().extend(self.connected.matching(folder, pattern));
        }
        if let Some(image) = metadata.text("image") {
            self.resource(image);
        }
        let styles: Vec<Option<String>> = metadata
            .styles
            .iter()
            .map(|path| self.resource(path).filter(|path| paths::has_ending(path, &["css"])))
            .collect();
        if styles.iter().all(Option::is_some) {
            used.push("css");
        }
        site.styles = styles.into_iter().flatten().collect();
        used
    }

    /// Takes the heading that is the title of a chapter out of the text.
    pub(crate) fn heading(&self, blocks: &mut Vec<Block>, context: &mut Context<'_>) -> Option<Heading> {
        if !self.is_book() || is_index(self.path) || title_of(blocks).is_none() {
            return None;
        }
        let Block::Header(_, attr, words) = blocks.remove(0) else { return None };
        if let (false, Some(number)) = (attr.id.is_empty(), &context.chapter) {
            let kind = if number.starts_with(|c: char| c.is_ascii_uppercase()) { "apx" } else { "ch" };
            let found = Numbered { kind: kind.to_owned(), number: number.clone(), is_within_chapter: false };
            context.own_labels.insert(attr.id.clone(), found);
        }
        Some(Heading { attr, words })
    }

    /// The title of a chapter with its number.
    pub(crate) fn title(&self, heading: Option<Heading>, context: &mut Context<'_>) -> Option<Vec<Inline>> {
        if !self.is_book() || is_index(self.path) {
            return None;
        }
        let own = context.metadata.inlines("title");
        let heading = match own {
            Some(words) => Heading { attr: heading.map(|heading| heading.attr).unwrap_or_default(), words },
            None => heading?,
        };
        let mut shown = transform::transform(vec![Block::Plain(heading.words)], context);
        let Some(Block::Plain(words)) = shown.pop() else { return None };
        let title = match &context.chapter {
            Some(number) => vec![
                Inline::span(Attr::class("chapter-number"), vec![Inline::Str(number.clone())]),
                Inline::Str("\u{a0}".to_owned()),
                Inline::Space,
                Inline::span(Attr::class("chapter-title"), words),
            ],
            None => words,
        };
        if heading.attr.id.is_empty() {
            return Some(title);
        }
        let attr = Attr::class("quarto-section-identifier").with_id(heading.attr.id);
        Some(vec![Inline::span(attr, title)])
    }

    /// The blocks with links to the pages that are written, and with lists of pages.
    pub(crate) fn applied(&self, blocks: Vec<Block>, context: &mut Context<'_>, place: Place) -> Vec<Block> {
        let mut blocks = Links(self).rewrite(blocks);
        if self.is_book() && is_index(self.path) {
            blocks.splice(0..0, self.cover());
        }
        listings::apply(blocks, self, context, place)
    }

    /// The picture on the first page of a book.
    fn cover(&self) -> Option<Block> {
        let path = self.connected.site.get("cover-image").and_then(Value::as_str)?;
        let alt = self.connected.site.get("cover-image-alt").and_then(Value::as_str).unwrap_or_default();
        let target = crate::model::Target { url: path.to_owned(), title: String::new() };
        let image =
            Inline::image(Attr::class("quarto-cover-image"), vec![Inline::Str(alt.to_owned())], target);
        Some(Block::Para(vec![image]))
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

    /// The address of a picture of the project.
    pub(crate) fn picture(&self, url: &str) -> Option<String> {
        self.resource(url).map(|path| self.way_to(&path))
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
        // Longer names are none of these.
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
