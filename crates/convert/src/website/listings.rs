//! Lists of pages: `listing:` in the header of a page.

use std::{cmp::Ordering, fmt::Write as _};

use serde_json::{Map, Value};

use super::{facts::Facts, inside::Inside, is_index, paths};
use crate::{
    budget, dates,
    expressions::Patterns,
    html::{attributes, escape, is_script, marked},
    metadata::{scalar, strings},
    model::{Attr, Block, Place},
    run::Around,
    transform::{Context, Loss, LossKind},
};

/// Most entries of a list.
const ENTRIES: usize = 5_000;

/// Most lists of a page.
const LISTS: usize = 20;

/// Options of a list with an effect.
const KEYS: [&str; 17] = [
    "categories",
    "contents",
    "date-format",
    "exclude",
    "field-display-names",
    "fields",
    "grid-columns",
    "id",
    "image-align",
    "image-height",
    "image-lazy-loading",
    "image-placeholder",
    "include",
    "max-description-length",
    "max-items",
    "sort",
    "type",
];

/// How a list looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Default,
    Grid,
    Table,
}

impl Look {
    fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Grid => "grid",
            Self::Table => "table",
        }
    }

    /// The fields that are shown where the list does not say it.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Default => &["date", "title", "author", "subtitle", "image", "description", "categories"],
            Self::Grid => &["title", "author", "image", "date", "description", "categories"],
            Self::Table => &["date", "title", "author"],
        }
    }
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Default)]
struct Entry {
    href: Option<String>,
    /// HTML.
    title: String,
    plain_title: String,
    subtitle: Option<String>,
    description: Option<String>,
    date: Option<String>,
    authors: Vec<String>,
    categories: Vec<String>,
    image: Option<String>,
    image_alt: String,
    image_is_lazy: Option<bool>,
    order: Option<f64>,
    words: usize,
    path: String,
}

/// A list as the page describes it.
struct List<'l> {
    values: &'l Map<String, Value>,
    look: Look,
    fields: Vec<String>,
    id: String,
}

/// The blocks with the lists that the page asks for.
pub(super) fn apply(
    mut blocks: Vec<Block>,
    inside: &Inside<'_>,
    context: &mut Context<'_>,
    place: Place,
) -> Vec<Block> {
    let empty = Map::new();
    let listed = match context.metadata.at("listing") {
        None | Some(Value::Null | Value::Bool(false)) => return blocks,
        Some(Value::Array(items)) => items.iter().collect(),
        Some(other) => vec![other],
    };
    let count = listed.len();
    for (index, value) in listed.into_iter().take(LISTS).enumerate() {
        // `listing: grid` only says how it looks.
        let named = value.as_str();
        let values = value.as_object().unwrap_or(&empty);
        let look = match named.or_else(|| values.get("type").and_then(Value::as_str)) {
            Some("grid") => Look::Grid,
            Some("table") => Look::Table,
            None | Some("default") => Look::Default,
            Some(_) => {
                lose(context, LossKind::NoEffect, place, "listing.type");
                Look::Default
            }
        };
        for key in values.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            if !matches!(values[key.as_str()], Value::Bool(false) | Value::Null) {
                lose(context, LossKind::NoEffect, place, &format!("listing.{key}"));
            }
        }
        let id = values.get("id").and_then(Value::as_str).map_or_else(
            || if count > 1 { format!("listing-{}", index + 1) } else { "listing".to_owned() },
            str::to_owned,
        );
        let fields = strings(values.get("fields"));
        let fields = if fields.is_empty() {
            let shows_categories = values.get("categories").is_some_and(|value| *value != Value::Bool(false));
            let own = look.fields().iter().filter(|field| **field != "categories" || shows_categories);
            own.map(|field| (*field).to_owned()).collect()
        } else {
            fields
        };
        let list = List { values, look, fields, id };
        let entries = list.entries(inside, context, place);
        let text = list.html(&entries);
        budget::allocate(text.len());
        let raw = Block::Raw { format: "html".to_owned(), text, place };
        if let Some(raw) = placed(&mut blocks, &list.id, raw) {
            let classes = format!("quarto-listing quarto-listing-container-{}", list.look.name());
            blocks.push(Block::Div(Attr::classes(&classes).with_id(list.id.clone()), vec![raw]));
        }
    }
    blocks
}

