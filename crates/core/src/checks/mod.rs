//! The check kinds, one file each: what a rule file says, what it compiles to, and what it finds.
//!
//! To add one, write its file and name it twice here: as a module and in the list of [`check_kinds`]. Its
//! doc comment becomes its section of the reference, the help that editors show and, with the example in it,
//! a test.

mod acyclic;
mod all;
mod ambiguous;
mod any;
mod cel;
mod choose;
pub mod compile;
mod conforms;
mod consecutive;
mod consistent;
mod count;
mod dataflow;
mod each;
pub mod evaluate;
mod fact;
mod fewest;
mod first;
mod forbidden;
mod format;
mod implies;
mod keys;
mod kind;
mod link;
mod lookup;
mod not;
mod observed;
mod one_of;
mod pattern;
mod range;
mod reference;
mod referenced;
mod required;
mod schema;
mod scope;
mod search;
mod sequence;
mod similar;
mod sorted;
mod spelled;
mod subset;
mod syntax;
#[cfg(test)]
pub mod trial;
mod typed;
mod unique;
mod value_type;

use std::{borrow::Cow, fmt, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};

pub use self::{all::passing, link::POINTERS, scope::table_slot};
pub use self::{
    compile::{Compiler, Field},
    evaluate::{
        Context, Declaration, Finding, Heard, Lookup, Meaning, Name, NodeBindings, Recorder, State, Unmet,
        differs_between_nodes, values_of,
    },
    kind::{CheckKind, Evaluate},
};
pub use self::{
    compile::{Fault, FilePart, OneOrMany, PLACEHOLDERS, Symbol, Vocabulary, part_of_path},
    kind::{Arity, Check, KindInfo},
};

/// Makes the list of check kinds, and the form that a rule file gives of any of them.
macro_rules! check_kinds {
    ($($module:ident::$kind:ident,)+) => {
        /// The check kinds, in the order of the reference.
        pub static KINDS: &[KindInfo] = &[$(KindInfo::of::<$module::$kind>()),+];

        /// The names of the check kinds, in the order of [`KINDS`].
        const NAMES: &[&str] = &[$(<$module::$kind as CheckKind>::NAME),+];

        /// What a rule file says of one check.
        #[derive(Debug, Clone)]
        enum Form {
            $($kind(Box<$module::$kind>)),+
        }

        impl Form {
            /// Reads the value of a map's entry as the form of the kind that is its key.
            fn read<'de, A: MapAccess<'de>>(
                name: &str,
                map: &mut A,
            ) -> Result<Option<Self>, A::Error> {
                $(
                    if name == <$module::$kind as CheckKind>::NAME {
                        return map.next_value().map(|form| Some(Self::$kind(form)));
                    }
                )+
                Ok(None)
            }

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => <$module::$kind as CheckKind>::NAME),+
                }
            }

            fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Check> {
                let name = self.name();
                let kind = KINDS.iter().find(|kind| kind.name == name)?;
                let evaluate: Arc<dyn Evaluate> = match self {
                    $(Self::$kind(form) => form.compile(&at.key(name), compiler)?),+
                };
                Some(Check::new(kind, evaluate))
            }
        }
    };
}

check_kinds! {
    syntax::Syntax,
    fact::Fact,
    schema::Schema,
    conforms::Conforms,
    required::Required,
    forbidden::Forbidden,
    keys::Keys,
    value_type::Type,
    one_of::OneOf,
    pattern::Pattern,
    format::Format,
    search::Search,
    spelled::Spelled,
    range::Range,
    count::Count,
    unique::Unique,
    ambiguous::Ambiguous,
    sorted::Sorted,
    consecutive::Consecutive,
    consistent::Consistent,
    sequence::Sequence,
    reference::Reference,
    referenced::Referenced,
    link::Link,
    lookup::Lookup,
    subset::Subset,
    typed::Typed,
    acyclic::Acyclic,
    dataflow::Dataflow,
    each::Each,
    first::First,
    implies::Implies,
    choose::Choose,
    fewest::Fewest,
    all::All,
    any::Any,
    not::Not,
    cel::Cel,
}

/// What must hold, as a rule file says it: one key, the name of a check kind, with what that kind takes.
///
/// More or fewer keys than one are read, too; the JSON Schema of rule files refuses them.
#[derive(Debug, Clone, Default)]
pub struct RawCheck {
    forms: Vec<Form>,
}

impl RawCheck {
    /// Whether it is a condition about the selected nodes.
    pub fn is_condition(&self) -> bool {
        matches!(self.forms.as_slice(), [only] if only.name() == <cel::Cel as CheckKind>::NAME)
    }

    /// The check that runs; every fault is reported to the compiler.
    pub fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Check> {
        let mut forms = self.forms.into_iter();
        let form = forms.next()?;
        if forms.next().is_some() { None } else { form.compile(at, compiler) }
    }
}

impl<'de> Deserialize<'de> for RawCheck {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Forms)
    }
}

struct Forms;

impl<'de> Visitor<'de> for Forms {
    type Value = RawCheck;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a check, such as `required: name`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawCheck, A::Error> {
        let mut forms = Vec::with_capacity(1);
        while let Some(name) = map.next_key::<String>()? {
            let form = Form::read(&name, &mut map)?;
            forms.push(form.ok_or_else(|| Error::unknown_field(&name, NAMES))?);
        }
        Ok(RawCheck { forms })
    }
}

impl JsonSchema for RawCheck {
    fn schema_name() -> Cow<'static, str> {
        "Check".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = serde_json::Map::new();
        for kind in KINDS {
            properties.insert(kind.name.to_owned(), (kind.schema)(generator).to_value());
        }
        json_schema!({
            "description": "What must hold: exactly one check kind.",
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
            "x-fault": {"minProperties": "no-check", "maxProperties": "several-checks"},
        })
    }
}
