use std::borrow::Cow;

use crate::Grammar;

/// A compiled description of a tree; rules are numbers of the grammar that it was compiled for.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// The keys of the root.
    pub fields: Cow<'static, [Field]>,
    /// For each rule of the grammar, the keys of the root that its matches are for: a bit each.
    pub roots: Cow<'static, [u64]>,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub struct Field {
    pub key: Cow<'static, str>,
    /// What the value is, in one line; may be empty.
    pub about: Cow<'static, str>,
    pub source: Source,
}

/// Where a value comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// The text of the first match of one of these rules.
    Scalar { rules: Cow<'static, [u16]>, scalar: Scalar },
    /// The first match of one of these rules, as a mapping.
    Object { rules: Cow<'static, [u16]>, fields: Cow<'static, [Field]> },
    /// All matches of these rules.
    List { rules: Cow<'static, [u16]>, items: Items },
    /// Whether there is a match of one of these rules.
    Has { rules: Cow<'static, [u16]> },
    /// The name of the rule that the item is a match of.
    Rule,
    /// The number of spaces and tabs before the item in its line.
    Indent,
}

impl Source {
    /// The rules whose matches are the value; none where the value is about the item itself.
    pub fn rules(&self) -> &[u16] {
        match self {
            Self::Scalar { rules, .. }
            | Self::Object { rules, .. }
            | Self::List { rules, .. }
            | Self::Has { rules } => rules,
            Self::Rule | Self::Indent => &[],
        }
    }
}

/// The items of a list.
#[derive(Debug, Clone)]
pub enum Items {
    Scalars(Scalar),
    Objects(Cow<'static, [Field]>),
}

/// What the text of a match becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    String,
    Number,
    Integer,
    Boolean,
}

impl Mapping {
    /// Most keys that a root may have.
    pub const ROOTS: usize = u64::BITS as usize;

    /// A tree with these keys at its root, at most [`Self::ROOTS`].
    pub fn new(fields: Vec<Field>, grammar: &Grammar) -> Self {
        let mut roots = vec![0; grammar.names().count()];
        for (index, field) in fields.iter().enumerate() {
            for rule in field.source.rules() {
                roots[usize::from(*rule)] |= 1 << index;
            }
        }
        Self { fields: fields.into(), roots: roots.into() }
    }

    /// All keys at any depth: the JSON Pointer from the description to each, and the JSONPath to its values.
    pub fn paths(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        collect(&self.fields, "", "$", &mut found);
        found
    }
}

fn collect(fields: &[Field], pointer: &str, path: &str, found: &mut Vec<(String, String)>) {
    for field in fields {
        let pointer = format!("{pointer}/{}", field.key.replace('~', "~0").replace('/', "~1"));
        let path = format!("{path}[{:?}]", field.key);
        found.push((pointer.clone(), path.clone()));
        match &field.source {
            Source::Object { fields, .. } => collect(fields, &format!("{pointer}/fields"), &path, found),
            Source::List { items: Items::Objects(fields), .. } => {
                collect(fields, &format!("{pointer}/fields"), &format!("{path}[*]"), found);
            }
            _ => {}
        }
    }
}
