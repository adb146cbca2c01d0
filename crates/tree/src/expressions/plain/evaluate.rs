//! What conditions say.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    super::metered::{self, charge_made, charge_text},
    bindings::Bindings,
    form::Form,
    value::Plain,
};
use crate::budget;

/// Steps of a turn of a loop.
const TURNED: u64 = 8;

/// Why there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Stop {
    /// A mapping does not have a key that the condition asks for.
    Missing,
    /// Only the interpreter can say.
    Unknown,
}

type Evaluated<'b> = Result<Plain<'b>, Stop>;

impl Form {
    /// The value of the condition.
    pub(in super::super) fn value<'b>(&'b self, bindings: &'b dyn Bindings) -> Evaluated<'b> {
        self.at(bindings, &mut Vec::new())
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each form")]
    fn at<'b>(&'b self, bindings: &'b dyn Bindings, turns: &mut Vec<Plain<'b>>) -> Evaluated<'b> {
        Ok(match self {
            Self::Null => Plain::Null,
            Self::Bool(value) => Plain::Bool(*value),
            Self::Int(value) => Plain::Int(*value),
            Self::Text(text) => Plain::Text(Cow::Borrowed(text)),
            Self::List(items) => {
                let items: Result<Vec<_>, Stop> = items.iter().map(|item| item.at(bindings, turns)).collect();
                Plain::List(items?)
            }
            Self::Name(name) => {
                charge(1)?;
                bindings.plain(*name).ok_or(Stop::Unknown)?
            }
            Self::Turn(number) => turns.get(*number).cloned().ok_or(Stop::Unknown)?,
            Self::Select(of, name) => {
                let of = of.at(bindings, turns)?;
                select(bindings, &of, name)?.ok_or(Stop::Missing)?
            }
            Self::Has(of, name) => {
                let of = of.at(bindings, turns)?;
                Plain::Bool(select(bindings, &of, name)?.is_some())
            }
            Self::Index(of, at) => {
                let of = of.at(bindings, turns)?;
                let Plain::Int(at) = at.at(bindings, turns)? else { return Err(Stop::Unknown) };
                let at = usize::try_from(at).map_err(|_| Stop::Unknown)?;
                of.item(at).ok_or(Stop::Unknown)?
            }
            Self::Not(of) => Plain::Bool(!of.truth(bindings, turns)?),
            Self::And(two) => Plain::Bool(joined(two, false, bindings, turns)?),
            Self::Or(two) => Plain::Bool(joined(two, true, bindings, turns)?),
            Self::Choose(three) => {
                let [when, then, otherwise] = &**three;
                let chosen = if when.truth(bindings, turns)? { then } else { otherwise };
                chosen.at(bindings, turns)?
            }
            Self::Equal(two) => Plain::Bool(equal(two, bindings, turns)?),
            Self::Unequal(two) => Plain::Bool(!equal(two, bindings, turns)?),
            Self::Less(two) => {
                let (left, right) = numbers(two, bindings, turns)?;
                Plain::Bool(left < right)
            }
            Self::LessOrEqual(two) => {
                let (left, right) = numbers(two, bindings, turns)?;
                Plain::Bool(left <= right)
            }
            Self::Greater(two) => {
                let (left, right) = numbers(two, bindings, turns)?;
                Plain::Bool(left > right)
            }
            Self::GreaterOrEqual(two) => {
                let (left, right) = numbers(two, bindings, turns)?;
                Plain::Bool(left >= right)
            }
            Self::Add(two) => match both(two, bindings, turns)? {
                (Plain::Int(left), Plain::Int(right)) => whole(left.checked_add(right))?,
                (Plain::Text(left), Plain::Text(right)) => {
                    made(left.len() + right.len())?;
                    Plain::Text(Cow::Owned(format!("{left}{right}")))
                }
                _ => return Err(Stop::Unknown),
            },
            Self::Subtract(two) => {
                let (left, right) = numbers(two, bindings, turns)?;
                whole(left.checked_sub(right))?
            }
            Self::Multiply(two) => {
                let (left, right) = numbers(two, bindings, turns)?;
                whole(left.checked_mul(right))?
            }
            Self::Negative(of) => match of.at(bindings, turns)? {
                Plain::Int(value) => whole(value.checked_neg())?,
                _ => return Err(Stop::Unknown),
            },
            Self::In(two) => {
                let (item, list) = both(two, bindings, turns)?;
                Plain::Bool(is_in(&item, &list)?)
            }
            Self::IsOf(of, name) => {
                let own = of.at(bindings, turns)?.type_name().ok_or(Stop::Unknown)?;
                Plain::Bool(own == *name)
            }
            Self::Size(of) => {
                let of = of.at(bindings, turns)?;
                let size = match &of {
                    Plain::Text(text) => {
                        read(text)?;
                        text.chars().count()
                    }
                    of => of.count().ok_or(Stop::Unknown)?,
                };
                whole(i64::try_from(size).ok())?
            }
            Self::Contains(two) => {
                let (text, part) = texts(two, bindings, turns)?;
                read(&text)?;
                Plain::Bool(text.contains(&*part))
            }
            Self::StartsWith(two) => {
                let (text, part) = texts(two, bindings, turns)?;
                Plain::Bool(text.starts_with(&*part))
            }
            Self::EndsWith(two) => {
                let (text, part) = texts(two, bindings, turns)?;
                Plain::Bool(text.ends_with(&*part))
            }
            Self::Matches(two) => {
                let (text, pattern) = texts(two, bindings, turns)?;
                let pattern = metered::pattern_for(&text, &pattern, "matches").map_err(|_| Stop::Unknown)?;
                Plain::Bool(pattern.is_match(&text))
            }
            Self::MatchesLiteral(of, pattern) => {
                let text = of.text(bindings, turns)?;
                read(&text)?;
                Plain::Bool(pattern.regex().ok_or(Stop::Unknown)?.is_match(&text))
            }
            Self::Lower(of) => changed(of.text(bindings, turns)?, str::to_lowercase)?,
            Self::Upper(of) => changed(of.text(bindings, turns)?, str::to_uppercase)?,
            Self::Trim(of) => changed(of.text(bindings, turns)?, |text| text.trim().to_owned())?,
            Self::Replace(three) => {
                let [text, old, new] = &**three;
                let (old, new) = (old.text(bindings, turns)?, new.text(bindings, turns)?);
                let text = text.text(bindings, turns)?;
                read(&text)?;
                let times = text.matches(&*old).count();
                made((text.len() + times * new.len()).saturating_sub(times * old.len()))?;
                Plain::Text(Cow::Owned(text.replace(&*old, &new)))
            }
            Self::Exists(two) => Plain::Bool(decided(two, true, bindings, turns)?),
            Self::All(two) => Plain::Bool(!decided(two, false, bindings, turns)?),
            Self::Filter(two) => {
                let [of, body] = &**two;
                let of = of.at(bindings, turns)?;
                let mut kept = Vec::new();
                for position in 0..of.count().ok_or(Stop::Unknown)? {
                    let item = of.item(position).ok_or(Stop::Unknown)?;
                    if turn(body, item.clone(), bindings, turns)? {
                        budget::push(&mut kept, item);
                    }
                }
                Plain::List(kept)
            }
        })
    }

    fn truth<'b>(&'b self, bindings: &'b dyn Bindings, turns: &mut Vec<Plain<'b>>) -> Result<bool, Stop> {
        match self.at(bindings, turns)? {
            Plain::Bool(value) => Ok(value),
            _ => Err(Stop::Unknown),
        }
    }

    fn text<'b>(
        &'b self,
        bindings: &'b dyn Bindings,
        turns: &mut Vec<Plain<'b>>,
    ) -> Result<Cow<'b, str>, Stop> {
        match self.at(bindings, turns)? {
            Plain::Text(text) => Ok(text),
            _ => Err(Stop::Unknown),
        }
    }
}

