//! What another program does for conversions: it sets pages, and draws diagrams.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    error::ConvertError,
    formats::{Family, Format},
};
use crate::{syntax::Observation, text::Span};

/// The program that sets pages and draws diagrams. It need not be installed.
pub trait RenderWorker: Sync {
    /// Sets Typst source, which uses the given files, as PDF that conforms to the standards with these names.
    fn typeset(
        &self,
        source: String,
        files: BTreeMap<String, Arc<[u8]>>,
        standards: &[String],
    ) -> Result<Typeset, ConvertError>;

    /// Whether PDF can conform to the standard with a name, such as `a-2b`.
    fn has_standard(&self, name: &str) -> bool;

    /// Draws a Mermaid diagram.
    fn draw(&self, diagram: &str, kind: PictureKind) -> Result<Drawn, NotDrawn>;
}

/// A diagram that was drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The picture.
    pub bytes: Vec<u8>,
    /// What no font has.
    pub missing: Vec<MissingGlyphs>,
}

/// Characters of a script that no font for text has: they are boxes on pages and in pictures, or look like code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingGlyphs {
    /// The name of the script.
    pub script: &'static str,
    /// The characters.
    pub characters: Vec<char>,
    /// An installed family that has them.
    pub family: Option<String>,
    /// Whether the font of code has them.
    pub is_code: bool,
}

impl MissingGlyphs {
    /// Most characters of a script that are named.
    const MOST_NAMED: usize = 12;

    /// The fact about the characters, at the first of them in text.
    pub fn fact(&self, text: &str) -> Observation {
        let named: Vec<String> = self.characters.iter().take(Self::MOST_NAMED).map(char::to_string).collect();
        let start = self.first_in(text);
        let length = start
            .map(|start| text[start..].find(|c| !self.characters.contains(&c)).unwrap_or(text.len() - start));
        let span = start.zip(length).map_or(Span::at(0), |(start, length)| Span::new(start, start + length));
        Observation::about_file("missing-glyph")
            .with("script", self.script)
            .with("characters", named)
            .with("count", self.characters.len())
            .with("family", self.family.clone())
            .with("is_code", self.is_code)
            .moved_to(span)
    }

    /// Where the first of the characters is in text.
    pub(super) fn first_in(&self, text: &str) -> Option<usize> {
        text.find(|c| self.characters.contains(&c))
    }
}

/// Pages that were set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typeset {
    /// The file.
    pub bytes: Vec<u8>,
    /// What does not fit on the pages.
    pub unfit: Vec<Unfit>,
    /// What no font has.
    pub missing: Vec<MissingGlyphs>,
    /// Whether the file has no structure for screen readers, since it could not be written.
    pub is_untagged: bool,
}

/// Something that does not fit on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// `table`, `formula` or `diagram`.
    pub what: String,
    /// Its first words.
    pub words: String,
}

/// Why there is no picture of a diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotDrawn {
    /// There is no program that draws: why.
    NoWorker(String),
    /// The program does not draw this diagram: why.
    Refused(String),
}

/// What a diagram becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureKind {
    Svg,
    /// A picture with [`PictureKind::PPI`] pixels per inch.
    Png,
}

impl PictureKind {
    /// Pixels per inch: enough for a projector.
    pub const PPI: f32 = 192.0;

    /// The kind of picture that a format can have inside its file; nothing for formats of text.
    pub(super) fn of(format: &Format, source: bool) -> Option<Self> {
        match format.family {
            Family::Html => Some(Self::Svg),
            Family::Typst if !source => Some(Self::Svg),
            Family::Pptx
            | Family::Docx
            | Family::Odt
            | Family::Epub
            | Family::Ipynb
            | Family::Rtf
            | Family::Fb2 => Some(Self::Png),
            _ => None,
        }
    }

    pub(super) fn mime(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
        }
    }

    /// The size of a picture in inches.
    pub(super) fn size(self, bytes: &[u8]) -> Option<(f32, f32)> {
        match self {
            Self::Png => {
                let number = |at: usize| -> Option<f32> {
                    let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
                    Some(u16::try_from(u32::from_be_bytes(bytes)).ok()?.into())
                };
                Some((number(16)? / Self::PPI, number(20)? / Self::PPI))
            }
            Self::Svg => {
                let text = std::str::from_utf8(bytes).ok()?;
                let root = &text[text.find("<svg")?..];
                let root = &root[..root.find('>')?];
                let view = root.split_once("viewBox=\"")?.1;
                let view = &view[..view.find('"')?];
                let numbers: Vec<f32> =
                    view.split([' ', ',']).filter_map(|number| number.parse().ok()).collect();
                let [_, _, width, height] = numbers.as_slice() else { return None };
                Some((width / 96.0, height / 96.0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_the_size_that_it_says() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x80\0\0\0\xC0".to_vec();
        png.extend([0; 8]);
        assert_eq!(PictureKind::Png.size(&png), Some((2.0, 1.0)));
        let svg = b"<?xml version=\"1.0\"?><svg width=\"100%\" viewBox=\"-8 -8 192 96\"><g/></svg>";
        assert_eq!(PictureKind::Svg.size(svg), Some((2.0, 1.0)));
        assert_eq!(PictureKind::Svg.size(b"<svg>"), None);
    }
}
