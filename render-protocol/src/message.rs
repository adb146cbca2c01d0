use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Format, PdfStandard};

/// What a client asks of a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "there is one for each message, and most are the large one")]
pub enum WorkerRequest {
    /// Keep the files of a bundle. Their bytes follow the message, in the order of the paths.
    Keep {
        /// Number of the bundle, chosen by the client.
        bundle: u64,
        /// Paths relative to the bundle's folder, with `/`.
        paths: Vec<String>,
    },
    /// Render a document. The bytes of its pictures follow the message, in their order.
    Render(Job),
    /// Draw a diagram.
    Draw(Drawing),
}

/// A diagram to draw.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Drawing {
    /// Its source, in Mermaid.
    pub text: String,
    /// What it becomes.
    pub format: Format,
    /// Pixels per inch, for pictures.
    pub ppi: f32,
    /// The bundle with the faces of its labels, besides the built-in ones.
    #[serde(default)]
    pub bundle: Option<u64>,
}

/// A picture that a document shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// How the document names it.
    pub target: String,
    /// Extension of files of its format: `png`, `jpg`, `gif`, `webp` or `svg`.
    pub extension: String,
    /// Where the layout finds it, as a path in the bundle. Absent for a picture that only the text shows.
    #[serde(default)]
    pub path: Option<String>,
}

/// A document to render.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// The bundle, which the worker was given before.
    pub bundle: u64,
    /// How it is laid out, and its values.
    pub layout: Layout,
    /// What it becomes.
    pub format: Format,
    /// The day that layouts take for today, `2026-01-31`.
    pub date: String,
    /// Pixels per inch, for pictures.
    pub ppi: f32,
    /// Most pages.
    pub pages: usize,
    /// Most bytes of all artifacts.
    pub bytes: u64,
    /// The pictures that the document shows.
    pub pictures: Vec<Picture>,
    /// Standards that a PDF file conforms to.
    #[serde(default)]
    pub standards: Vec<PdfStandard>,
}

/// How a bundle lays a document out, with the document's values.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Layout {
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
        /// Filters that the quill defines, as templates by name.
        #[serde(default)]
        filters: BTreeMap<String, String>,
    },
}

/// What a worker says.
#[derive(Debug, Serialize, Deserialize)]
pub enum WorkerReply {
    /// The first message. It keeps its form in all versions of the protocol.
    Hello {
        /// The version of the messages that the worker understands.
        protocol: u32,
        /// The version of its package.
        version: String,
    },
    /// It is ready, or has kept a bundle.
    Ready,
    /// It has rendered. The bytes of the artifacts follow the message.
    Done {
        /// Warnings of the engine.
        warnings: Vec<EngineMessage>,
        /// Memory that the worker has in use, in bytes.
        resident: u64,
    },
    /// It could not render.
    Failed {
        /// Why the worker could not render.
        errors: Vec<EngineMessage>,
        /// Memory that the worker has in use, in bytes.
        resident: u64,
    },
}

/// What the engine says about a document or a quill.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineMessage {
    /// Where it was found.
    pub stage: Stage,
    /// Code of the engine.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The construct of Markdown that it is about.
    pub construct: Option<String>,
    /// The value that it is about.
    pub path: Option<DocumentPath>,
    /// The content that it is about, where it has no path.
    pub content: Option<String>,
    /// Position in a file of the bundle.
    pub position: Option<FilePosition>,
    /// The characters that it is about, each once.
    #[serde(default)]
    pub characters: String,
}

/// Where the engine found something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Stage {
    /// The manifest of the quill.
    Quill,
    /// The glue template.
    Glue,
    /// A value of the document.
    #[default]
    Value,
    /// The layout of the pages.
    Layout,
    /// There are too many pages: their number.
    Pages(usize),
    /// The result is too large.
    Size,
}

/// A position in a file of a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePosition {
    /// Path of the file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// The address of a value in a document: a card, and the steps down from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPath {
    /// Where it starts.
    pub root: Root,
    /// The steps from there.
    pub steps: Vec<Step>,
}

/// The part of a document that a path starts at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Root {
    /// The frontmatter with the body after it.
    Main,
    /// An item of a collection.
    Card {
        /// The collection.
        kind: Option<String>,
        /// Which card of the document it is, from 0, counted over all collections.
        index: usize,
    },
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// To a field.
    Field(String),
    /// To an item, from 0.
    Item(usize),
    /// To the body.
    Body,
}
