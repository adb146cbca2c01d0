//! The metadata of a document: its header, completed by its project and replaced by the parameters of a
//! conversion.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    dates, effects,
    formats::{Engine, Family, Format},
    language,
    model::{Inline, Place},
    reader, reveal,
};

/// Keys that have an effect, or that are content. Everything else of a header is metadata without a use;
/// what would run programs, read files or fetch something is not among them.
const KEYS: [&str; 80] = [
    "abstract",
    "abstract-title",
    "affiliations",
    "author",
    "author-title",
    "authors",
    "body-classes",
    "callout-appearance",
    "callout-icon",
    "canonical-url",
    "categories",
    "citation-location",
    "citecolor",
    "code-annotations",
    "code-block-bg",
    "code-copy",
    "code-fold",
    "code-line-numbers",
    "code-summary",
    "code-tools",
    "columns",
    "copyright",
    "crossref",
    "date",
    "date-format",
    "date-modified",
    "description",
    "description-meta",
    "document-css",
    "documentclass",
    "doi",
    "execute",
    "fig-align",
    "fig-cap-location",
    "filecolor",
    "fontsize",
    "footer",
    "footnotes-hover",
    "geometry",
    "incremental",
    "institute",
    "keywords",
    "lang",
    "language",
    "license",
    "lightbox",
    "linestretch",
    "link-external-icon",
    "linkcolor",
    "lof",
    "lot",
    "mainfont",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "mathfont",
    "number-depth",
    "number-offset",
    "number-sections",
    "page-numbering",
    "pagetitle",
    "papersize",
    "reference-location",
    "region",
    "section-divs",
    "section-numbering",
    "slide-level",
    "smart",
    "subtitle",
    "syntax-highlighting",
    "tbl-cap-location",
    "thanks",
    "title",
    "title-prefix",
    "toc",
    "toc-depth",
    "toc-indent",
    "toc-title",
];

/// Further keys that writers of this program read, and those that only say how a document is executed or what is kept.
const HONORED: [&str; 83] = [
    "about",
    "allowframebreaks",
    "anchor-sections",
    "appendix-style",
    "auto-stretch",
    "axe",
    "background-color",
    "background-image",
    "background-position",
    "background-repeat",
    "background-size",
    "bibliography",
    "bibliographystyle",
    "brand",
    "brand-mode",
    "cap-location",
    "citation",
    "citations-hover",
    "code-links",
    "codefont",
    "csl",
    "css-property-processing",
    "default-image-extension",
    "draft",
    "echo",
    "editor",
    "embed-resources",
    "engine",
    "eval",
    "expandable",
    "format-links",
    "freeze",
    "highlight-style",
    "html-math-method",
    "html-table-processing",
    "identifier",
    "image",
    "image-alt",
    "keep-ipynb",
    "keep-md",
    "keep-source",
    "keep-tex",
    "keep-typ",
    "link-citations",
    "logo",
    "margin-header",
    "margin-footer",
    "monofont",
    "nav-buttons",
    "no-cite",
    "nocite",
    "notebook-links",
    "notebook-view",
    "open-graph",
    "orientation",
    "other-links",
    "output",
    "params",
    "pdf-standard",
    "quality",
    "reference-section-title",
    "references",
    "scroll-view",
    "scrolling",
    "search",
    "self-contained",
    "shift-heading-level-by",
    "slide-number",
    "standalone",
    "theme",
    "suppress-bibliography",
    "tbl-colwidths",
    "template-id",
    "title-block",
    "title-block-banner",
    "title-block-categories",
    "title-block-style",
    "title-slide-attributes",
    "toc-location",
    "top-level-division",
    "twitter-card",
    "variant",
    "wrap",
];

/// Options that change what is seen of slides for browsers and that the built-in writer does not honor.
const SLIDES: [&str; 9] = [
    "auto-animate-styles",
    "axe",
    "chalkboard",
    "menu",
    "multiplex",
    "parallax-background-repeat",
    "revealjs-plugins",
    "slide-tone",
    "title-slide-style",
];

/// Options of slides for browsers that the built-in writer honors, beside the settings of reveal.js.
const DECKS: [&str; 9] = [
    "backgroundcolor",
    "center-title-slide",
    "code-block-height",
    "dir",
    "fontcolor",
    "parallax-background-image",
    "scrollable",
    "smaller",
    "view",
];

/// Options of web pages without slides that the built-in writer does not honor.
const PAGES: [&str; 6] = ["backgroundcolor", "comments", "grid", "max-width", "page-layout", "theme"];

/// What a document says about itself for lists of documents and search engines: no format has to show it.
const DESCRIPTIVE: [&str; 5] = ["categories", "description", "image", "image-alt", "keywords"];