/// `left && right`, or `left || right` where `deciding` is true: one of them decides although the other one is missing.
fn joined<'b>(
    two: &'b [Form; 2],
    deciding: bool,
    bindings: &'b dyn Bindings,
    turns: &mut Vec<Plain<'b>>,
) -> Result<bool, Stop> {
    let [left, right] = two;
    match left.truth(bindings, turns) {
        Ok(value) if value == deciding => Ok(deciding),
        Ok(_) => right.truth(bindings, turns),
        Err(Stop::Missing) => match right.truth(bindings, turns)? {
            value if value == deciding => Ok(deciding),
            _ => Err(Stop::Missing),
        },
        Err(Stop::Unknown) => Err(Stop::Unknown),
    }
}

/// Whether the body is `wanted` for an item of the list.
fn decided<'b>(
    two: &'b [Form; 2],
    wanted: bool,
    bindings: &'b dyn Bindings,
    turns: &mut Vec<Plain<'b>>,
) -> Result<bool, Stop> {
    let [of, body] = two;
    let of = of.at(bindings, turns)?;
    for position in 0..of.count().ok_or(Stop::Unknown)? {
        let item = of.item(position).ok_or(Stop::Unknown)?;
        if turn(body, item, bindings, turns)? == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the body of a loop says of an item. What is missing there is for the interpreter: other items may decide.
fn turn<'b>(
    body: &'b Form,
    item: Plain<'b>,
    bindings: &'b dyn Bindings,
    turns: &mut Vec<Plain<'b>>,
) -> Result<bool, Stop> {
    charge(TURNED)?;
    turns.push(item);
    let holds = body.truth(bindings, turns);
    turns.pop();
    holds.map_err(|_| Stop::Unknown)
}

/// The member of a value; nothing where a mapping has no such key.
fn select<'b>(bindings: &'b dyn Bindings, of: &Plain<'b>, name: &str) -> Result<Option<Plain<'b>>, Stop> {
    match of {
        Plain::Node(node) if node.is_mapping() => {
            Ok(node.get(name).map(crate::tree::Node::target).map(Plain::from))
        }
        Plain::Json(Value::Object(entries)) => Ok(entries.get(name).map(Plain::from)),
        Plain::Members(base) => Ok(bindings.plain_member(*base, name)),
        _ => Err(Stop::Unknown),
    }
}

fn is_in(item: &Plain<'_>, list: &Plain<'_>) -> Result<bool, Stop> {
    let count = list.count().ok_or(Stop::Unknown)?;
    charge(1 + count as u64)?;
    let mut is_certain = true;
    for position in 0..count {
        match list.written(position).and_then(|other| other.equals(item)) {
            Some(true) => return Ok(true),
            Some(false) => {}
            None => is_certain = false,
        }
    }
    if is_certain { Ok(false) } else { Err(Stop::Unknown) }
}

fn equal<'b>(
    two: &'b [Form; 2],
    bindings: &'b dyn Bindings,
    turns: &mut Vec<Plain<'b>>,
) -> Result<bool, Stop> {
    let (left, right) = both(two, bindings, turns)?;
    if let (Plain::Text(left), Plain::Text(right)) = (&left, &right)
        && left.len() == right.len()
    {
        read(left)?;
    }
    left.equals(&right).ok_or(Stop::Unknown)
}

