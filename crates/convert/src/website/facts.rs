//! What the other pages of a project need to know about a page.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;

use super::paths;
use crate::{
    brand::Brand,
    budget,
    formats::{Engine, Format},
    html,
    kinds::Limits,
    metadata::{Metadata, scalar, short},
    model::{Block, Inline, plain},
    people, project_files, reader,
    syntax::pandoc,
    text::Source,
    transform::{self, Context, Numbered},
};

/// Most labels of a page that others can refer to.
const LABELS: usize = 5_000;

/// Longest beginning of a page that lists of pages show, in characters.
const BEGINNING: usize = 175;

/// Most categories and blocks that are looked at.
const CATEGORIES: usize = 50;
const BLOCKS: usize = 200;

/// What is known about a page.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Its text, from which it is converted; nothing where it cannot be read.
    pub(super) source: Option<Arc<Source>>,
    /// Its title as HTML, and as text.
    pub(super) title: String,
    pub(super) plain_title: String,
    pub(super) subtitle: Option<String>,
    pub(super) description: Option<String>,
    pub(super) date: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) categories: Vec<String>,
    /// The path of its picture from the project's folder, or its address.
    pub(super) image: Option<String>,
    pub(super) image_alt: Option<String>,
    /// Whether lists load its picture when it comes into view, where it says so.
    pub(super) image_is_lazy: Option<bool>,
    pub(super) order: Option<f64>,
    pub(super) is_draft: bool,
    pub(super) words: usize,
    /// Whether it is a chapter without a number.
    pub(super) is_unnumbered: bool,
    /// The label of its title.
    pub(super) title_label: Option<String>,
    pub(super) labels: HashMap<String, Numbered>,
    /// The formats that its header names.
    pub(super) formats: Vec<String>,
}

/// What a page is read with.
pub(super) struct Reading<'r> {
    pub(super) path: &'r str,
    pub(super) format: &'r Format,
    pub(super) limits: Limits,
    /// What the project says about all documents.
    pub(super) project: Value,
    /// Whether labels are wanted.
    pub(super) is_book: bool,
    /// Reads a file by its path from the page.
    pub(super) read: project_files::ReadFile<'r>,
}

/// The header of a document.
fn header(text: &str, limits: Limits) -> Value {
    let body = pandoc::body(text);
    let start = text.trim_start_matches('\u{feff}');
    let head = &text[text.len() - start.len()..body.max(text.len() - start.len())];
    let inner = head.split_once('\n').map_or("", |(_, inner)| inner);
    let end = inner.trim_end().rfind('\n').map_or(0, |at| at + 1);
    if head.trim().is_empty() { Value::Null } else { project_files::value(&inner[..end], limits) }
}

impl Facts {
    /// Reads a page.
    pub(super) fn read(source: &Arc<Source>, reading: &Reading<'_>) -> Self {
        let own = header(source.text(), reading.limits);
        let folder = paths::up(reading.path);
        let mut layers = vec![reading.project.clone()];
        layers.extend(project_files::of_folders(&folder, reading.read, reading.limits));
        layers.push(own.clone());
        let metadata = Metadata::layered(layers, &[], reading.format);
        let include = |path: &str| project_files::text(&(reading.read)(path)?).map(str::to_owned);
        let document = reader::read(Arc::clone(source), metadata.is_not_false("smart"), &include);
        let mut facts = Self::of_metadata(&metadata, &own, reading);
        let blocks = document.blocks;
        facts.add_text(&blocks, reading);
        if reading.is_book {
            facts.add_labels(blocks, &metadata, reading);
        }
        facts
    }

