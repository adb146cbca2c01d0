//! Converting Quarto documents to other formats, without executing code.
//!
//! A document is read ([`reader`]) into the model of Pandoc ([`model`]), [`transform`] replaces what only Quarto has,
//! and an engine writes the result: the embedded writers, or the program `pandoc`, which gets the model as JSON.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, calendar, text};
use proofmark_core::engine;
use proofmark_diagnostic as diagnostic;
use proofmark_files as files;
use proofmark_formats as kinds;
use proofmark_project::{programs, project};
use proofmark_syntax as syntax;
use proofmark_tree::{expressions, tree};

mod addresses;
mod asked;
mod brand;
mod citations;
mod dates;
mod effects;
mod error;
mod formats;
mod formula_text;
mod frames;
mod html;
mod images;
mod language;
mod losses;
mod markdown;
mod math;
mod metadata;
mod model;
mod notebook;
mod office_math;
mod pandoc;
mod people;
mod pptx;
mod project_files;
mod reader;
mod reveal;
mod run;
mod templates;
mod transform;
mod website;
mod weight;
mod worker;
mod xml;

pub use self::{
    addresses::way_back,
    error::{ConvertError, ErrorCode},
    formats::{Engine, Format, all as formats, named as format_named, similar as similar_format},
    pandoc::{Pandoc, pandoc_json, translated},
    pptx::{parts as template_parts, with_part as template_with},
    run::{Converted, NotConverted, Request, convert, formats_of, preferred, source_kind},
    templates::{describe_template, read_template, template},
    website::{Connected, Facts, Kind as WebsiteKind, NotAWebsite, PageResult, Settings, Website, Whole},
    worker::{Drawn, MissingGlyphs, NotDrawn, PictureKind, RenderWorker, Typeset, Unfit},
};
