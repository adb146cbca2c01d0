//! Menus of websites and books: what a project describes, completed with the titles of its pages.

use serde_json::Value;

use super::{
    blocks::{Writer, is_script},
    escape::escape,
};
use crate::{metadata::scalar, reader};

/// Deepest menu.
const DEPTH: u32 = 8;

/// What menus ask about the pages of a project.
pub(crate) trait Pages {
    /// The title of a page as HTML, by its path from the project's folder; nothing for other paths.
    fn title(&self, path: &str) -> Option<String>;

    /// Whether menus leave out a page.
    fn is_hidden(&self, path: &str) -> bool;

    /// The entries of the pages that a folder or a pattern stands for; nothing for the path of a file.
    fn below(&self, pattern: &str) -> Option<Vec<Entry>>;
}

/// A page that is converted without its project: the others are not known.
pub(crate) struct Unknown;

impl Pages for Unknown {
    fn title(&self, _: &str) -> Option<String> {
        None
    }

    fn is_hidden(&self, _: &str) -> bool {
        false
    }

    fn below(&self, _: &str) -> Option<Vec<Entry>> {
        None
    }
}

/// What an entry of a menu is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Link,
    /// A line between entries.
    Separator,
    /// A heading with entries below it.
    Section(Vec<Entry>),
}

/// An entry of a menu.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Its words as HTML.
    pub(crate) html: String,
    /// The path of a page from the project's folder, or an address elsewhere.
    pub(crate) href: Option<String>,
    /// Further attributes of the link, each with a space before it.
    attributes: String,
    pub(crate) kind: Kind,
}

impl Entry {
    /// The entry of a page.
    pub(crate) fn page(html: String, path: &str) -> Self {
        Self { html, href: Some(path.to_owned()), attributes: String::new(), kind: Kind::Link }
    }

    /// A section; one with a page leads there.
    pub(crate) fn section(html: String, page: Option<String>, entries: Vec<Self>) -> Self {
        Self { html, href: page, attributes: String::new(), kind: Kind::Section(entries) }
    }

    /// The attributes of its link besides its address.
    pub(super) fn attributes(&self) -> &str {
        &self.attributes
    }

    /// Whether it is a page or has it below it.
    pub(super) fn holds(&self, page: &str) -> bool {
        self.href.as_deref() == Some(page)
            || matches!(&self.kind, Kind::Section(inner) if inner.iter().any(|entry| entry.holds(page)))
    }
}

/// A menu at the side of pages.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sidebar {
    /// What the project says of it.
    pub(crate) values: Value,
    pub(crate) entries: Vec<Entry>,
}

/// The menus of a project.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Navigation {
    /// Menus of the bar at the top: at its left and at its right.
    pub(crate) bar: [Vec<Entry>; 2],
    pub(crate) sidebars: Vec<Sidebar>,
    /// Whether pages lead to the one before and the one after them.
    pub(crate) between_pages: bool,
    /// Whether pages show the sections that they are in.
    pub(crate) breadcrumbs: bool,
}

impl Navigation {
    /// The menus of a website or a book.
    pub(crate) fn of(values: &Value, pages: &dyn Pages) -> Self {
        let bar = ["left", "right"].map(|side| {
            let items = values.get("navbar").and_then(|bar| bar.get(side));
            items.map(|items| entries(items, pages, 0)).unwrap_or_default()
        });
        let own: &[Value] = match values.get("sidebar") {
            Some(Value::Array(bars)) => bars,
            Some(bar @ Value::Object(_)) => std::slice::from_ref(bar),
            _ => &[],
        };
        let sidebars = if values.get("chapters").is_some() {
            vec![chapters(values, own.first(), pages)]
        } else {
            // Sidebars without a logo have that of the first one.
            let logo = own.first().and_then(|first| first.get("logo"));
            let with_logo = |values: &Value| {
                let mut values = values.clone();
                if let (Value::Object(values), Some(logo)) = (&mut values, logo) {
                    values.entry("logo").or_insert_with(|| logo.clone());
                }
                values
            };
            let sidebar = |values: &Value| Sidebar {
                entries: values.get("contents").map(|items| entries(items, pages, 0)).unwrap_or_default(),
                values: with_logo(values),
            };
            own.iter().map(sidebar).collect()
        };
        let is_book = values.get("chapters").is_some();
        let option = |key: &str, default: bool| values.get(key).and_then(Value::as_bool).unwrap_or(default);
        Self {
            bar,
            sidebars,
            between_pages: option("page-navigation", is_book),
            breadcrumbs: option("bread-crumbs", true),
        }
    }

    /// The sidebar that has a page, or that the page asks for by its identifier; the only one is that of all pages.
    pub(super) fn sidebar(&self, page: &str, asked: Option<&Value>) -> Option<&Sidebar> {
        if asked == Some(&Value::Bool(false)) {
            return None;
        }
        let has_id = |bar: &Sidebar, id: &str| bar.values.get("id").and_then(Value::as_str) == Some(id);
        let named = asked.and_then(Value::as_str);
        let named = named.and_then(|id| self.sidebars.iter().find(|bar| has_id(bar, id)));
        let holding = || self.sidebars.iter().find(|bar| bar.entries.iter().any(|entry| entry.holds(page)));
        let only = || match self.sidebars.as_slice() {
            [only] if only.values.get("id").is_none() => Some(only),
            _ => None,
        };
        named.or_else(holding).or_else(only)
    }
}

