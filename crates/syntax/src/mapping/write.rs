use super::{Field, Items, Mapping, Scalar, Source};
use crate::{
    peg::{Part, Reading},
    text::Span,
    tree::{self, TreeBuilder},
};

/// The tree that is written, and how parts lead to it.
pub trait Target<'g> {
    fn builder(&mut self) -> &mut TreeBuilder;

    /// Where a part is in the source of the tree.
    fn host(&self, part: Part<'_, 'g>) -> Span;

    /// Where a piece of the text that was read is in the source of the tree.
    fn place(&self, piece: Span) -> Span;

    /// Adds the text of a part.
    fn string(&mut self, part: Part<'_, 'g>);

    /// Adds the name of the rule of a part.
    fn rule(&mut self, part: Part<'_, 'g>);
}

/// Adds the keys of a tree to the open mapping; `whole` is where lists and absent marks are said to be.
pub fn write<'g>(mapping: &Mapping, reading: &Reading<'g, '_>, whole: Span, target: &mut impl Target<'g>) {
    // One look at each part for all keys.
    let mut found: Vec<Vec<Part<'_, 'g>>> = vec![Vec::new(); mapping.fields.len()];
    for part in reading.all() {
        let mut keys = mapping.roots[usize::from(part.number())];
        while keys != 0 {
            found[keys.trailing_zeros() as usize].push(part);
            keys &= keys - 1;
        }
    }
    for (field, parts) in mapping.fields.iter().zip(found) {
        write_field(field, None, parts.into_iter(), whole, target);
    }
}

/// Adds a key with its value; `parts` are the matches of its rules inside `item`, or in the whole text.
fn write_field<'s, 'g>(
    field: &Field,
    item: Option<Part<'s, 'g>>,
    mut parts: impl Iterator<Item = Part<'s, 'g>>,
    whole: Span,
    target: &mut impl Target<'g>,
) {
    match &field.source {
        Source::Scalar { scalar, .. } => {
            if let Some(part) = parts.next() {
                target.builder().key_cow(&field.key);
                value(part, *scalar, target);
            }
        }
        Source::Object { fields, .. } => {
            if let Some(part) = parts.next() {
                target.builder().key_cow(&field.key);
                object(part, fields, target);
            }
        }
        Source::List { items, .. } => {
            target.builder().key_cow(&field.key);
            target.builder().open_sequence(whole);
            for part in parts {
                match items {
                    Items::Scalars(scalar) => value(part, *scalar, target),
                    Items::Objects(fields) => object(part, fields, target),
                }
            }
            target.builder().close(None);
        }
        Source::Has { .. } => {
            let found = parts.next();
            let span = found.map_or(whole, |part| target.host(part));
            target.builder().key_cow(&field.key);
            target.builder().scalar(tree::Scalar::Bool(found.is_some()), span);
        }
        Source::Rule => {
            if let Some(part) = item {
                target.builder().key_cow(&field.key);
                target.rule(part);
            }
        }
        Source::Indent => {
            if let Some(part) = item {
                let (spaces, piece) = part.space_before();
                let indent = i64::try_from(spaces.chars().count()).unwrap_or(i64::MAX);
                let span = target.place(piece);
                target.builder().key_cow(&field.key);
                target.builder().scalar(tree::Scalar::Integer(indent), span);
            }
        }
    }
}

fn object<'g>(part: Part<'_, 'g>, fields: &[Field], target: &mut impl Target<'g>) {
    let span = target.host(part);
    target.builder().open_mapping(span);
    for field in fields {
        let rules = field.source.rules();
        let parts = part.descendants().filter(|part| rules.contains(&part.number()));
        write_field(field, Some(part), parts, span, target);
    }
    target.builder().close(None);
}

/// Adds the text of a part as a value; text that is not of the type stays a string.
fn value<'g>(part: Part<'_, 'g>, scalar: Scalar, target: &mut impl Target<'g>) {
    let text = part.text().trim();
    let read = match scalar {
        Scalar::String => None,
        Scalar::Number | Scalar::Integer => number(text).filter(|number| match number {
            tree::Scalar::Float(_) => scalar == Scalar::Number,
            _ => true,
        }),
        Scalar::Boolean => match text {
            "true" => Some(tree::Scalar::Bool(true)),
            "false" => Some(tree::Scalar::Bool(false)),
            _ => None,
        },
    };
    match read {
        Some(read) => {
            let span = target.host(part);
            target.builder().scalar(read, span);
        }
        None => target.string(part),
    }
}

fn number(text: &str) -> Option<tree::Scalar<'static>> {
    if let Ok(integer) = text.parse::<i64>() {
        return Some(tree::Scalar::Integer(integer));
    }
    // Words such as `inf` are numbers for Rust only.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let float = text.parse::<f64>().ok().filter(|float| digits && float.is_finite());
    float.map(tree::Scalar::Float)
}
