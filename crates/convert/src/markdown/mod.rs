//! Markdown as GitHub reads it, CommonMark, and the Markdown of notebooks.
//!
//! What a dialect has no syntax for is written as HTML around Markdown, with empty lines between them, so that the
//! content stays Markdown (CommonMark 0.31, section 4.6).

mod blocks;
mod escape;
mod inlines;
mod table;
mod title;

use std::collections::HashSet;

pub(crate) use self::title::heading;
use super::{
    metadata::Metadata,
    model::{Attr, Block, Inline, Rewrite},
};

/// What a reader of Markdown knows beyond CommonMark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent features")]
pub(crate) struct Dialect {
    /// Tables with `|` (GitHub Flavored Markdown, section 4.10).
    pub tables: bool,
    /// `~~deleted~~` (section 6.5).
    pub strikeout: bool,
    /// `- [ ] task` (section 5.3).
    pub tasks: bool,
    /// `text[^1]`, which GitHub reads.
    pub footnotes: bool,
    /// `$x$`: a dollar sign in the text is escaped.
    pub math: bool,
}

impl Dialect {
    pub(crate) const GFM: Self =
        Self { tables: true, strikeout: true, tasks: true, footnotes: true, math: true };
    pub(crate) const COMMONMARK: Self =
        Self { tables: false, strikeout: false, tasks: false, footnotes: false, math: false };
    /// The dialect that Jupyter reads.
    pub(crate) const NOTEBOOK: Self = Self { footnotes: false, ..Self::GFM };
}

/// A document as Markdown, with its title.
pub(crate) fn write(blocks: &[Block], metadata: &Metadata, dialect: Dialect) -> String {
    let mut writer = Writer::new(blocks, dialect);
    let mut parts = vec![heading(&mut writer, metadata)];
    if metadata.is_true("toc") {
        parts.push(title::contents(&mut writer, blocks, metadata));
    }
    parts.push(writer.blocks(blocks));
    parts.push(writer.footnotes());
    parts.retain(|part| !part.is_empty());
    let mut out = parts.join("\n\n");
    out.push('\n');
    out
}

/// Writes blocks and inlines.
pub(crate) struct Writer {
    dialect: Dialect,
    /// The notes that were referred to, without their marks.
    notes: Vec<String>,
    /// Identifiers that links of the document lead to.
    targets: HashSet<String>,
    /// Whether the text is that of a cell, which is one line.
    in_row: bool,
}

impl Writer {
    pub(crate) fn new(blocks: &[Block], dialect: Dialect) -> Self {
        let mut targets = Targets::default();
        targets.rewrite(blocks.to_vec());
        Self { dialect, notes: Vec::new(), targets: targets.0, in_row: false }
    }

    /// The notes of what was written.
    pub(crate) fn footnotes(&mut self) -> String {
        let notes = std::mem::take(&mut self.notes);
        if self.dialect.footnotes {
            let notes = notes.iter().enumerate();
            let notes = notes.map(|(index, note)| format!("[^{}]: {}", index + 1, blocks::indented(note, 4)));
            return notes.collect::<Vec<_>>().join("\n\n");
        }
        let notes = notes.iter().enumerate().map(|(index, note)| {
            let number = index + 1;
            let note = format!("<a id=\"fn{number}\"></a>{note}");
            format!("{number}. {}", blocks::indented(&note, number.to_string().len() + 2))
        });
        notes.collect::<Vec<_>>().join("\n\n")
    }
}

/// Finds identifiers that links lead to.
#[derive(Default)]
struct Targets(HashSet<String>);

impl Rewrite for Targets {
    fn inline(&mut self, inline: Inline) -> Inline {
        match inline {
            Inline::Link(_, inner, target) => {
                if let Some(id) = target.url.strip_prefix('#') {
                    self.0.insert(id.to_owned());
                }
                self.rewrite_inlines(inner);
            }
            Inline::Emph(inner)
            | Inline::Strong(inner)
            | Inline::Span(_, inner)
            | Inline::Cite(_, inner)
            | Inline::Strikeout(inner)
            | Inline::Underline(inner)
            | Inline::SmallCaps(inner)
            | Inline::Superscript(inner)
            | Inline::Subscript(inner) => {
                self.rewrite_inlines(inner);
            }
            Inline::Note(blocks) => {
                self.rewrite(blocks);
            }
            _ => {}
        }
        Inline::Space
    }
}

/// The identifier that GitHub gives a heading of this text, where no heading before it has the same.
fn slug(text: &str) -> String {
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Whether attributes say something that readers of Markdown have a use for: classes alone have no style sheet.
fn is_worth_a_tag(attr: &Attr) -> bool {
    !attr.id.is_empty()
        || attr.pairs.iter().any(|(key, _)| matches!(key.as_str(), "style" | "lang" | "dir" | "align"))
}

#[cfg(test)]
mod tests;