/// Keys that would run programs, read files or fetch something; they have no effect.
const REFUSED: [&str; 31] = [
    "abbreviations",
    "citeproc",
    "css",
    "defaults",
    "extract-media",
    "filters",
    "format-resources",
    "from",
    "include-after-body",
    "include-before-body",
    "include-in-header",
    "jupyter",
    "knitr",
    "latex-output-dir",
    "latex-tinytex",
    "lua-filter",
    "metadata-file",
    "metadata-files",
    "output-dir",
    "output-ext",
    "output-file",
    "pdf-engine",
    "pdf-engine-opt",
    "pdf-engine-opts",
    "reference-doc",
    "resource-path",
    "resources",
    "shortcodes",
    "syntax-definitions",
    "template",
    "template-partials",
];

/// The metadata of a document for one format.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metadata {
    values: Value,
    /// Keys that have no effect because they are refused.
    pub refused: Vec<String>,
    /// The file that the document names as its template.
    pub reference_document: Option<String>,
    /// The files with styles that the document names.
    pub styles: Vec<String>,
    /// Patterns of files that its page needs.
    pub resources: Vec<String>,
    /// Whether the document stands for a book.
    pub is_book: bool,
}

impl Metadata {
    /// The header of a document, completed by its project. What is written for the format wins over what is
    /// written for all, and `parameters` win over both.
    pub(crate) fn new(
        project: Value,
        header: Value,
        parameters: &[(String, String)],
        format: &Format,
    ) -> Self {
        Self::layered([project, header], parameters, format)
    }

    /// Like [`Self::new`], for several layers, of which later ones win.
    pub(crate) fn layered(
        layers: impl IntoIterator<Item = Value>,
        parameters: &[(String, String)],
        format: &Format,
    ) -> Self {
        let mut values = Value::Object(Map::new());
        let mut refused = Vec::new();
        let mut reference_document = None;
        let (mut styles, mut resources) = (Vec::new(), Vec::new());
        for layer in layers {
            let own = formatted(&layer, format);
            merge(&mut values, layer);
            merge(&mut values, own);
        }
        if let Value::Object(values) = &mut values {
            values.remove("format");
            reference_document = values.get("reference-doc").and_then(Value::as_str).map(str::to_owned);
            styles = strings(values.get("css"));
            resources = strings(values.get("resources"));
            for key in REFUSED {
                let is_text = key.starts_with("include-") && values.get(key).is_some_and(is_own_text);
                if !is_text && values.remove(key).is_some() {
                    refused.push(key.to_owned());
                }
            }
        }
        for (key, value) in parameters {
            if REFUSED.contains(&key.as_str()) {
                refused.push(key.clone());
            } else {
                set(&mut values, key, parameter(value));
            }
        }
        add_execution(&mut values);
        add_words(&mut values);
        if let Value::Object(values) = &mut values {
            dates::apply(values, format);
        }
        Self { values, refused, reference_document, styles, resources, is_book: false }
    }

    /// The value of a path such as `crossref.fig-title`.
    pub(crate) fn at(&self, path: &str) -> Option<&Value> {
        at(&self.values, path)
    }

    /// The items of a list, or the one mapping that is there instead of a list.
    pub(crate) fn items(&self, path: &str) -> &[Value] {
        match self.at(path) {
            Some(Value::Array(items)) => items,
            Some(item @ Value::Object(_)) => std::slice::from_ref(item),
            _ => &[],
        }
    }

