//! The formats, as `formats.json` lists them. `family` is what conditional content and the transformation go by.

use serde::Deserialize;

use crate::{budget::Lazy, text::nearest};

/// A format that documents are converted to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about a format")]
pub struct Format {
    pub id: String,
    /// Further names.
    #[serde(default)]
    pub aliases: Vec<String>,
    pub description: String,
    /// Without a period.
    pub extension: String,
    pub mime: String,
    pub family: Family,
    /// The engine that writes it unless another one is asked for.
    pub engine: Engine,
    /// Pandoc's name of it.
    #[serde(default)]
    writer: Option<String>,
    /// Whether it consists of slides.
    #[serde(default)]
    pub slides: bool,
    /// Whether its files are not text.
    #[serde(default)]
    pub binary: bool,
    /// Whether it takes a template.
    #[serde(default)]
    pub template: bool,
    /// Whether it is typeset.
    #[serde(default)]
    pub pdf: bool,
}

/// Formats with the same kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    Html,
    Markdown,
    Pptx,
    Docx,
    Odt,
    Epub,
    Typst,
    Latex,
    Context,
    Jats,
    Docbook,
    Tei,
    Ipynb,
    Asciidoc,
    Rst,
    Org,
    Wiki,
    Textile,
    Texinfo,
    Man,
    Rtf,
    Plain,
    Fb2,
    Icml,
    Opml,
    Muse,
    Haddock,
    Djot,
    Json,
}

/// What writes a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// This program.
    Embedded,
    /// The program `pandoc`.
    Pandoc,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Pandoc => "pandoc",
        }
    }
}

impl Format {
    /// Pandoc's name of the format.
    pub fn writer(&self) -> &str {
        self.writer.as_deref().unwrap_or(&self.id)
    }
}

static FORMATS: Lazy<Vec<Format>> =
    Lazy::new(|| serde_json::from_str(include_str!("formats.json")).unwrap_or_default());

/// All formats, in the order in which they are listed.
pub fn all() -> &'static [Format] {
    &FORMATS
}

/// The format of a name.
pub fn named(name: &str) -> Option<&'static Format> {
    all().iter().find(|format| format.id == name || format.aliases.iter().any(|alias| alias == name))
}

/// The format whose name is most like this.
pub fn similar(name: &str) -> Option<&'static str> {
    nearest(name, all().iter().map(|format| format.id.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_formats_is_read() {
        assert!(all().len() > 40);
        assert_eq!(named("hugo").map(|format| format.id.as_str()), Some("hugo-md"));
        assert_eq!(similar("powerpont"), None);
        assert_eq!(similar("dokx"), Some("docx"));
        let mut ids: Vec<&str> = all().iter().map(|format| format.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all().len());
    }
}
