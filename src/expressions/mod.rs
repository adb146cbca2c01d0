//! The small languages that rules are written in: conditions (CEL), templates (`MiniJinja`), routes over
//! declarations, places, regular expressions. Each is parsed once, or, for rules that are known to be
//! correct, when it is first used.

mod bounded;
mod condition;
mod glob;
mod metered;
mod patterns;
mod place;
mod regex;
mod route;
mod strings;
mod template;
mod variants;

pub(crate) use condition::{Bindings, Condition, Verdict};
pub(crate) use condition::{FUNCTIONS, NAMES};
pub(crate) use glob::{BadGlob, glob};
pub(crate) use patterns::Patterns;
pub(crate) use place::{Base, Place, Suffix};
pub(crate) use regex::LazyRegex;
pub(crate) use route::{Part, Route};
pub(crate) use template::Template;
pub(crate) use variants::variants;
