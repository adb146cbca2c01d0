use std::sync::Arc;

use serde_json::{Error, Value, from_value};

use super::{
    Edit, EditInfo,
    kind::{Apply, EditKind},
};
use crate::checks::{Compiler, Field};

/// Makes the list of edit kinds, and the form that a rule file gives of any of them.
macro_rules! edit_kinds {
    ($($module:ident::$kind:ident,)+) => {
        /// The kinds of edits, in the order of the reference.
        pub static KINDS: &[EditInfo] = &[$(EditInfo::of::<super::$module::$kind>()),+];

        /// What a rule file says of one edit.
        #[derive(Debug, Clone)]
        pub(super) enum Form {
            $($kind(super::$module::$kind)),+
        }

        impl Form {
            /// The form of the kind of this name.
            pub(super) fn read(name: &str, fields: Value) -> Option<Result<Self, Error>> {
                match name {
                    $(<super::$module::$kind as EditKind>::NAME => {
                        Some(from_value(fields).map(Self::$kind))
                    })+
                    _ => None,
                }
            }

            pub(super) fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Edit> {
                let apply: Arc<dyn Apply> = match self {
                    $(Self::$kind(form) => form.compile(at, compiler)?),+
                };
                Some(Edit::new(apply))
            }
        }
    };
}

edit_kinds! {
    replace::Replace,
    value::Assign,
    substitute::Substitute,
    insert::Insert,
    delete::Delete,
    comment::Comment,
    remove::Remove,
    add::Add,
    wrap::Wrap,
    unwrap::Unwrap,
    itemize::Itemize,
    relocate::Move,
    reorder::Reorder,
}