    fn of_metadata(metadata: &Metadata, own: &Value, reading: &Reading<'_>) -> Self {
        let text = |key: &str| metadata.at(key).and_then(scalar).map(|text| short(&text).to_owned());
        // A title that all pages of a project have says nothing about one.
        let title = own.get("title").and_then(scalar);
        let inlines = title.as_deref().map(|title| reader::read_inlines(short(title), true));
        let categories = match metadata.at("categories") {
            Some(Value::Array(items)) => items.iter().filter_map(scalar).take(CATEGORIES).collect(),
            Some(Value::String(one)) => vec![one.clone()],
            _ => Vec::new(),
        };
        let formats = match own.get("format") {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Object(map)) => map.keys().cloned().collect(),
            _ => Vec::new(),
        };
        let image = metadata.text("image").map(|path| paths::joined(reading.path, path));
        Self {
            title: inlines.as_deref().map(html::shown).unwrap_or_default(),
            plain_title: inlines.as_deref().map(plain).unwrap_or_default(),
            subtitle: text("subtitle"),
            description: text("description"),
            date: text("date-meta").or_else(|| text("date")),
            authors: people::authors(metadata).into_iter().take(20).map(|author| author.name).collect(),
            categories,
            image,
            image_alt: text("image-alt"),
            image_is_lazy: metadata.at("image-lazy-loading").and_then(Value::as_bool),
            order: own.get("order").and_then(Value::as_f64),
            is_draft: metadata.is_true("draft"),
            is_unnumbered: metadata.at("number-sections") == Some(&Value::Bool(false)),
            formats,
            ..Self::default()
        }
    }

    /// What the text says where the header does not.
    fn add_text(&mut self, blocks: &[Block], reading: &Reading<'_>) {
        self.words = crate::model::plain_blocks(blocks).split_whitespace().count();
        let has_own_title = !self.title.is_empty();
        if let Some(Block::Header(1, attr, words)) = super::title_of(blocks) {
            if reading.is_book {
                self.is_unnumbered |= attr.has_class("unnumbered");
                self.title_label = (!attr.id.is_empty()).then(|| attr.id.clone());
            }
            if !has_own_title {
                self.title = html::shown(words);
                self.plain_title = plain(words);
            }
        } else if reading.is_book {
            self.is_unnumbered |= !has_own_title && super::is_index(reading.path);
        }
        if self.title.is_empty() {
            let heading = blocks.iter().find_map(|block| match block {
                Block::Header(_, _, words) => Some(words),
                _ => None,
            });
            if let Some(words) = heading {
                self.title = html::shown(words);
                self.plain_title = plain(words);
            }
        }
        if self.title.is_empty() {
            self.plain_title = paths::words(reading.path);
            self.title = html::escape(&self.plain_title);
        }
        for block in blocks.iter().take(BLOCKS) {
            let Block::Para(inlines) = block else { continue };
            if self.description.is_none() && !is_picture(inlines) {
                let text = plain(inlines);
                let text = text.trim();
                let cut = text.char_indices().nth(BEGINNING).map_or(text.len(), |(at, _)| at);
                let more = if cut < text.len() { "…" } else { "" };
                self.description = (!text.is_empty()).then(|| format!("{}{more}", text[..cut].trim_end()));
            }
        }
        if self.image.is_none() {
            self.image = picture(blocks).map(|url| paths::joined(reading.path, &url));
        }
    }

    fn add_labels(&mut self, mut blocks: Vec<Block>, metadata: &Metadata, reading: &Reading<'_>) {
        if super::title_of(&blocks).is_some() && !super::is_index(reading.path) {
            blocks.remove(0);
        }
        let (variables, brand) = (Value::Null, Brand::default());
        let mut context = Context {
            exports_labels: true,
            ..Context::new((reading.format, Engine::Embedded), metadata, &variables, &brand)
        };
        transform::transform(blocks, &mut context);
        let mut labels: Vec<(String, Numbered)> = context.labels.into_iter().collect();
        labels.sort_by(|a, b| a.0.cmp(&b.0));
        labels.truncate(LABELS);
        let bytes: usize = labels.iter().map(|(label, found)| label.len() + found.number.len() + 100).sum();
        budget::allocate(bytes);
        self.labels = labels.into_iter().collect();
    }
}

fn is_picture(inlines: &[Inline]) -> bool {
    matches!(inlines, [Inline::Image(..)])
}

/// The first picture of a page.
fn picture(blocks: &[Block]) -> Option<String> {
    blocks.iter().take(BLOCKS).find_map(|block| match block {
        Block::Para(inlines) | Block::Plain(inlines) => inlines.iter().find_map(|inline| match inline {
            Inline::Image(_, _, target) => Some(target.url.clone()),
            _ => None,
        }),
        Block::Figure(_, _, inner) | Block::Div(_, inner) => picture(inner),
        _ => None,
    })
}
