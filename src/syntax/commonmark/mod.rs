//! CommonMark, with the extensions that most renderers know: headings, fences, links and the like, each
//! with its place in the text.

mod collect;
mod fence;
mod heading;
mod link;
mod outline;

pub(crate) use collect::read;
pub(crate) use fence::Fence;
pub(crate) use heading::Heading;
pub(crate) use link::{Definition, Link};
pub(crate) use outline::{Literal, Outline};
