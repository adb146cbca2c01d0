//! Text and positions in it: sources, byte spans, lines and columns, edits. A leaf: it imports nothing.

mod edit;
mod fingerprint;
mod fragment;
mod lines;
mod nesting;
mod pattern;
mod percent;
mod placeholders;
mod plural;
mod source;
mod span;
mod visible;
pub(crate) mod words;

pub use edit::{Edit, EditError, apply_edits};
pub use fingerprint::Fingerprint;
pub use fragment::Fragment;
pub use lines::{LineIndex, Position};
pub use nesting::{Notation, TooDeep};
pub use pattern::pattern;
pub use percent::percent_decoded;
pub use placeholders::placeholders;
pub use plural::plural;
pub use source::{DecodeError, Encoding, Source};
pub use span::{SourceId, Span};
pub use visible::{clip, nearest, visible};
