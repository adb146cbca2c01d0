//! The small languages that rules are written in: conditions (CEL), templates (`MiniJinja`), routes over
//! declarations, places, regular expressions. Each is parsed once, or, for rules that are known to be
//! correct, when it is first used.

mod condition;
mod glob;
mod place;
mod regex;
mod route;
mod template;

pub use condition::{Bindings, Condition};
pub(crate) use condition::{FUNCTIONS, NAMES};
pub(crate) use glob::{BadGlob, glob};
pub use place::{Base, Place, Suffix};
pub use regex::LazyRegex;
pub use route::{Part, Route};
pub use template::Template;
