//! CommonMark, with the extensions that most renderers know: headings, fences, links and the like, each
//! with its place in the text.

mod collect;
mod fence;
mod heading;
mod link;
mod outline;
mod short;

pub use collect::read;
pub use fence::Fence;
pub use heading::Heading;
pub use link::{Definition, Link};
pub use outline::{Literal, Outline};
