//! Citations as a style shows them, for the writers of this program: Pandoc has the processor for such styles.

use serde_json::{Map, Value, json};

use super::{Citations, Pandoc, json, process::Run};
use crate::{
    budget,
    error::{ConvertError, ErrorCode},
    model::{Block, Inline},
    transform::{pandoc_blocks, pandoc_inlines},
};

/// What a style makes of the citations of a document.
pub(in super::super) struct Styled {
    /// The citations, in their order.
    pub(in super::super) shown: Vec<Vec<Inline>>,
    /// The entries of the list of works.
    pub(in super::super) entries: Vec<Block>,
}

/// What the list depends on beside the citations.
pub(in super::super) struct Listing<'l> {
    /// Citations of works that the text does not cite.
    pub(in super::super) nocite: Vec<Inline>,
    pub(in super::super) language: Option<&'l str>,
    /// Whether citations are links to their entries.
    pub(in super::super) links: bool,
}

/// Has Pandoc resolve citations, each in a paragraph of its own.
pub(in super::super) fn styled(
    pandoc: &Pandoc,
    citations: &Citations,
    cites: Vec<Inline>,
    listing: &Listing<'_>,
) -> Result<Styled, ConvertError> {
    let program = pandoc.find()?;
    let count = cites.len();
    let blocks: Vec<Block> = cites.into_iter().map(|cite| Block::Para(vec![cite])).collect();
    let mut meta = Map::new();
    meta.insert("link-citations".to_owned(), json!({"t": "MetaBool", "c": listing.links}));
    if !listing.nocite.is_empty() {
        meta.insert("nocite".to_owned(), json!({"t": "MetaInlines", "c": json::inlines(&listing.nocite)}));
    }
    if let Some(language) = listing.language {
        meta.insert("lang".to_owned(), json!({"t": "MetaString", "c": language}));
    }
    let document = serde_json::to_vec(&json::document(&meta, &blocks)).unwrap_or_default();
    let mut run = Run::new(program, pandoc.limits())?;
    let mut arguments: Vec<String> = ["--from=json", "--to=json", "--sandbox"].map(str::to_owned).to_vec();
    arguments.push(format!("--data-dir={}", run.folder().display()));
    arguments.extend(citations.arguments(&mut run)?);
    let bytes = run.finish(&arguments, &document)?;
    budget::allocate(bytes.len());
    let failed = || {
        let message = "the result of pandoc is not the document that it was given";
        ConvertError::new(ErrorCode::RenderFailed, message, "install another version")
    };
    let resolved: Value = serde_json::from_slice(&bytes).map_err(|_| failed())?;
    let blocks = resolved.get("blocks").and_then(Value::as_array).ok_or_else(failed)?;
    let (own, list) = blocks.split_at_checked(count).ok_or_else(failed)?;
    let shown = own.iter().map(|block| pandoc_inlines(block.get("c").unwrap_or(&Value::Null)));
    let list = pandoc_blocks(&Value::Array(list.to_vec())).into_iter();
    let entries = list.flat_map(|block| match block {
        Block::Div(attr, entries) if attr.id == "refs" => entries,
        _ => Vec::new(),
    });
    Ok(Styled { shown: shown.collect(), entries: entries.collect() })
}