fn lose(context: &mut Context<'_>, kind: LossKind, place: Place, what: &str) {
    context.losses.push(Loss { place, kind, what: what.to_owned() });
}

/// Puts a list into the div that has its identifier; gives it back where there is none.
fn placed(blocks: &mut [Block], id: &str, list: Block) -> Option<Block> {
    let mut list = Some(list);
    for block in blocks {
        match block {
            Block::Div(attr, inner) if attr.id == id => {
                attr.classes.push("quarto-listing".to_owned());
                inner.extend(list.take());
            }
            Block::Div(_, inner) => list = list.take().and_then(|list| placed(inner, id, list)),
            _ => {}
        }
        if list.is_none() {
            break;
        }
    }
    list
}

impl List<'_> {
    fn shows(&self, field: &str) -> bool {
        self.fields.iter().any(|own| own == field)
    }

    /// The pages of the list in their order.
    fn entries(&self, inside: &Inside<'_>, context: &mut Context<'_>, place: Place) -> Vec<Entry> {
        let connected = inside.connected;
        let folder = paths::folder(inside.path);
        let mut found: Vec<Entry> = Vec::new();
        let mut seen = Vec::new();
        let contents = match self.values.get("contents") {
            Some(Value::Array(items)) => items.clone(),
            Some(one) => vec![one.clone()],
            None => vec![Value::String("*".to_owned())],
        };
        let excluded: Vec<String> = contents
            .iter()
            .filter_map(|item| item.as_str()?.strip_prefix('!'))
            .map(|pattern| in_folder(folder, pattern))
            .collect();
        let excluded = Patterns::new(&excluded).unwrap_or_default();
        for item in &contents {
            let Some(pattern) = item.as_str() else {
                found.extend(item.as_object().and_then(|item| Self::written(item, inside)));
                continue;
            };
            if pattern.starts_with('!') {
                continue;
            }
            if paths::has_ending(pattern, &["yml", "yaml"]) {
                lose(context, LossKind::Dropped, place, &format!("the list in `{pattern}`"));
                continue;
            }
            let is_anywhere = !pattern.contains('/') && pattern.contains('*');
            let Ok(patterns) = Patterns::new(&[in_folder(folder, pattern)]) else { continue };
            for (index, path) in connected.website.pages.iter().enumerate() {
                let is_listed = patterns.matches(path)
                    || is_anywhere && {
                        let rest = path.strip_prefix(folder);
                        rest.is_some_and(|rest| {
                            Patterns::new(&[pattern.to_owned()]).is_ok_and(|anywhere| anywhere.matches(rest))
                        })
                    };
                let is_self = index == inside.page;
                if !is_listed || is_self || excluded.matches(path) || seen.contains(&index) {
                    continue;
                }
                let Some(facts) = connected.facts.get(index).filter(|facts| !facts.is_draft) else {
                    continue;
                };
                // The first page of the site is not one of its articles.
                if is_index(path) && self.values.get("contents").is_none() {
                    continue;
                }
                if found.len() < ENTRIES {
                    seen.push(index);
                    found.push(Self::of(facts, path, inside));
                }
            }
        }
        found.retain(|entry| self.is_included(entry));
        self.sort(&mut found);
        if let Some(most) = self.values.get("max-items").and_then(Value::as_u64) {
            found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        }
        let metadata = context.metadata;
        let own = self.values.get("date-format").and_then(Value::as_str);
        let format = own.or_else(|| metadata.text("date-format")).unwrap_or("medium");
        let language = metadata.text("lang").unwrap_or_default();
        for entry in &mut found {
            let shown = entry.date.as_deref().and_then(|date| dates::formatted(date, format, language));
            entry.date = shown.or(entry.date.take());
        }
        found
    }

    fn of(facts: &Facts, path: &str, inside: &Inside<'_>) -> Entry {
        let image = facts.image.as_ref().map(|image| {
            inside.noted(image.clone()).map_or_else(|| image.clone(), |path| inside.way_to(&path))
        });
        Entry {
            href: Some(inside.way_to(&paths::output(path))),
            title: facts.title.clone(),
            plain_title: facts.plain_title.clone(),
            subtitle: facts.subtitle.clone(),
            description: facts.description.clone(),
            date: facts.date.clone(),
            authors: facts.authors.clone(),
            categories: facts.categories.clone(),
            image: image.filter(|image| !is_script(image)),
            image_alt: facts.image_alt.clone().unwrap_or_default(),
            image_is_lazy: facts.image_is_lazy,
            order: facts.order,
            words: facts.words,
            path: path.to_owned(),
        }
    }

    /// An entry that the page itself describes.
    fn written(item: &Map<String, Value>, inside: &Inside<'_>) -> Option<Entry> {
        let text = |key: &str| item.get(key).and_then(scalar);
        let path = text("path").or_else(|| text("href"));
        let title = text("title").or_else(|| path.clone())?;
        let href = path.as_ref().filter(|path| !is_script(path));
        let href = href.map(|path| inside.address(path).unwrap_or_else(|| path.clone()));
        let image = text("image").filter(|image| !is_script(image));
        Some(Entry {
            href,
            title: marked(&title),
            plain_title: title,
            subtitle: text("subtitle"),
            description: text("description"),
            date: text("date"),
            authors: strings(item.get("author")),
            categories: strings(item.get("categories")),
            image: image.map(|image| inside.picture(&image).unwrap_or(image)),
            image_alt: text("image-alt").unwrap_or_default(),
            image_is_lazy: item.get("image-lazy-loading").and_then(Value::as_bool),
            order: item.get("order").and_then(Value::as_f64),
            words: 0,
            path: path.unwrap_or_default(),
        })
    }

    /// Whether the conditions `include` and `exclude` let an entry in.
    fn is_included(&self, entry: &Entry) -> bool {
        let holds = |conditions: &Value| {
            let all = match conditions {
                Value::Array(items) => items.iter().collect(),
                one => vec![one],
            };
            all.into_iter().filter_map(Value::as_object).any(|condition| {
                condition.iter().all(|(field, wanted)| {
                    let values = entry.values(field);
                    let wanted = strings(Some(wanted));
                    wanted.iter().any(|wanted| values.iter().any(|value| matches_text(value, wanted)))
                })
            })
        };
        self.values.get("include").is_none_or(holds) && !self.values.get("exclude").is_some_and(holds)
    }

    fn sort(&self, entries: &mut [Entry]) {
        let keys = match self.values.get("sort") {
            Some(Value::Bool(false)) => return,
            Some(value @ (Value::String(_) | Value::Array(_))) => strings(Some(value)),
            _ if entries.iter().any(|entry| entry.order.is_some()) => vec!["order".to_owned()],
            _ if entries.iter().any(|entry| entry.date.is_some()) => vec!["date desc".to_owned()],
            _ => vec!["title".to_owned()],
        };
        let keys: Vec<(&str, bool)> = keys
            .iter()
            .filter_map(|key| {
                let mut words = key.split_whitespace();
                Some((words.next()?, words.next() == Some("desc")))
            })
            .collect();
        entries.sort_by(|a, b| {
            let order = keys.iter().map(|(field, descending)| {
                let order = a.compared(b, field);
                if *descending { order.reverse() } else { order }
            });
            let order = order.fold(Ordering::Equal, Ordering::then);
            order.then_with(|| a.plain_title.cmp(&b.plain_title)).then_with(|| a.path.cmp(&b.path))
        });
    }

    fn html(&self, entries: &[Entry]) -> String {
        let mut out = String::new();
        match self.look {
            Look::Default => {
                out.push_str("<div class=\"list quarto-listing-default\">\n");
                for (index, entry) in budget::within(entries).enumerate() {
                    self.post(index, entry, &mut out);
                }
                out.push_str("</div>\n");
            }
            Look::Grid => {
                let columns =
                    self.values.get("grid-columns").and_then(Value::as_u64).unwrap_or(3).clamp(1, 12);
                let _ = writeln!(
                    out,
                    "<div class=\"list grid quarto-listing-cols-{columns}\" style=\"--bs-columns: {columns};\">"
                );
                for (index, entry) in budget::within(entries).enumerate() {
                    self.card(index, entry, &mut out);
                }
                out.push_str("</div>\n");
            }
            Look::Table => self.table(entries, &mut out),
        }
        if entries.is_empty() {
            out.push_str("<div class=\"listing-no-matching\">No matching items</div>\n");
        }
        out
    }

    /// An entry as a row with its picture at the side.
    fn post(&self, index: usize, entry: &Entry, out: &mut String) {
        let side = match self.values.get("image-align").and_then(Value::as_str) {
            Some("left") => "left",
            _ => "right",
        };
        let _ = writeln!(out, "<div class=\"quarto-post image-{side}\" data-index=\"{index}\">");
        if self.shows("image")
            && let Some(image) = self.image(entry)
        {
            let _ = writeln!(out, "<div class=\"thumbnail\">{}</div>", entry.linked(&image));
        }
        out.push_str("<div class=\"body\">\n");
        if self.shows("title") {
            let _ =
                writeln!(out, "<h3 class=\"no-anchor listing-title\">{}</h3>", entry.linked(&entry.title));
        }
        if let Some(subtitle) = entry.subtitle.as_ref().filter(|_| self.shows("subtitle")) {
            let _ = writeln!(out, "<div class=\"listing-subtitle\">{}</div>", marked(subtitle));
        }
        self.categories(entry, out);
        if let Some(text) = self.description(entry) {
            let _ = writeln!(out, "<div class=\"delink listing-description\">{text}</div>");
        }
        out.push_str("</div>\n");
        let metadata = self.metadata(entry);
        if !metadata.is_empty() {
            let _ = writeln!(out, "<div class=\"metadata\">\n{metadata}</div>");
        }
        out.push_str("</div>\n");
    }

    /// An entry as a card.
    fn card(&self, index: usize, entry: &Entry, out: &mut String) {
        let _ = writeln!(
            out,
            "<div class=\"g-col-1\" data-index=\"{index}\">\n<div class=\"quarto-grid-item card h-100\">"
        );
        if self.shows("image")
            && let Some(image) = self.image(entry)
        {
            let _ = writeln!(out, "<p class=\"card-img-top\">{}</p>", entry.linked(&image));
        }
        out.push_str("<div class=\"card-body post-contents\">\n");
        if self.shows("title") {
            let _ = writeln!(
                out,
                "<h5 class=\"no-anchor card-title listing-title\">{}</h5>",
                entry.linked(&entry.title)
            );
        }
        if let Some(subtitle) = entry.subtitle.as_ref().filter(|_| self.shows("subtitle")) {
            let _ = writeln!(out, "<div class=\"card-subtitle listing-subtitle\">{}</div>", marked(subtitle));
        }
        self.categories(entry, out);
        if let Some(text) = self.description(entry) {
            let _ = writeln!(out, "<div class=\"card-text listing-description delink\">{text}</div>");
        }
        let metadata = self.metadata(entry);
        if !metadata.is_empty() {
            let _ = writeln!(out, "<div class=\"card-attribution card-text-small\">\n{metadata}</div>");
        }
        out.push_str("</div>\n</div>\n</div>\n");
    }

    fn table(&self, entries: &[Entry], out: &mut String) {
        out.push_str("<table class=\"quarto-listing-table table\">\n<thead>\n<tr>\n");
        for field in &self.fields {
            let names = self.values.get("field-display-names").and_then(|names| names.get(field));
            let name = names.and_then(scalar).unwrap_or_else(|| paths::words(field));
            let _ = writeln!(out, "<th>{}</th>", escape(&name));
        }
        out.push_str("</tr>\n</thead>\n<tbody class=\"list\">\n");
        for (index, entry) in budget::within(entries).enumerate() {
            let _ = writeln!(out, "<tr data-index=\"{index}\">");
            for field in &self.fields {
                let cell = match field.as_str() {
                    "title" => entry.linked(&entry.title),
                    "description" => self.description(entry).unwrap_or_default(),
                    "image" => self.image(entry).unwrap_or_default(),
                    field => escape(&entry.values(field).join(", ")),
                };
                let _ = writeln!(out, "<td class=\"listing-{}\">{cell}</td>", escape(field));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table>\n");
    }

    fn description(&self, entry: &Entry) -> Option<String> {
        let text = entry.description.as_ref().filter(|_| self.shows("description"))?;
        let most = self.values.get("max-description-length").and_then(Value::as_u64);
        let most = most.and_then(|most| usize::try_from(most).ok()).filter(|most| *most > 0);
        let cut = most.and_then(|most| text.char_indices().nth(most)).map(|(at, _)| at);
        Some(match cut {
            Some(cut) => format!("{}…", marked(text[..cut].trim_end())),
            None => marked(text),
        })
    }

    fn image(&self, entry: &Entry) -> Option<String> {
        let source = entry.image.as_deref().filter(|source| !source.is_empty())?;
        let height = self.values.get("image-height").and_then(Value::as_str);
        let is_size = |text: &&str| {
            text.len() < 20 && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '%')
        };
        let height = height.filter(is_size).map(|height| format!("height: {height};"));
        let mut attr = Attr::class("thumbnail-image");
        if let Some(style) = height {
            attr = attr.with("style", style);
        }
        // What the page says about its picture wins over what the list says.
        let of_list = self.values.get("image-lazy-loading").and_then(Value::as_bool);
        let is_lazy = entry.image_is_lazy.or(of_list).unwrap_or(true);
        Some(format!(
            "<img src=\"{}\" alt=\"{}\"{}{}>",
            escape(source),
            escape(&entry.image_alt),
            if is_lazy { " loading=\"lazy\"" } else { "" },
            attributes(&attr)
        ))
    }

    fn categories(&self, entry: &Entry, out: &mut String) {
        if !self.shows("categories") || entry.categories.is_empty() {
            return;
        }
        out.push_str("<div class=\"listing-categories\">");
        for category in &entry.categories {
            let _ = write!(out, "<div class=\"listing-category\">{}</div>", escape(category));
        }
        out.push_str("</div>\n");
    }

    /// Date, authors and what else is asked for.
    fn metadata(&self, entry: &Entry) -> String {
        let mut out = String::new();
        for field in ["date", "author", "reading-time", "word-count", "filename"] {
            let values = entry.values(field);
            if self.shows(field) && !values.is_empty() {
                let _ = writeln!(out, "<div class=\"listing-{field}\">{}</div>", escape(&values.join(", ")));
            }
        }
        out
    }
}

