//! Text of one format as text of another, without a document around it.

use std::sync::Arc;

use super::{Pandoc, process::Run};
use crate::{error::ConvertError, reader, text::Source};

/// The filter for Org files that become Markdown.
const ORG_WORDS: &str = include_str!("org_words.lua");

/// Has Pandoc read `text` in a format and write it in another.
pub fn translated(pandoc: &Pandoc, from: &str, to: &str, text: &str) -> Result<String, ConvertError> {
    let program = pandoc.find()?;
    let mut run = Run::new(program, pandoc.limits())?;
    let mut arguments = vec![format!("--from={from}"), format!("--to={to}")];
    arguments.extend(["--sandbox", "--wrap=none"].map(str::to_owned));
    arguments.push(format!("--data-dir={}", run.folder().display()));
    if (from, to) == ("org", "gfm") {
        let filter = run.add_file("org_words", "lua", ORG_WORDS.as_bytes())?;
        arguments.push(format!("--lua-filter={}", filter.display()));
    }
    let bytes = run.finish(&arguments, text.as_bytes())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The blocks of a document as they are read, in the JSON of Pandoc. `tests/reference/pandoc_blocks.py` compares
/// them with what Pandoc reads.
#[must_use]
pub fn pandoc_json(text: &str) -> String {
    let source = Arc::new(Source::new("document.qmd", text));
    let read = reader::read(source, true, &|_| None);
    super::json::blocks(&read.blocks).to_string()
}
