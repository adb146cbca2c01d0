//! Pandoc's Markdown as Quarto extends it: fenced divs, attributes, shortcodes, citations, notes, math,
//! each with its place in the text.
//!
//! [`read`] goes through the lines once: [`blocks`] finds what a line begins or continues, [`inlines`] reads
//! the text of paragraphs and headings. Where Pandoc would take something that is nearly a block or an
//! inline for plain text, it is recorded as a [`Slip`].

mod annotations;
mod attributes;
mod blocks;
mod containers;
mod document;
mod header;
mod inlines;
mod lines;
mod marks;
mod shortcodes;
pub mod tables;
pub mod tags;
mod underlines;

/// Reads what the brace at an offset begins.
pub fn braces(text: &str, at: usize) -> Braces {
    attributes::read(text, at, text.len())
}

pub use annotations::annotated;
pub use attributes::{Attributes, Braces};
pub use blocks::{body, read};
pub use document::{CodeBlock, Div, LinkKind, Pandoc, Slip, SlipKind};
pub use header::is_near_closer;
pub use lines::{div_marks, div_word, heading_marks, indentation, is_rule, list_mark, prefix, run};
pub use marks::key as citation_key;
pub use marks::{
    Destination, cited_key, code_end, destination, environment_close, is_in_code, link_definition, math_end,
    note_name, tex_command_end,
};
pub use shortcodes::{Shortcode, shortcode_of};
pub use underlines::{can_be_underlined, underline};