    /// The string of a path.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.at(path).and_then(Value::as_str)
    }

    /// The words of a path that are put before many parts of a document, such as `Figure`: the beginning of a long string.
    pub(crate) fn words(&self, path: &str) -> Option<&str> {
        self.text(path).map(short)
    }

    pub(crate) fn is_true(&self, path: &str) -> bool {
        self.at(path).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Whether a path is absent or not false.
    pub(crate) fn is_not_false(&self, path: &str) -> bool {
        self.at(path).and_then(Value::as_bool).unwrap_or(true)
    }

    /// Whether pictures are part of a page, and not links to their files.
    pub(crate) fn embeds(&self) -> bool {
        self.is_not_false("embed-resources") && self.is_not_false("self-contained")
    }

    pub(crate) fn number(&self, path: &str) -> Option<u64> {
        self.at(path).and_then(|value| value.as_u64().or_else(|| value.as_str()?.parse().ok()))
    }

    /// The text of a path, read as Markdown.
    pub(crate) fn inlines(&self, path: &str) -> Option<Vec<Inline>> {
        let value = self.at(path)?;
        let text = scalar(value)?;
        (!text.trim().is_empty()).then(|| reader::read_inlines(&text, true))
    }

    /// The options that the engine does not honor for a format, with their positions: those that the document writes
    /// for the format, those that are asked for, and those of the whole document that this program knows.
    pub(crate) fn without_effect(
        &self,
        own: &HashMap<String, Place>,
        all: &HashMap<String, Place>,
        asked: &[(String, Place)],
        (format, engine): (&Format, Engine),
    ) -> Vec<(String, Place)> {
        let is_deck = format.id == "revealjs";
        let is_refused = |key: &str| {
            reveal::is_setting(key) && self.at(key).is_some_and(|value| !reveal::is_accepted(key, value))
        };
        let has_effect = |key: &str| {
            let key = key.split('.').next().unwrap_or(key);
            let in_decks = is_deck && (DECKS.contains(&key) || reveal::is_setting(key));
            in_decks || KEYS.contains(&key) || HONORED.contains(&key) || REFUSED.contains(&key)
        };
        let shows = |key: &str| {
            let key = key.split('.').next().unwrap_or(key);
            let slides = is_deck && (SLIDES.contains(&key) || is_refused(key));
            let pages = format.family == Family::Html && !format.slides && PAGES.contains(&key);
            slides || pages || effects::is_ignored(key, format, engine)
        };
        let themes = self.at("theme").filter(|_| is_deck).map(reveal::unknown_themes).unwrap_or_default();
        let theme = own.get("theme").or_else(|| all.get("theme")).copied();
        let asked = asked.iter().filter(|(key, _)| !REFUSED.contains(&key.as_str())).cloned();
        let own = own.iter().map(|(key, place)| (key.clone(), *place));
        let all = all.iter().filter(|(key, _)| shows(key) && !DESCRIPTIVE.contains(&key.as_str()));
        let all = all.map(|(key, place)| (key.clone(), *place));
        let mut found: Vec<(String, Place)> =
            own.chain(asked).filter(|(key, _)| !has_effect(key) || shows(key)).chain(all).collect();
        found.retain(|(key, _)| self.at(key) != Some(&Value::Bool(false)));
        found.extend(themes.into_iter().filter_map(|name| Some((name, theme?))));
        // A dark theme adds a dark style, whatever its name is.
        if self.at("theme").and_then(Value::as_object).is_some_and(|theme| theme.contains_key("dark")) {
            for (key, _) in found.iter_mut().filter(|(key, _)| key == "theme") {
                "names in theme".clone_into(key);
            }
        }
        found.sort_by(|a, b| a.1.offset.cmp(&b.1.offset).then_with(|| a.0.cmp(&b.0)));
        found.dedup();
        found
    }

    /// What is given to the writer of another program: only keys that are known to be harmless.
    pub(crate) fn harmless(&self) -> Map<String, Value> {
        let Value::Object(values) = &self.values else { return Map::new() };
        let kept = values.iter().filter(|(key, _)| KEYS.contains(&key.as_str()));
        kept.map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// A copy with the shortcodes of its strings replaced.
    pub(crate) fn transformed(&self, change: &mut dyn FnMut(&str) -> String) -> Self {
        let mut out = self.clone();
        replace_shortcodes(&mut out.values, change);
        out
    }
}

/// Most bytes of words that are put before many parts of a document.
const WORDS: usize = 500;

/// Keys whose values are paths from the folder of the file that has them.
const PATHS: [&str; 4] = ["bibliography", "csl", "css", "reference-doc"];

/// What a file of the project says, for a document in another folder: `folder` is the path from there to the file's, with
/// a slash at its end.
pub(crate) fn relocated(mut layer: Value, folder: &str) -> Value {
    if folder.is_empty() || folder == "./" {
        return layer;
    }
    let Some(map) = layer.as_object_mut() else { return layer };
    for (key, value) in map.iter_mut() {
        match (key.as_str(), &mut *value) {
            ("format", Value::Object(formats)) => {
                for format in formats.values_mut() {
                    *format = relocated(std::mem::take(format), folder);
                }
            }
            (key, value) if PATHS.contains(&key) => relocate(value, folder),
            _ => {}
        }
    }
    layer
}

fn relocate(value: &mut Value, folder: &str) {
    match value {
        Value::String(path) if !path.starts_with('/') && !path.contains(':') => path.insert_str(0, folder),
        Value::Array(items) => items.iter_mut().for_each(|item| relocate(item, folder)),
        _ => {}
    }
}

/// The strings of a list, or the only one.
pub(crate) fn strings(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(one)) => vec![one.clone()],
        _ => Vec::new(),
    }
}

/// The beginning of a string that is put before many parts of a document.
pub(crate) fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(WORDS)]
}

/// Options of `execute` that count wherever a header has them.
const EXECUTION: [&str; 2] = ["echo", "eval"];

/// Moves options of `execute` that are written without it to where they belong.
fn add_execution(values: &mut Value) {
    for key in EXECUTION {
        if let Some(value) = values.as_object_mut().and_then(|map| map.remove(key)) {
            set(values, &format!("execute.{key}"), value);
        }
    }
}