/// The chapters of a book with their parts and appendices.
fn chapters(values: &Value, own: Option<&Value>, pages: &dyn Pages) -> Sidebar {
    let mut all = own.and_then(Value::as_object).cloned().unwrap_or_default();
    for key in ["title", "logo", "logo-alt"] {
        if let (false, Some(value)) = (all.contains_key(key), values.get(key)) {
            all.insert(key.to_owned(), value.clone());
        }
    }
    let list = |key: &str| values.get(key).map(|items| entries(items, pages, 0)).unwrap_or_default();
    let mut entries = list("chapters");
    let appendices = list("appendices");
    if !appendices.is_empty() {
        let title = values.get("appendices-title").and_then(Value::as_str).unwrap_or("Appendices");
        entries.push(Entry::section(marked(title), None, appendices));
    }
    Sidebar { values: Value::Object(all), entries }
}

/// The entries that a list describes.
pub(super) fn entries(value: &Value, pages: &dyn Pages, depth: u32) -> Vec<Entry> {
    if depth >= DEPTH {
        return Vec::new();
    }
    match value {
        Value::Array(items) => items.iter().flat_map(|item| item_of(item, pages, depth)).collect(),
        Value::String(pattern) if pattern == "auto" => pages.below("").unwrap_or_default(),
        value @ (Value::String(_) | Value::Object(_)) => item_of(value, pages, depth),
        _ => Vec::new(),
    }
}

/// The entries that an item stands for: one, or those of a folder or a pattern.
fn item_of(item: &Value, pages: &dyn Pages, depth: u32) -> Vec<Entry> {
    if let Some(text) = item.as_str() {
        if text.len() > 2 && text.bytes().all(|byte| byte == b'-') {
            let separator =
                Entry { html: String::new(), href: None, attributes: String::new(), kind: Kind::Separator };
            return vec![separator];
        }
        if let Some(found) = pages.below(text) {
            return found;
        }
    }
    if let Some(auto) = item.get("auto") {
        return match auto {
            Value::Array(patterns) => {
                let patterns = patterns.iter().filter_map(Value::as_str);
                patterns.flat_map(|pattern| pages.below(pattern).unwrap_or_default()).collect()
            }
            Value::String(pattern) => pages.below(pattern).unwrap_or_default(),
            Value::Bool(true) => pages.below("").unwrap_or_default(),
            _ => Vec::new(),
        };
    }
    single(item, pages, depth).into_iter().collect()
}

fn single(item: &Value, pages: &dyn Pages, depth: u32) -> Option<Entry> {
    let named = ["section", "part"].iter().find_map(|key| item.get(key)).and_then(scalar);
    // A section may be a page, whose title it has.
    let page = named.as_deref().filter(|named| pages.title(&plain_path(named)).is_some());
    let own = ["href", "file", "url"].iter().find_map(|key| item.get(key).and_then(scalar));
    let href = item.as_str().map(str::to_owned).or(own).or_else(|| page.map(str::to_owned));
    let href = href.filter(|href| !is_script(href)).map(|href| plain_path(&href));
    if href.as_deref().is_some_and(|path| pages.is_hidden(path)) {
        return None;
    }
    let words = item.get("text").and_then(scalar).or_else(|| named.clone().filter(|_| page.is_none()));
    let title = || href.as_deref().and_then(|path| pages.title(path));
    // Without a title, the name of the file.
    let name = || {
        let name = href.as_deref()?.rsplit('/').next()?.split('.').next()?;
        Some(escape(&name.replace(['-', '_'], " ")))
    };
    let icon = item.get("icon").and_then(scalar);
    let icon_mark =
        icon.map(|icon| format!("<i class=\"bi bi-{}\" aria-hidden=\"true\"></i> ", escape(&icon)));
    let shown = words.map(|words| marked(&words)).or_else(title).or_else(name);
    let inner = ["contents", "chapters", "menu"].iter().find_map(|key| item.get(key));
    if shown.is_none() && inner.is_none() && icon_mark.is_none() {
        return None;
    }
    let attributes = ["target", "rel", "aria-label"]
        .iter()
        .filter_map(|key| Some(format!(" {key}=\"{}\"", escape(&item.get(key).and_then(scalar)?))))
        .collect();
    let html = format!("{}{}", icon_mark.unwrap_or_default(), shown.unwrap_or_default());
    let kind = match inner {
        Some(inner) => Kind::Section(entries(inner, pages, depth + 1)),
        None if named.is_some() && href.is_none() => Kind::Section(Vec::new()),
        None => Kind::Link,
    };
    Some(Entry { html, href, attributes, kind })
}

/// A path without what does not matter at its beginning. Addresses elsewhere stay as they are.
pub(crate) fn plain_path(path: &str) -> String {
    let is_page = [".qmd", ".ipynb", ".md", ".html"]
        .iter()
        .any(|ending| path.split(['#', '?']).next().is_some_and(|path| path.ends_with(ending)));
    let own = path.strip_prefix("./").unwrap_or(path);
    if is_page && !own.starts_with("//") { own.trim_start_matches('/').to_owned() } else { own.to_owned() }
}

/// Text with the marks of Markdown, as HTML.
pub(crate) fn marked(text: &str) -> String {
    shown(&reader::read_inlines(text, true))
}

/// Inlines as HTML.
pub(crate) fn shown(inlines: &[crate::model::Inline]) -> String {
    let no_picture = |_: &str| None;
    let mut writer = Writer::new(&no_picture);
    writer.inlines(inlines);
    writer.out
}