impl Entry {
    /// HTML as a link to the page.
    fn linked(&self, html: &str) -> String {
        match &self.href {
            Some(href) => format!("<a href=\"{}\" class=\"no-external\">{html}</a>", escape(href)),
            None => html.to_owned(),
        }
    }

    /// The values of a field.
    fn values(&self, field: &str) -> Vec<String> {
        let one = |value: &Option<String>| value.iter().cloned().collect();
        match field {
            "title" => vec![self.plain_title.clone()],
            "subtitle" => one(&self.subtitle),
            "description" => one(&self.description),
            "date" => one(&self.date),
            "author" => self.authors.clone(),
            "categories" => self.categories.clone(),
            "filename" => self.path.rsplit('/').next().map(str::to_owned).into_iter().collect(),
            "word-count" => vec![self.words.to_string()],
            "reading-time" => vec![format!("{} min", self.words.div_ceil(200).max(1))],
            _ => Vec::new(),
        }
    }

    fn compared(&self, other: &Self, field: &str) -> Ordering {
        match field {
            "order" => {
                let order = |entry: &Self| entry.order.unwrap_or(f64::INFINITY);
                order(self).total_cmp(&order(other))
            }
            "date" => day(self.date.as_deref()).cmp(&day(other.date.as_deref())),
            "word-count" | "reading-time" => self.words.cmp(&other.words),
            field => {
                let key = |entry: &Self| entry.values(field).join(", ").to_lowercase();
                key(self).cmp(&key(other))
            }
        }
    }
}