/// Adds the words of the document's language, where it does not have its own.
fn add_words(values: &mut Value) {
    let Value::Object(map) = values else { return };
    let Some(language) = map.get("lang").and_then(Value::as_str) else { return };
    let words = language::words(language);
    if words.is_empty() || map.get("language").is_some_and(|own| !own.is_object()) {
        return;
    }
    let own = map.insert("language".to_owned(), Value::Object(words));
    if let (Some(own), Some(all)) = (own, map.get_mut("language")) {
        merge(all, own);
    }
}

/// Whether an option has no effect wherever it is written.
pub(crate) fn is_refused(key: &str) -> bool {
    REFUSED.contains(&key)
}

/// Whether an include is text of the document and names no file.
fn is_own_text(value: &Value) -> bool {
    let only_text = |value: &Value| {
        value.as_object().is_some_and(|map| {
            !map.is_empty() && map.iter().all(|(key, value)| key == "text" && value.is_string())
        })
    };
    match value {
        Value::Array(items) => items.iter().all(only_text),
        value => only_text(value),
    }
}

fn replace_shortcodes(value: &mut Value, change: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::String(text) if text.contains("{{<") => {
            *text = change(text);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace_shortcodes(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| replace_shortcodes(item, change)),
        _ => {}
    }
}

/// The text of a scalar.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// What a header says for one format.
fn formatted(layer: &Value, format: &Format) -> Value {
    let names = std::iter::once(format.id.as_str()).chain(format.aliases.iter().map(String::as_str));
    let mut out = Value::Object(Map::new());
    let Some(formats) = layer.get("format") else { return out };
    for name in names {
        if let Some(own) = formats.get(name).filter(|own| own.is_object()) {
            merge(&mut out, own.clone());
        }
    }
    out
}

/// Puts one mapping over another; mappings in them are merged, other values replaced.
pub(crate) fn merge(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(&key).filter(|old| old.is_object() && value.is_object()) {
                    Some(old) => merge(old, value),
                    None => {
                        base.insert(key, value);
                    }
                }
            }
        }
        (base, over) if !over.is_null() => *base = over,
        _ => {}
    }
}

/// The value of a parameter: JSON where it is JSON, else text.
pub(crate) fn parameter(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Sets the value of a path such as `crossref.fig-title`.
pub(crate) fn set(values: &mut Value, path: &str, value: Value) {
    let mut current = values;
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        let Value::Object(map) = current else { return };
        if parts.peek().is_none() {
            map.insert(part.to_owned(), value);
            return;
        }
        let entry = map.entry(part.to_owned()).or_insert_with(|| Value::Object(Map::new()));
        if !entry.is_object() {
            *entry = Value::Object(Map::new());
        }
        current = entry;
    }
}

/// The value of a path such as `a.b.0`. A key may contain periods when nothing shorter is a key.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let path = path.trim();
    if let Some(found) = value.get(path) {
        return Some(found);
    }
    let mut current = value;
    for part in path.split('.') {
        current = match current {
            Value::Object(map) => map.get(part)?,
            // Lists count from one.
            Value::Array(items) => items.get(part.parse::<usize>().ok()?.checked_sub(1)?)?,
            _ => return None,
        };
    }
    Some(current)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::formats;

    fn metadata(header: Value, parameters: &[(&str, &str)]) -> Metadata {
        let parameters: Vec<(String, String)> =
            parameters.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let format = formats::named("html").cloned();
        Metadata::new(
            json!({"toc": false}),
            header,
            &parameters,
            &format.unwrap_or_else(|| formats::all()[0].clone()),
        )
    }

    #[test]
    fn parameters_win_over_the_format_and_the_format_over_the_document() {
        let header =
            json!({"toc": true, "a": 1, "format": {"html": {"toc-depth": 2, "a": 2}, "pdf": {"a": 3}}});
        let found = metadata(header.clone(), &[]);
        assert_eq!(
            (found.is_true("toc"), found.number("a"), found.number("toc-depth")),
            (true, Some(2), Some(2))
        );
        let found = metadata(header, &[("a", "4"), ("crossref.fig-title", "Abb."), ("toc", "false")]);
        assert_eq!((found.is_true("toc"), found.number("a")), (false, Some(4)));
        assert_eq!(found.text("crossref.fig-title"), Some("Abb."));
    }

    #[test]
    fn keys_that_read_files_or_run_programs_have_no_effect() {
        let found = metadata(
            json!({"filters": ["x.lua"], "css": "../secret", "title": "A"}),
            &[("template", "/etc/passwd")],
        );
        assert_eq!(found.refused, ["css", "filters", "template"]);
        assert!(found.at("filters").is_none() && found.at("template").is_none());
        assert_eq!(found.harmless().keys().collect::<Vec<_>>(), ["toc", "title"]);
    }
}
