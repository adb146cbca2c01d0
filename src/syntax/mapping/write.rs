use super::{Field, Items, Scalar, Source};
use crate::{
    peg::{Part, Reading},
    text::Span,
    tree::{self, TreeBuilder},
};

/// The tree that is written, and how parts lead to it.
pub(crate) trait Target<'g> {
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

/// Where matches are looked for.
#[derive(Clone, Copy)]
pub(crate) enum Scope<'s, 'g> {
    /// In the whole text.
    All(&'s Reading<'g, 's>),
    /// Inside a part.
    Inside(Part<'s, 'g>),
}

impl<'s, 'g> Scope<'s, 'g> {
    fn parts(self, rules: &[u16]) -> impl Iterator<Item = Part<'s, 'g>> {
        let (all, inside) = match self {
            Self::All(reading) => (Some(reading), None),
            Self::Inside(part) => (None, Some(part)),
        };
        let all = all.into_iter().flat_map(Reading::all);
        let inside = inside.into_iter().flat_map(Part::descendants);
        all.chain(inside).filter(move |part| rules.contains(&part.number()))
    }
}

/// Adds fields to the open mapping; `whole` is where lists and absent marks are said to be.
pub(crate) fn write<'g>(fields: &[Field], scope: Scope<'_, 'g>, whole: Span, target: &mut impl Target<'g>) {
    for field in fields {
        match &field.source {
            Source::Scalar { rules, scalar } => {
                if let Some(part) = scope.parts(rules).next() {
                    target.builder().key_cow(&field.key);
                    value(part, *scalar, target);
                }
            }
            Source::Object { rules, fields } => {
                if let Some(part) = scope.parts(rules).next() {
                    target.builder().key_cow(&field.key);
                    object(part, fields, target);
                }
            }
            Source::List { rules, items } => {
                target.builder().key_cow(&field.key);
                target.builder().open_sequence(whole);
                for part in scope.parts(rules) {
                    match items {
                        Items::Scalars(scalar) => value(part, *scalar, target),
                        Items::Objects(fields) => object(part, fields, target),
                    }
                }
                target.builder().close(None);
            }
            Source::Has { rules } => {
                let found = scope.parts(rules).next();
                let span = found.map_or(whole, |part| target.host(part));
                target.builder().key_cow(&field.key);
                target.builder().scalar(tree::Scalar::Bool(found.is_some()), span);
            }
            Source::Rule => {
                if let Scope::Inside(part) = scope {
                    target.builder().key_cow(&field.key);
                    target.rule(part);
                }
            }
            Source::Indent => {
                if let Scope::Inside(part) = scope {
                    let (spaces, piece) = part.space_before();
                    let indent = i64::try_from(spaces.chars().count()).unwrap_or(i64::MAX);
                    let span = target.place(piece);
                    target.builder().key_cow(&field.key);
                    target.builder().scalar(tree::Scalar::Integer(indent), span);
                }
            }
        }
    }
}

fn object<'g>(part: Part<'_, 'g>, fields: &[Field], target: &mut impl Target<'g>) {
    let span = target.host(part);
    target.builder().open_mapping(span);
    write(fields, Scope::Inside(part), span, target);
    target.builder().close(None);
}

/// Adds the text of a part as a value; a text that is not of the type stays a string.
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
