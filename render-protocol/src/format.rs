use std::fmt;

use serde::{Deserialize, Serialize};

/// What a document is rendered to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Format {
    /// One file with all pages.
    #[default]
    #[serde(alias = "pdf", alias = "Pdf")]
    Pdf,
    /// A drawing a page.
    #[serde(alias = "svg", alias = "Svg")]
    Svg,
    /// A picture a page.
    #[serde(alias = "png", alias = "Png")]
    Png,
    /// One file for browsers, without pages.
    #[serde(alias = "html", alias = "Html")]
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Pdf, Self::Svg, Self::Png, Self::Html];

    /// `pdf`, `svg`, `png` or `html`: also the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Html => "html",
        }
    }

    /// The format with a name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Whether each page is a file of its own.
    pub fn is_of_pages(self) -> bool {
        matches!(self, Self::Svg | Self::Png)
    }

    /// Its media type.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
            Self::Html => "text/html",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A standard that a PDF file conforms to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum PdfStandard {
    /// PDF/A-2b: files for archives, which contain all that they need.
    #[serde(rename = "a-2b", alias = "A-2B", alias = "A-2b", alias = "PDF/A-2b")]
    A2b,
    /// PDF/UA-1: files that assistive technology can read.
    #[serde(rename = "ua-1", alias = "UA-1", alias = "PDF/UA-1")]
    Ua1,
}

impl PdfStandard {
    /// All standards.
    pub const ALL: [Self; 2] = [Self::A2b, Self::Ua1];

    /// `a-2b` or `ua-1`.
    pub fn name(self) -> &'static str {
        match self {
            Self::A2b => "a-2b",
            Self::Ua1 => "ua-1",
        }
    }

    /// The standard with a name, in any case, with or without `PDF/`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_prefix("pdf/").unwrap_or(&name);
        Self::ALL.into_iter().find(|standard| standard.name() == name)
    }
}
