use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a document is rendered to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Format {
    /// One file with all pages.
    #[default]
    Pdf,
    /// A drawing a page.
    Svg,
    /// A picture a page.
    Png,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Pdf, Self::Svg, Self::Png];

    /// `pdf`, `svg` or `png`: also the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    /// The format of a name, however it is capitalised.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Its media type.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a worker is told. Bytes travel behind it, see [`super::worker`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// The files of a bundle, to be kept: their bytes follow in this order.
    Keep { bundle: u64, paths: Vec<String> },
    /// A document to render.
    Render(Job),
}

/// A document to render.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Job {
    /// The bundle, which the worker was given before.
    pub(super) bundle: u64,
    pub(super) layout: Layout,
    pub(super) format: Format,
    /// The day that layouts take for today, `2026-01-31`.
    pub(super) date: String,
    /// Pixels an inch, for pictures.
    pub(super) ppi: f32,
    /// Most pages.
    pub(super) pages: usize,
    /// Most bytes of all artifacts.
    pub(super) bytes: u64,
}

/// How a bundle lays a document out, with the document's values.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Layout {
    /// By a plate that reads data through the helper package of the current engine.
    Plate {
        /// The manifest as the engine takes it.
        manifest: Value,
        /// `{fields, body, cards}`.
        document: Value,
    },
    /// By a glue template in `MiniJinja` whose result is the plate: the classic bundles.
    Glue {
        /// Path of the template.
        file: String,
        /// The manifest as the engine takes it, without fields.
        manifest: Value,
        /// The flat mapping of fields, collections and body.
        fields: Value,
    },
}

/// What a worker says. The bytes of artifacts follow.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// It is ready, or has kept a bundle.
    Ready,
    /// It has rendered.
    Done {
        /// Remarks of the engine.
        remarks: Vec<Fault>,
        /// Memory that the worker has in use, in bytes.
        resident: u64,
    },
    /// It could not.
    Failed {
        /// Why.
        faults: Vec<Fault>,
        /// Memory that the worker has in use, in bytes.
        resident: u64,
    },
}

/// What the engine says of a document or a quill.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Fault {
    pub(super) stage: Stage,
    /// Code of the engine.
    pub(super) code: String,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// The construct of Markdown that it is about.
    pub(super) construct: Option<String>,
    /// Address in the document, as the engine writes it.
    pub(super) path: Option<String>,
    /// The text that it is about, where it has no address.
    pub(super) content: Option<String>,
    /// Place in a file of the bundle: path, line, column from 1.
    pub(super) place: Option<(String, u32, u32)>,
}

/// Where a fault was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum Stage {
    /// The manifest of the quill.
    Quill,
    /// The glue template.
    Glue,
    /// A value of the document.
    #[default]
    Value,
    /// Laying the pages out.
    Layout,
    /// There are too many pages: their number.
    Pages(usize),
    /// The result is too large.
    Size,
}
