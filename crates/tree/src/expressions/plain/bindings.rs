//! What conditions may ask for.

use cel::common::value::CowVal;

use super::{form::Name, value::Plain};

/// What an expression may ask for, made only when it does.
pub trait Bindings: Send + Sync {
    /// The value of a name, or nothing when there is none.
    fn value<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>>;

    /// Like [`Self::value`], without the interpreter; nothing where only the interpreter can say.
    fn plain<'b>(&'b self, name: Name) -> Option<Plain<'b>> {
        let _ = name;
        None
    }

    /// The member of what has members only ([`Plain::Members`]); nothing where there is none of this name.
    fn plain_member<'b>(&'b self, of: Name, member: &str) -> Option<Plain<'b>> {
        let _ = (of, member);
        None
    }
}
