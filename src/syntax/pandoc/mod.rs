//! Pandoc's Markdown as Quarto extends it: fenced divs, attributes, shortcodes, citations, notes, math,
//! each with its place in the text.
//!
//! [`read`] goes through the lines once: [`blocks`] finds what a line begins or continues, [`inlines`] reads
//! the text of paragraphs and headings. Where Pandoc would take something that is nearly a block or an
//! inline for plain text, it is recorded as a [`Slip`].

mod attributes;
mod blocks;
mod containers;
mod document;
mod header;
mod inlines;
mod lines;
mod shortcodes;

pub(crate) use attributes::Attributes;
pub(crate) use blocks::read;
pub(crate) use document::{CodeBlock, Div, LinkKind, Pandoc, Slip, SlipKind};
pub(crate) use shortcodes::Shortcode;