fn both<'b>(
    two: &'b [Form; 2],
    bindings: &'b dyn Bindings,
    turns: &mut Vec<Plain<'b>>,
) -> Result<(Plain<'b>, Plain<'b>), Stop> {
    let [left, right] = two;
    Ok((left.at(bindings, turns)?, right.at(bindings, turns)?))
}

fn numbers<'b>(
    two: &'b [Form; 2],
    bindings: &'b dyn Bindings,
    turns: &mut Vec<Plain<'b>>,
) -> Result<(i64, i64), Stop> {
    match both(two, bindings, turns)? {
        (Plain::Int(left), Plain::Int(right)) => Ok((left, right)),
        _ => Err(Stop::Unknown),
    }
}

/// The text that a method is called for, and its argument, which is evaluated first.
fn texts<'b>(
    two: &'b [Form; 2],
    bindings: &'b dyn Bindings,
    turns: &mut Vec<Plain<'b>>,
) -> Result<(Cow<'b, str>, Cow<'b, str>), Stop> {
    let [of, argument] = two;
    let argument = argument.at(bindings, turns)?;
    match (of.at(bindings, turns)?, argument) {
        (Plain::Text(text), Plain::Text(argument)) => Ok((text, argument)),
        _ => Err(Stop::Unknown),
    }
}

fn changed<'b>(text: Cow<'b, str>, change: impl FnOnce(&str) -> String) -> Evaluated<'b> {
    made(text.len())?;
    Ok(Plain::Text(Cow::Owned(change(&text))))
}

fn whole<'b>(value: Option<i64>) -> Evaluated<'b> {
    value.map(Plain::Int).ok_or(Stop::Unknown)
}

fn charge(steps: u64) -> Result<(), Stop> {
    if budget::charge(steps) { Ok(()) } else { Err(Stop::Unknown) }
}

fn read(text: &str) -> Result<(), Stop> {
    charge_text(text.len()).map_err(|_| Stop::Unknown)
}

fn made(bytes: usize) -> Result<(), Stop> {
    charge_made(bytes, 0).map_err(|_| Stop::Unknown)
}
