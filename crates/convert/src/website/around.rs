//! What a page of a project has more than one that is converted alone.

use std::sync::Arc;

use serde_json::Value;

use super::{inside::Inside, is_index, listings, paths, title_of};
use crate::{
    html::Site,
    metadata::{Metadata, merge},
    model::{Attr, Block, Inline, Place, Target},
    run::{Around, Heading},
    transform::{self, Context, Numbered},
};

impl Around for Inside<'_> {
    fn site(&self) -> Site {
        let (site, navigation) = (&self.connected.site, &self.connected.navigation);
        let name = self.connected.facts.get(self.page).map(|facts| facts.plain_title.clone());
        let mut site = Site::within(Arc::clone(site), Arc::clone(navigation), self.path);
        site.name = name;
        site
    }

    fn values(&self) -> Value {
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

    fn chapter(&self) -> Option<String> {
        self.connected.chapters.get(&self.page).cloned()
    }

    fn files(&self, metadata: &Metadata, site: &mut Site) -> Vec<&'static str> {
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

    fn heading(&self, blocks: &mut Vec<Block>, context: &mut Context<'_>) -> Option<Heading> {
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

    fn title(&self, heading: Option<Heading>, context: &mut Context<'_>) -> Option<Vec<Inline>> {
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

    fn applied(&self, blocks: Vec<Block>, context: &mut Context<'_>, place: Place) -> Vec<Block> {
        let mut blocks = self.linked(blocks);
        if self.is_book() && is_index(self.path) {
            blocks.splice(0..0, cover(self));
        }
        listings::apply(blocks, self, context, place)
    }

    fn picture(&self, url: &str) -> Option<String> {
        self.resource(url).map(|path| self.way_to(&path))
    }
}

/// The picture on the first page of a book.
fn cover(page: &Inside<'_>) -> Option<Block> {
    let path = page.connected.site.get("cover-image").and_then(Value::as_str)?;
    let alt = page.connected.site.get("cover-image-alt").and_then(Value::as_str).unwrap_or_default();
    let target = Target { url: path.to_owned(), title: String::new() };
    let image = Inline::image(Attr::class("quarto-cover-image"), vec![Inline::Str(alt.to_owned())], target);
    Some(Block::Para(vec![image]))
}
