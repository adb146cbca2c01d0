//! Conditions without the interpreter of CEL: nearly all that rules have. What such a condition says is what CEL says of
//! it. Where that is not certain, no answer is given, and the interpreter decides.
//!
//! ```text
//! self.count <= options.most || ancestor.list.items.exists(item, item.level > 1)
//! ```

mod bindings;
mod evaluate;
mod fold;
mod form;
mod read;
mod value;

pub use self::bindings::Bindings;
pub(super) use self::evaluate::Stop;
pub(super) use self::form::Form;
pub use self::form::Name;
pub use self::value::Plain;
