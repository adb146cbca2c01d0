//! Metadata as Pandoc reads it.

use serde_json::{Map, Value, json};

use super::{json, typst};
use crate::{
    brand::Brand,
    formats::{Family, Format},
    images::Pictures,
    metadata::{Metadata, scalar},
    model::Block,
    people::authors,
    reader,
    text::Fingerprint,
};

/// Keys whose values are blocks.
const BLOCKS: [&str; 1] = ["abstract"];

/// Keys that are settings of this program, not text of the document.
const SETTINGS: [&str; 14] = [
    "author",
    "authors",
    "affiliations",
    "crossref",
    "execute",
    "language",
    "toc",
    "number-sections",
    "slide-level",
    "incremental",
    "callout-appearance",
    "smart",
    "number-depth",
    "title-prefix",
];

/// The metadata of a document.
pub(super) fn meta(
    metadata: &Metadata,
    format: &Format,
    (blocks, pictures): (&[Block], &Pictures),
    preamble: &[String],
    brand: &Brand,
) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in metadata.harmless() {
        if SETTINGS.contains(&key.as_str()) {
            continue;
        }
        if let Some(value) = converted(&key, &value) {
            out.insert(key, value);
        }
    }
    let people = authors(metadata);
    if !people.is_empty() {
        let names = people.iter().map(|author| match format.family {
            Family::Typst | Family::Epub | Family::Html => inlines(&author.name),
            _ => inlines(&author.described()),
        });
        out.insert("author".to_owned(), json!({"t": "MetaList", "c": names.collect::<Vec<_>>()}));
    }
    if format.family == Family::Typst {
        out.remove("logo");
        out.retain(|key, _| !typst::OWN.contains(&key.as_str()));
        out.extend(typst::meta(metadata, brand, blocks));
    }
    if format.family == Family::Latex && !format.slides {
        out.entry("colorlinks").or_insert_with(|| json!({"t": "MetaBool", "c": true}));
        for (key, color) in
            [("linkcolor", "blue"), ("filecolor", "Maroon"), ("citecolor", "Blue"), ("urlcolor", "Blue")]
        {
            out.entry(key).or_insert_with(|| json!({"t": "MetaString", "c": color}));
        }
    }
    // Pandoc has the words of a language for LaTeX only.
    if matches!(format.family, Family::Docx | Family::Odt | Family::Epub)
        && let Some(title) = metadata.words("language.toc-title-document")
    {
        out.entry("toc-title").or_insert_with(|| inlines(title));
    }
    let mut preamble = preamble.to_vec();
    let mut raw_format = "tex";
    if format.family == Family::Typst {
        raw_format = "typst";
        preamble.splice(0..0, typst::head(metadata, brand));
    }
    if !preamble.is_empty() {
        let raw = json!({"t": "RawBlock", "c": [raw_format, preamble.join("\n")]});
        out.insert("header-includes".to_owned(), json!({"t": "MetaBlocks", "c": [raw]}));
    }
    if format.family == Family::Epub && metadata.at("identifier").is_none() {
        // Without one, every conversion would have another one.
        let mut hash = Fingerprint::new();
        hash.add(&format!("{blocks:?}"));
        // Blocks have only the marks of pictures.
        pictures.add_to(&mut hash);
        let hash = hash.hex();
        out.insert("identifier".to_owned(), json!({"t": "MetaString", "c": format!("urn:proofmark:{hash}")}));
    }
    if matches!(format.family, Family::Html | Family::Epub) && metadata.text("title").is_none() {
        out.insert("pagetitle".to_owned(), json!({"t": "MetaString", "c": "Document"}));
    }
    out
}

fn inlines(text: &str) -> Value {
    json!({"t": "MetaInlines", "c": json::inlines(&reader::read_inlines(text, true))})
}

fn converted(key: &str, value: &Value) -> Option<Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => json!({"t": "MetaBool", "c": value}),
        Value::Array(items) => {
            let items: Vec<Value> = items.iter().filter_map(|item| converted(key, item)).collect();
            json!({"t": "MetaList", "c": items})
        }
        Value::Object(map) => {
            let map: Map<String, Value> =
                map.iter().filter_map(|(key, value)| Some((key.clone(), converted(key, value)?))).collect();
            json!({"t": "MetaMap", "c": map})
        }
        other => {
            let text = scalar(other)?;
            if BLOCKS.contains(&key) {
                json!({"t": "MetaBlocks", "c": json::blocks(&reader::read_text(&text, true))})
            } else {
                inlines(&text)
            }
        }
    })
}
