//! The small languages that rules are written in: conditions (CEL), templates (`MiniJinja`), routes over
//! declarations, places, regular expressions. Each is parsed once, or, for rules that are known to be
//! correct, when it is first used.

mod bounded;
mod condition;
mod glob;
mod metered;
mod patterns;
mod place;
mod plain;
mod regex;
mod route;
mod strings;
mod template;
mod variants;

pub use condition::{Condition, Fitted, Verdict};
pub use condition::{FILE_NAMES, FUNCTIONS, NAMES};
pub use glob::{BadGlob, glob};
pub use patterns::Patterns;
pub use place::{Base, Place, Suffix};
pub use plain::{Bindings, Name, Plain};
pub use regex::LazyRegex;
pub use route::{Part, Route};
pub use template::{Gap, Template};
pub use variants::variants;
