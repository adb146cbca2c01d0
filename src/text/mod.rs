//! Text and positions in it: sources, byte spans, lines and columns, edits. A leaf: it imports nothing.

mod edit;
mod fingerprint;
mod fragment;
mod io_reason;
mod joined;
mod lines;
mod nearest;
mod nesting;
mod pattern;
mod percent;
mod placeholders;
mod plural;
mod source;
mod span;
mod visible;
pub(crate) mod words;

pub(crate) use edit::EditError;
pub use edit::{Edit, apply_edits};
pub use fingerprint::Fingerprint;
pub use fragment::Fragment;
pub(crate) use io_reason::io_reason;
pub(crate) use joined::joined;
pub(crate) use lines::LineIndex;
pub use lines::Position;
pub(crate) use nearest::{CANDIDATES, around, nearest};
pub(crate) use nesting::{Notation, TooDeep};
pub(crate) use pattern::pattern;
pub(crate) use percent::percent_decoded;
pub(crate) use placeholders::placeholders;
pub(crate) use plural::plural;
pub use source::Source;
pub(crate) use source::{DecodeError, Encoding};
pub use span::{SourceId, Span};
pub use visible::clip;
pub(crate) use visible::visible;