/// A date that can be compared: `2024-05-01`, or `5/1/2024`.
fn day(date: Option<&str>) -> (u32, u32, u32, String) {
    let text = date.unwrap_or_default().trim();
    let parts: Vec<u32> =
        text.split(['-', '/', 'T', ' ']).take(3).map_while(|part| part.parse().ok()).collect();
    match parts.as_slice() {
        [year, month, day] if *year > 31 => (*year, *month, *day, text.to_owned()),
        [month, day, year] => (*year, *month, *day, text.to_owned()),
        _ => (0, 0, 0, text.to_owned()),
    }
}

/// A pattern of a page, from the folder of the project.
fn in_folder(folder: &str, pattern: &str) -> String {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    match pattern.strip_prefix('/') {
        Some(pattern) => format!("/{pattern}"),
        None => format!("/{folder}{pattern}"),
    }
}

/// Whether a value is what is asked for, where `*` stands for anything.
fn matches_text(value: &str, wanted: &str) -> bool {
    match wanted.split_once('*') {
        Some((start, end)) => value.starts_with(start) && value.ends_with(end.trim_end_matches('*')),
        None => value == wanted,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(title: &str, date: &str, categories: &[&str]) -> Entry {
        Entry {
            title: title.to_owned(),
            plain_title: title.to_owned(),
            date: Some(date.to_owned()),
            categories: categories.iter().map(|one| (*one).to_owned()).collect(),
            ..Entry::default()
        }
    }

    fn titles(values: &Value, mut entries: Vec<Entry>) -> Vec<String> {
        let empty = Map::new();
        let values = values.as_object().unwrap_or(&empty);
        let list = List { values, look: Look::Default, fields: Vec::new(), id: String::new() };
        entries.retain(|entry| list.is_included(entry));
        list.sort(&mut entries);
        entries.into_iter().map(|entry| entry.plain_title).collect()
    }

    #[test]
    fn entries_are_sorted_and_chosen_as_the_page_says() {
        let all = || {
            vec![
                entry("B", "2024-02-01", &["news"]),
                entry("A", "3/1/2024", &["code"]),
                entry("C", "2023-12-24", &["news", "code"]),
            ]
        };
        assert_eq!(titles(&json!({}), all()), ["A", "B", "C"]);
        assert_eq!(titles(&json!({"sort": "date"}), all()), ["C", "B", "A"]);
        assert_eq!(titles(&json!({"sort": ["title desc"]}), all()), ["C", "B", "A"]);
        assert_eq!(titles(&json!({"sort": false}), all()), ["B", "A", "C"]);
        assert_eq!(titles(&json!({"include": {"categories": "news"}}), all()), ["B", "C"]);
        assert_eq!(titles(&json!({"exclude": {"title": "A*"}}), all()), ["B", "C"]);
    }

    #[test]
    fn list_goes_into_the_div_that_has_its_name() {
        let list = || Block::Rule;
        let mut blocks = vec![Block::Div(Attr::default().with_id("posts"), Vec::new())];
        assert_eq!(placed(&mut blocks, "posts", list()), None);
        assert!(matches!(&blocks[0], Block::Div(_, inner) if inner.len() == 1));
        assert_eq!(placed(&mut blocks, "other", list()), Some(list()));
    }

    #[test]
    fn hostile_values_stay_text() {
        let entry = Entry { href: Some("\"><script>".to_owned()), ..entry("<b>", "<i>", &["<u>"]) };
        assert!(!entry.linked("x").contains("<script>"));
        let empty = Map::new();
        let fields = ["date", "categories"].map(str::to_owned).to_vec();
        let list = List { values: &empty, look: Look::Grid, fields, id: String::new() };
        let html = list.html(&[entry]);
        assert!(!html.contains("<i>") && !html.contains("<u>"), "{html}");
    }
}
