//! Converting Quarto documents to other formats, without executing code.
//!
//! A document is read ([`reader`]) into the model of Pandoc ([`model`]), [`transform`] replaces what only Quarto has,
//! and an engine writes the result: the embedded writers, or the program `pandoc`, which gets the model as JSON.

mod brand;
mod citations;
mod error;
mod formats;
mod html;
mod images;
mod language;
mod losses;
mod markdown;
mod math;
mod metadata;
mod model;
mod notebook;
mod pandoc;
mod people;
mod pptx;
mod project_files;
mod reader;
mod run;
mod templates;
mod transform;
mod weight;
mod worker;
mod xml;

pub(crate) use self::{
    error::{ConvertError, ErrorCode},
    formats::{Engine, Format, all as formats, named as format_named, similar as similar_format},
    pandoc::{Pandoc, translated},
    run::{Converted, NotConverted, Request, convert, preferred},
    templates::{describe_template, read_template, template},
    worker::{NotDrawn, PictureKind, RenderWorker},
};
